"""A Ray cluster as an executor."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

from equipoise.core.errors import MissingDependencyError

__all__ = ["RayExecutor"]

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class RayExecutor(Executor):
    """Hand work to a Ray cluster, wherever an executor is taken.

    Parameters
    ----------
    address
        Of a running cluster; ``"auto"`` for the one this machine belongs to. None uses the cluster that the program
        is connected to already, or starts Ray on this machine alone.
    retries
        How often work whose node was lost is given to another; -1 for as often as it takes.
    cores
        That each piece of work claims.

    Notes
    -----
    The nodes need Equipoise installed. Shutting the executor down leaves the cluster as it is.
    """

    def __init__(self, address: str | None = None, *, retries: int = 5, cores: float = 1.0) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingDependencyError(
                'Ray is needed to work on a cluster; run: pip install "equipoise[ray]"'
            ) from error
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False)
        self._call = ray.remote(max_retries=retries, num_cpus=cores)(_call)
        self._open = True

    def submit(
        self, fn: Callable[_Given, _Answer], /, *args: _Given.args, **kwargs: _Given.kwargs
    ) -> "Future[_Answer]":
        """Hand out one piece of work."""
        if not self._open:
            raise RuntimeError("cannot hand out work after shutdown")
        future: Future[_Answer] = self._call.remote(fn, args, kwargs).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Take no more work; what was handed out goes on."""
        self._open = False


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)
