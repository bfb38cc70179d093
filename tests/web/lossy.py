"""A proxy that loses, delays and doubles: between a worker and its server, as a bad network would."""

import http.client
import random
import socketserver
import threading
import time


class LossyProxy:
    """Forwards requests to a server on this machine; what it does to each follows from a seed."""

    def __init__(self, port: int, seed: int) -> None:
        self.counts = {"lost before": 0, "lost after": 0, "doubled": 0, "late": 0, "passed": 0}
        draws, turn, outer = random.Random(seed), threading.Lock(), self

        class Connection(socketserver.StreamRequestHandler):
            """One request a connection."""

            def handle(self) -> None:
                head = b""
                while line := self.rfile.readline():
                    head += line
                    if line == b"\r\n":
                        break
                if not head:
                    return
                lines = head.decode().split("\r\n")
                method, path, _ = lines[0].split(" ")
                headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
                size = int(next((value for name, value in headers.items() if name.lower() == "content-length"), 0))
                body = self.rfile.read(size) if size else None
                with turn:
                    fate = draws.choices([*outer.counts], [1, 2, 2, 1, 6])[0] if method == "POST" else "passed"
                    outer.counts[fate] += 1
                if fate == "lost before":
                    return
                if fate == "late":
                    time.sleep(0.2)
                for _ in range(2 if fate == "doubled" else 1):
                    status, answer = forward(port, method, path, body, headers)
                if fate == "lost after":
                    return
                kept = f"HTTP/1.1 {status} x\r\ncontent-length: {len(answer)}\r\nconnection: close\r\n\r\n"
                self.wfile.write(kept.encode() + answer)

        class Server(socketserver.ThreadingTCPServer):
            """Does not wait for its threads."""

            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", 0), Connection)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)


def forward(port: int, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
    """Ask the server itself."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(
            method, path, body, {name: value for name, value in headers.items() if name.lower() != "connection"}
        )
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
