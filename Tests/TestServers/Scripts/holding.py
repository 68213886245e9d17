"""A TLS server on a free loopback port that tells of each request and answers it when it is told to.

    holding.py FOLDER

FOLDER holds server.pem and server.key. The port is printed once it listens, then a line `request` for each whole
request and a line `answered` for each answer that the client's kernel has. A number on standard input lets so many requests, of
those that wait and those to come, be answered with 404. It ends with standard input.
"""

import fcntl
import os
import socket
import ssl
import struct
import sys
import termios
import threading

permits = threading.Semaphore(0)


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(4096) or hang_up()
    head, _, body = data.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            missing = int(line.split(b":")[1]) - len(body)
            while missing > 0:
                missing -= len(connection.recv(missing) or hang_up())


def hang_up():
    raise ConnectionError


def wait_until_taken(connection):
    """On a machine that is busy even the loopback delivers later than it takes."""
    while struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4))) != (0,):
        os.sched_yield()


def serve(context, plain):
    try:
        with context.wrap_socket(plain, server_side=True) as connection:
            read_request(connection)
            os.write(1, b"request\n")
            permits.acquire()
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            wait_until_taken(connection)
            os.write(1, b"answered\n")
    except OSError:
        plain.close()


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(sys.argv[1], "server.pem"), os.path.join(sys.argv[1], "server.key"))
    context.set_alpn_protocols(["http/1.1"])
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            plain, _ = listener.accept()
            threading.Thread(target=serve, args=(context, plain), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    for line in sys.stdin:
        permits.release(int(line))


main()
