"""Views for programs: CSV, and the one JSON envelope that all commands share."""

import json
import math
from collections.abc import Mapping
from typing import Any

import equipoise
from equipoise.core.lazy import pl
from equipoise.core.results import jsonable
from equipoise.core.wording import PYTHON, Spelling
from equipoise.report.views.view import View

SCHEMA_VERSION = 1
"""Of the shape of all documents; it grows when a program that reads them would have to change."""
ENVELOPE = ("schema", "equipoise", "command", "parameters", "data", "tables", "units", "words", "diagnostics")
"""The keys of the envelope; no table and no single number has such a name."""


def envelope(
    view: View, *, command: str, parameters: Mapping[str, object], spelling: Spelling = PYTHON
) -> dict[str, Any]:
    """Give the document: what was asked of which data, the rows of each table under its name, then the rest."""
    body: dict[str, Any] = {
        "schema": {"name": f"equipoise/{command}", "version": SCHEMA_VERSION},
        "equipoise": equipoise.__version__,
        "command": command,
        "parameters": jsonable({name: _plain(value) for name, value in parameters.items()}),
        "data": None if view.data is None else jsonable(view.data()),
    }
    body |= {table.name: jsonable(list(table.rows)) for table in view.tables}
    rest = {**view.document, **(view.further() if view.further is not None else {})}
    body |= {key: value for key, value in jsonable(rest).items() if key not in body}
    return body | {
        "tables": {
            table.name: {"rows": len(table.rows), "units": _units_there(table.units, table.rows)}
            for table in view.tables
        },
        "units": {key: unit for key, unit in view.units.items() if view.document.get(key) is not None},
        "words": list(view.words),
        "diagnostics": [diagnostic.to_dict(spelling) for diagnostic in view.diagnostics],
    }


def to_json(view: View, *, command: str, parameters: Mapping[str, object], spelling: Spelling = PYTHON) -> str:
    """Give the envelope as strict JSON text."""
    body = envelope(view, command=command, parameters=parameters, spelling=spelling)
    return json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: object) -> object:
    """An infinite option is a word in JSON: null would mean that it was not given."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _units_there(units: Mapping[str, str], rows: Any) -> dict[str, str]:
    columns = rows[0].keys() if rows else ()
    return {name: unit for name, unit in units.items() if name in columns}


def to_csv(view: View) -> str:
    """Give the main table's rows as CSV; a cell that a spreadsheet would run as a formula is quoted as text."""
    rows = [{key: harmless_cell(value) for key, value in row.items()} for row in view.tables[0].rows]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    frame = frame.with_columns(
        pl.col(name).map_elements(lambda cell: json.dumps(cell.to_list()), pl.String) for name in nested
    )
    return frame.write_csv()


def harmless_cell(value: Any) -> Any:
    """Quote what a spreadsheet would run as a formula; what is no number is nothing."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
