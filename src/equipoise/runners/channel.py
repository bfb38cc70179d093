"""Pickled messages over the two pipes of a child process, each with its length before it."""

import pickle
import struct
from typing import IO, Any

__all__ = ["receive", "send"]

LENGTH = struct.Struct("!Q")


def send(stream: IO[bytes], message: Any) -> None:
    """Write a message; ``OSError`` if nobody reads any more."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a message; ``EOFError`` if the other side is gone, also in the middle of one."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (size,) = LENGTH.unpack(head)
    body = stream.read(size)
    if len(body) < size:
        raise EOFError
    return pickle.loads(body)
