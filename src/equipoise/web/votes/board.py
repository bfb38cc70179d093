"""Board stub."""
from typing import Any
def board_document(arena: Any, table: Any) -> dict[str, Any]:
    return {}
