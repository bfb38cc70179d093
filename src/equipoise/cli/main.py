"""The ``equipoise`` command as a program: where errors become messages, and Ctrl-C ends it at once.

Little is imported here: the version is printed, and an interruption answered, before anything else has loaded.
"""

import gc
import os
import signal
import sys
from types import FrameType

import equipoise

INTERRUPTED = 130
"""The exit code of a program that was interrupted, as shells have it."""
SELDOM = 500_000
"""New objects after which Python looks for those that are not needed any more: more than a small command makes."""

OUR_FAULT = 70
"""The exit code of `gate` where the fault is ours: its 1 is a fail."""

READY = "20"
"""Binary logarithm of the clock cycles (0.4 ms) that threads of linear algebra wait for work before they sleep."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; give its exit code: 0 well, 2 the user's input, 130 interrupted."""
    if arguments is not None:
        return _answered(arguments)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _end_when_interrupted()
    # What is imported stays until the end: looking through it for what is not needed any more takes a tenth of a second
    # at the start, and more at the end.
    gc.set_threshold(SELDOM)
    # By itself OpenBLAS keeps its threads busy for 25 ms after it starts and after each product: on two cores that is a
    # fifth of what a small command takes. It reads this when NumPy loads it.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", READY)
    code = _answered(sys.argv[1:])
    gc.freeze()
    return code


def _answered(given: list[str]) -> int:
    try:
        if given == ["--version"]:
            print(f"equipoise {equipoise.__version__}", flush=True)
            return 0
        return _run(given)
    except KeyboardInterrupt:
        _say_interrupted()
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except SystemExit as ended:
        # Where typer or rich notice first that the reader has left, they end the program with 1.
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        return _reader_left()
    except OSError as error:
        # A full disk behind our output: what is still buffered must not be tried again on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _complain(f"cannot write the output: {error.strerror}")
    except Exception:
        if given[:1] not in (["gate"], ["eval-in-parts"]):
            raise
        import traceback

        traceback.print_exc()
        return OUR_FAULT


def _run(given: list[str]) -> int:
    import typer
    from typer.exceptions import TyperException

    from equipoise.cli.app import app
    from equipoise.cli.options.former import translated
    from equipoise.cli.options.invocation import CommandError

    given, former = translated(given)
    for line in former:
        print(f"equipoise: {line}", file=sys.stderr)

    try:
        code = app(given, standalone_mode=False)
        sys.stdout.flush()
    except CommandError as complaint:
        return _complain(str(complaint))
    except TyperException as error:
        # Typer's words for a value that is not among the choices start with those of its own validator.
        return _complain(error.format_message().replace(": Value error, ", ": "))
    except typer.Abort:  # what typer makes of Ctrl-C
        _say_interrupted()
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _end_when_interrupted() -> None:
    """From now on Ctrl-C ends the program at once, whatever is being imported or computed.

    An exception would be raised in the midst of an import or of somebody else's code, which may swallow it, wrap it or
    wait for its threads; and nothing here is worth being finished.
    """
    ours = os.getpid()

    def end(_signal: int, _frame: FrameType | None) -> None:
        if os.getpid() == ours:  # workers are interrupted too, and say nothing
            _say_interrupted()
        os._exit(INTERRUPTED)

    signal.signal(signal.SIGINT, end)


def _say_interrupted() -> None:
    """Say so in one line; on a terminal, in the place of a progress line, whose cursor is shown again."""
    clear = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""
    os.write(2, f"{clear}equipoise: interrupted\n".encode())


def _reader_left() -> int:
    """The reader of our output has left (`equipoise ... | head`): not an error, and nobody to say it to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    return 0


def _complain(message: str) -> int:
    from equipoise.core.errors import visible

    print(f"equipoise: {visible(' '.join(message.split()))}", file=sys.stderr)
    return 2
