"""Whose results a file is, where only its name or the folders around it say so."""

import re
from pathlib import Path

WITHOUT_A_NAME = re.compile(
    r"(?:(?:eval|evaluation|test|final|all|agent|model|instance|per_instance|overall)[_-]?)?"
    r"(?:results?|reports?|outputs?|scores?|metrics|summary|evals?|evaluations?|logs?|runs?|traj|trajs|predictions)",
    re.IGNORECASE,
)
"""Names that say what is in a file or a folder, and not of whom it is."""
RUN = re.compile(r"(?:run|seed|trial|attempt|rep)[_-]?\d*", re.IGNORECASE)
"""Names of folders that number the runs of an agent."""
MOMENT = re.compile(r"\d{4}-?\d{2}-?\d{2}[T_\s-]*\d{2}[-:]?\d{2}[-:]?\d{2}[\d.Z]*")


def agent_of(path: Path) -> str:
    """Name an agent after a file, or after the nearest folder that has a name of its own.

    Names that are the same for everybody (``results.json``, ``eval_results.json``) and those that only number runs or
    say when they were (``run1_2025-08-10__05-27-18``) are passed over.

    >>> agent_of(Path("/x/20240825_agent/results/results.json")), agent_of(Path("/x/gpt-4.1.json"))
    ('20240825_agent', 'gpt-4.1')
    """
    whole = path.absolute()
    names = [whole.name.removesuffix(whole.suffix), *(folder.name for folder in whole.parents)]
    return next((name for name in names if name and not _says_nothing(name)), names[0])


def _says_nothing(name: str) -> bool:
    bare = MOMENT.sub("", name).strip("_- ")
    return not bare or bool(WITHOUT_A_NAME.fullmatch(bare)) or bool(RUN.fullmatch(bare))
