"""A TLS server that misbehaves in one way, on a free loopback port, until standard input ends.

    faults.py FOLDER FAULT [COUNT]

FOLDER holds server.pem and server.key. The port is printed once it listens. The functions below say what each FAULT is.
"""

import os
import socket
import ssl
import struct
import sys
import threading
import warnings
import zlib

REFUSED_STREAM = 7
DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY = 0, 1, 3, 4, 7
SETTINGS_ACK = END_STREAM = 1
END_HEADERS = 4


def half(connection):
    """Promises 100 bytes and sends 4."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")


def nothing(connection):
    """Takes the request and closes."""


def reset(connection):
    """Takes the request and resets the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(connection.detach())


def silent(connection):
    """Takes the request and never answers."""
    while connection.recv(4096):
        pass


def endless(connection):
    """A body that never ends."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"A" * 16384)


def large(connection):
    """Promises one byte more than 64 KiB."""
    connection.sendall(b"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 65537\r\n\r\n" + b"A" * 65537)


def interim(connection):
    """An interim answer before the answer."""
    connection.sendall(b"HTTP/1.1 103 Early Hints\r\nX-Which: interim\r\n\r\n")
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Which: final\r\nContent-Length: 2\r\n\r\nok")


def old(connection):
    """Speaks nothing newer than TLS 1.1."""


def gzip(connection):
    """A compressed body that nobody asked for."""
    body = zlib.compress(b"QUJD", wbits=31)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def forbid(connection):
    """A proxy, without TLS, that lets nobody through."""
    connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")


HTTP1 = {f.__name__: f for f in (half, nothing, reset, silent, endless, large, interim, old, gzip, forbid)}


class Refusals:
    """How many streams are still refused before the rest is answered."""

    def __init__(self, count):
        self.left = count
        self.lock = threading.Lock()

    def take(self):
        with self.lock:
            self.left -= 1
            return self.left >= 0


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise ConnectionError
        data += piece
    return data


def answer_streams(connection, fault, refusals):
    """HTTP/2 (RFC 9113): `refuse` resets COUNT streams with REFUSED_STREAM, `goaway` says so with GOAWAY, before any is
    answered with 200 and the body `ok`."""
    read_exactly(connection, 24)
    connection.sendall(frame(SETTINGS, 0, 0, b""))
    refused = set()
    while True:
        head = read_exactly(connection, 9)
        length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        stream = int.from_bytes(head[5:], "big")
        read_exactly(connection, length)
        if kind == SETTINGS and not flags & SETTINGS_ACK:
            connection.sendall(frame(SETTINGS, SETTINGS_ACK, 0, b""))
        if kind == HEADERS and refusals.take():
            refused.add(stream)
            if fault == "goaway":
                connection.sendall(frame(GOAWAY, 0, 0, struct.pack(">II", 0, 0)))
            else:
                connection.sendall(frame(RST_STREAM, 0, stream, struct.pack(">I", REFUSED_STREAM)))
        elif kind in (HEADERS, DATA) and flags & END_STREAM and stream not in refused:
            # 0x88 is `:status: 200` of the static table (RFC 7541, appendix A).
            connection.sendall(frame(HEADERS, END_HEADERS, stream, b"\x88") + frame(DATA, END_STREAM, stream, b"ok"))


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(4096) or exit_thread()
    head, _, body = data.partition(b"\r\n\r\n")
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            read_exactly(connection, int(line.split(b":")[1]) - len(body))


def exit_thread():
    raise ConnectionError


def serve(context, plain, fault, refusals):
    try:
        with plain if fault == "forbid" else context.wrap_socket(plain, server_side=True) as connection:
            if fault in HTTP1:
                read_request(connection)
                HTTP1[fault](connection)
            else:
                answer_streams(connection, fault, refusals)
    except OSError:
        plain.close()


def main():
    folder, fault = sys.argv[1], sys.argv[2]
    refusals = Refusals(int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 30)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if fault == "old":
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    context.set_alpn_protocols(["http/1.1"] if fault in HTTP1 else ["h2"])
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            plain, _ = listener.accept()
            threading.Thread(target=serve, args=(context, plain, fault, refusals), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


main()
