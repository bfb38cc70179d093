"""Fetch a public data set into a folder of tables, and check that it is what it was before."""

import hashlib
import http.client
import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.data.public_sets import PUBLIC, PublicSet

PINS = "checksums.json"
"""Of raw files, as they were at the first download."""
LARGEST = 64 * 2**20
"""Bytes of a raw file: far beyond the largest that is listed."""
SECONDS = 60


@dataclass(frozen=True, slots=True)
class FetchedSet:
    """What was fetched.

    Attributes
    ----------
    name, licence
        The set, and what its source says about its use.
    tables
        The files that were written.
    checksums
        SHA-256 of each raw file, by address.
    pinned
        Addresses whose checksum was not known before, and is from now on.
    """

    name: str
    licence: str
    tables: tuple[Path, ...]
    checksums: dict[str, str]
    pinned: tuple[str, ...]


def data_folder() -> Path:
    """Give the folder of fetched sets: ``equipoise`` in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "equipoise" / "data"


def fetch_data(name: str, folder: str | Path | None = None, *, mirror: str | None = None) -> FetchedSet:
    """Fetch a public data set by name, and write it as tables that the readers and ``reproduce_papers`` take.

    Parameters
    ----------
    name
        One of the sets that ``equipoise data fetch`` lists.
    folder
        Where tables go; by default a folder in the user's cache, in which ``equipoise reproduce`` looks.
    mirror
        The address of another server that holds the same repositories at the same paths.

    Fails when
        there is no such set, or it cannot be fetched; the server does not answer; or a file is not what it was before.
    """
    if name not in PUBLIC:
        near = did_you_mean(name, list(PUBLIC))
        there = ", ".join(each.name for each in PUBLIC.values() if each.convert)
        raise ParameterError(f'no public data set "{name}"{near}; there are: {there}')
    wanted = PUBLIC[name]
    if wanted.convert is None or wanted.files is None:
        raise ParameterError(
            f"{name} cannot be fetched: {wanted.reason} ({wanted.repository}); "
            f"put {' and '.join(wanted.makes)} into the folder that EQUIPOISE_DATA names"
        )
    target = data_folder() if folder is None else Path(folder)
    pins = _pins(target)
    texts, sums, new = {}, {}, []
    for path, known in wanted.files.items():
        body = _download(wanted, path, mirror)
        address = wanted.address(path)
        sums[address] = hashlib.sha256(body).hexdigest()
        expected = known or pins.get(address)
        if expected is None:
            new.append(address)
        elif expected != sums[address]:
            raise DataError(f"{address} has the SHA-256 {sums[address]} instead of {expected}: it was not used")
        texts[path] = body.decode("utf-8")
    tables = wanted.convert(texts)
    written = tuple(_write(target / file, text) for file, text in tables.items())
    _write(target / PINS, json.dumps(dict(sorted({**pins, **sums}.items())), indent=1) + "\n")
    return FetchedSet(name, wanted.licence, written, sums, tuple(new))


def _download(wanted: PublicSet, path: str, mirror: str | None) -> bytes:
    address = wanted.address(path, mirror)
    if not address.startswith(("http://", "https://")):
        raise ParameterError(f"{mirror} is no address of a server: it begins with http:// or https://")
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            body: bytes = answer.read(LARGEST + 1)
    except urllib.error.HTTPError as error:
        raise DataError(f"{address}: the server says {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        why = getattr(error, "reason", None) or error
        raise DataError(f"{address} could not be reached: {why}") from error
    if len(body) > LARGEST:
        raise DataError(f"{address} is larger than {LARGEST // 2**20} MB: it was not used")
    return body


def _pins(folder: Path) -> dict[str, str]:
    try:
        return dict(json.loads((folder / PINS).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise DataError(f"{folder / PINS} cannot be read: {error}; remove it to pin checksums anew") from error


def _write(path: Path, text: str) -> Path:
    """Write a file whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error
    return path
