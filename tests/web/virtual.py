"""An event loop in the time of a simulation: what is ready runs at once, what waits stands in the world's one heap."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from tests.arena.simulation.world import BrokenPromiseError, World


class VirtualLoop(asyncio.AbstractEventLoop):
    """As much of an event loop as an application behind ASGI uses.

    Attributes
    ----------
    dead
        Whether its process has died: nothing of it happens any more.
    """

    def __init__(self, world: World) -> None:
        self._world, self.dead = world, False
        self._ready: deque[asyncio.Handle] = deque()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._broken: BaseException | None = None

    def die(self) -> None:
        """End with whatever is under way."""
        self.dead = True
        self._ready.clear()
        self._tasks.clear()

    def drain(self) -> None:
        """Run what is ready, and what that makes ready."""
        asyncio._set_running_loop(self)
        try:
            while self._ready and not self.dead:
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            asyncio._set_running_loop(None)
        if self._broken is not None:
            raise self._broken

    def time(self) -> float:
        return self._world.now

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Any = None) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(self.time() + delay, callback, args, self, context)

        def due() -> None:
            self._ready.append(handle)
            self.drain()

        self._world.later(max(delay, 0.0), due)
        return handle

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> asyncio.TimerHandle:
        return self.call_later(when - self.time(), callback, *args, context=context)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """It is passed over when it is due."""

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Coroutine[Any, Any, Any], *, name: str | None = None, context: Any = None) -> Any:
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._broken = self._broken or task.exception()

    def run_in_executor(self, _executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        """Do it here and now: there are no threads in a simulation."""
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Break off where something was raised; that tasks of the dead are still waiting is as it should be."""
        if not self.dead and "exception" in context:
            raise BrokenPromiseError(f"in the event loop: {context}")
