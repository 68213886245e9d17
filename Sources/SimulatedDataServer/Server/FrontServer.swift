import System

/// nginx in front of the simulator: TLS and HTTP/2 for both environments, everything passed on to one loopback port.
struct FrontServer: ~Copyable {
    /// Port of the production server.
    let productionPort: UInt16
    /// Port of the development server.
    let developmentPort: UInt16
    private var process: ChildProcess

    /// What nginx needs to know.
    struct Settings {
        /// Where configuration, PID file, error log and temporary files go.
        let directory: String
        /// Certificate and key, PEM.
        let certificateFile: String
        /// The private key behind it, PEM.
        let keyFile: String
        /// The port behind.
        let upstreamPort: UInt16
        /// Requests on one connection before nginx sends GOAWAY.
        let requestsPerConnection: Int
    }

    /// Picks two free ports and starts nginx on them: it inherits both sockets, so that nobody takes a port in between.
    static func start(_ settings: Settings) throws(SimulatorError) -> FrontServer {
        let configuration = "\(settings.directory)/nginx.conf"
        try system { () throws(SystemError) in try makeDirectories("\(settings.directory)/tmp") }
        do throws(SystemError) {
            let production = try ListeningSocket.onLoopback()
            let development = try ListeningSocket.onLoopback()
            let text = settings.configuration(production: production.port, development: development.port)
            try replaceFile(configuration, Array(text.utf8))
            // nginx takes over the listening sockets that this variable numbers, as in its own binary upgrade.
            let process = try ChildProcess.start(
                [
                    "nginx", "-p", settings.directory, "-c", configuration, "-e",
                    "\(settings.directory)/nginx-error.log",
                ],
                environment: [
                    "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                    "NGINX=\(production.descriptor);\(development.descriptor);",
                ],
                inheriting: [production.descriptor, development.descriptor])
            return FrontServer(
                productionPort: production.port, developmentPort: development.port, process: process)
        } catch { throw .system(error) }
    }

    /// Whether nginx has not ended yet.
    mutating func isRunning() -> Bool { process.isRunning() }

    /// Ends nginx and waits until it has ended.
    mutating func end() { process.end() }
}

extension FrontServer.Settings {
    /// One worker under a master: without a master nginx cannot take over sockets. The worker ends with its master.
    fileprivate func configuration(production: UInt16, development: UInt16) -> String {
        """
        daemon off;
        worker_processes 1;
        \(effectiveUser() == 0 ? "user root root;" : "")
        pid "\(directory)/nginx.pid";
        error_log "\(directory)/nginx-error.log" warn;
        events { worker_connections 8192; }
        http {
            access_log off;
            server_tokens off;
            client_body_temp_path "\(directory)/tmp/body";
            proxy_temp_path "\(directory)/tmp/proxy";
            fastcgi_temp_path "\(directory)/tmp/fastcgi";
            uwsgi_temp_path "\(directory)/tmp/uwsgi";
            scgi_temp_path "\(directory)/tmp/scgi";
            client_max_body_size 256k;
            client_body_buffer_size 256k;
            http2_max_concurrent_streams 1024;
            keepalive_requests \(requestsPerConnection);
            ssl_certificate "\(certificateFile)";
            ssl_certificate_key "\(keyFile)";
            ssl_protocols TLSv1.2 TLSv1.3;
            ssl_session_cache shared:tls:1m;
            upstream simulator {
                server 127.0.0.1:\(upstreamPort) max_fails=0;
                keepalive 512;
                keepalive_requests 100000000;
            }
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_pass_header Date;
            proxy_pass_header Server;
            proxy_read_timeout 600s;
            proxy_next_upstream off;
            proxy_buffers 8 64k;
        \(server(production, .production))
        \(server(development, .development))
        }

        """
    }

    private func server(_ port: UInt16, _ environment: SimulatedEnvironment) -> String {
        """
            server {
                listen 127.0.0.1:\(port) ssl http2;
                location / {
                    proxy_pass http://simulator;
                    proxy_set_header Connection "";
                    proxy_set_header \(DataServerSimulation.environmentHeader) \(environment.rawValue);
                }
            }
        """
    }
}
