"""nginx with TLS and HTTP/2 on a free loopback port, until standard input ends or SIGTERM comes.

    nginx.py FOLDER

FOLDER holds server.pem, server.key, outer.conf and inner.conf. The server that speaks TLS hands every request on to an
inner one, as in front of any back end; what it does not do by itself stands in outer.conf. inner.conf says what is
answered. (Asked directly, nginx's `return` answers and closes a stream before it has read the request's body.)

The port is bound here and handed on, so that it can be connected to as soon as it is printed and nobody else can take
it in between.
"""

import os
import signal
import socket
import subprocess
import sys

CONFIGURATION = """
{user}
daemon off;
pid nginx.pid;
error_log error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate server.pem;
        ssl_certificate_key server.key;
        location / {{
            proxy_pass http://unix:inner.sock:;
            proxy_pass_header Date;
            add_header X-Protocol $server_protocol always;
        }}
        include outer.conf;
    }}
    server {{
        listen unix:inner.sock;
        include inner.conf;
    }}
}}
"""


def main():
    folder = sys.argv[1]
    listener = socket.create_server(("127.0.0.1", 0), backlog=511)
    port = listener.getsockname()[1]
    user = "user root;" if os.geteuid() == 0 else ""
    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        file.write(CONFIGURATION.format(user=user, port=port))
    path = os.environ.get("PATH", "") + ":/usr/sbin"
    nginx = subprocess.Popen(
        ["nginx", "-p", folder, "-c", "nginx.conf", "-e", "error.log"],
        env={"PATH": path, "NGINX": f"{listener.fileno()};"},
        pass_fds=[listener.fileno()],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    listener.close()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        print(port, flush=True)
        sys.stdin.read()
    finally:
        nginx.terminate()
        nginx.wait()


main()
