"""The `dprules` command."""

import errno
import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer

from dprules import __version__
from dprules.cli import audit, demo, evaluate, export, fit, ledger, plan, predict, report, schema, serve, show, stream
from dprules.cli.exits import NOTHING_LEFT, WORDS, Exit, StoppedError, choose_exit
from dprules.errors import (
    DataError,
    DprulesError,
    FileError,
    ModelError,
    PrivacyError,
    ResourceError,
    SchemaError,
    UnverifiedError,
    name_place,
)
from dprules.signals import ENDINGS, note_ending
from dprules.temporary import remove_left_folders

app = typer.Typer(
    help="Learn readable rules from sensitive records under differential privacy.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=demo.EPILOG)(demo.demo)
app.add_typer(schema.app, name="schema")
app.add_typer(plan.app, name="plan")
app.command(epilog=fit.EPILOG)(fit.fit)
app.command(epilog=show.SHOW_EPILOG)(show.show)
app.command(epilog=show.VERIFY_EPILOG)(show.verify)
app.command(epilog=export.EPILOG)(export.export)
app.command(epilog=predict.EPILOG)(predict.predict)
app.command(epilog=evaluate.EPILOG)(evaluate.evaluate)
app.command(epilog=report.EPILOG)(report.report)
app.command(epilog=serve.EPILOG)(serve.serve)
stream.app.command("serve", epilog=serve.STREAM_EPILOG)(serve.stream_serve)
app.add_typer(stream.app, name="stream")
app.add_typer(ledger.app, name="ledger")
app.command(epilog=audit.EPILOG)(audit.audit)

_CODES: tuple[tuple[type[DprulesError], Exit], ...] = (
    (PrivacyError, Exit.PRIVACY),
    (UnverifiedError, Exit.UNVERIFIED),
    (ResourceError, Exit.RESOURCE),
    (FileError, Exit.FILE),
    (SchemaError, Exit.INPUT),
    (DataError, Exit.INPUT),
    (ModelError, Exit.INPUT),
    (DprulesError, Exit.PARAMETER),
)
"""The first that fits."""
SOON = 0.001
"""Seconds after which a signal is looked at again that came while a library in C was loading."""


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dprules {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run a command; an error becomes one sentence and a named exit code, never a traceback with cells in it."""
    _refuse_core_dumps()
    _print_anything()
    sys.unraisablehook = _pass_over_endings
    remove_left_folders()
    command = typer.main.get_command(app)
    _hide_types_of_flags(command)
    try:
        _handle_signals(_end)
        command()
    except DprulesError as error:
        _stop(_with_notes(str(error), error), next(code for kind, code in _CODES if isinstance(error, kind)))
    except OSError as error:
        sentence, code = _say_what_failed(error)
        _stop(_with_notes(sentence, error), code)
    except MemoryError as error:
        sentence = "there is not enough memory. Use fewer columns, or a larger machine."
        _stop(_with_notes(sentence, error), Exit.RESOURCE)
    except ImportError as error:  # a broken install, or no memory for a shared library
        _stop(f"{error.name or 'a library'} cannot be loaded. Install it again, or free some memory.", Exit.RESOURCE)
    except StoppedError as stopped:
        _say_end(str(stopped))
    except SystemExit as stopped:
        if _ended or stopped.code == Exit.INTERRUPTED:
            _say_end(NOTHING_LEFT)
        raise
    except KeyboardInterrupt:  # outside of what typer guards
        _say_end(NOTHING_LEFT)
    except Exception as error:
        if os.environ.get("DPRULES_TRACEBACK"):
            raise
        # The message might quote cells: only where it happened is said.
        sentence = (
            f"internal error ({name_place(error)}). No result was written. Please report it; with "
            "DPRULES_TRACEBACK=1 the whole traceback is shown, which may hold private values."
        )
        _stop(_with_notes(sentence, error), Exit.INTERNAL)
    finally:  # the command is done and its exit code stands: a signal must not fall into Python's own end
        _handle_signals(signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _with_notes(sentence: str, error: BaseException) -> str:
    """Return a sentence and what was noted on its error: which charge of a ledger stands."""
    return " ".join([sentence, *getattr(error, "__notes__", [])])


def _handle_signals(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    """Set a handler of the signals that end a command, but for those that are ignored (nohup)."""
    for ending in ENDINGS:
        if signal.getsignal(ending) != signal.SIG_IGN:
            signal.signal(ending, handler)


def _say_what_failed(error: OSError) -> tuple[str, Exit]:
    """Return a sentence and an exit code for an error of the operating system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "there is no room left on the disk. Make room, or choose another place.", Exit.RESOURCE
    if error.errno == errno.ENOMEM:
        return "there is not enough memory. Use fewer columns, or a larger machine.", Exit.RESOURCE
    where = f" {error.filename}" if isinstance(error.filename, str) else ""
    if error.errno == errno.ENOENT and where:
        return f"{where[1:]}: no such file. Check the name.", Exit.FILE
    if error.errno == errno.EISDIR and where:
        return f"{where[1:]} is a folder. Name a file in it.", Exit.FILE
    why = error.strerror or "the operating system refuses"
    return f"cannot read or write{where}: {why}. Check its permissions, or name another file.", Exit.FILE


def _hide_types_of_flags(command: Any) -> None:
    """Show `--force`, not `--force <bool>`, in the help of a command and of those below it."""
    command.get_params = partial(_list_parameters, command.get_params)
    for below in getattr(command, "commands", {}).values():
        _hide_types_of_flags(below)


def _list_parameters(list_all: Callable[[Any], list[Any]], context: Any) -> list[Any]:
    """Return the parameters of a command, `--help` included, flags without a type."""
    parameters = list_all(context)
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


def _stop(sentence: str, code: Exit) -> NoReturn:
    """Say one line, whatever names it quotes, and end."""
    if _ended and code not in _ended:  # an engine took the signal for an error of its own
        _say_end(NOTHING_LEFT)
    line = "".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in sentence)
    with suppress(OSError):  # the terminal is closed
        typer.echo(f"dprules: {line}", err=True)
    sys.exit(code)


def _say_end(what: str) -> NoReturn:
    """Say how a signal has ended the command, and what is left, if there is something to say."""
    code = _ended[0] if _ended else Exit.INTERRUPTED
    # Python kills itself by SIGINT at its end, whatever the code, if text in `exec` was interrupted (a dataclass in the
    # making); running another text takes that back.
    exec("")
    if not what:
        sys.exit(code)
    _stop(f"{WORDS[code]}; {what}", code)


_ended: list[Exit] = []
"""How a signal has ended the command, if one has."""


def _end(number: int, frame: FrameType | None) -> None:
    """End like Ctrl-C does, so that private files are removed; no second signal can stop that.

    A library in C that is loading is waited for: its own imports may print an exception, or drop it.
    """
    if _is_loading_extension(frame):
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(number))
        signal.setitimer(signal.ITIMER_REAL, SOON)
        return
    _handle_signals(signal.SIG_IGN)
    note_ending(number)
    _ended.append(choose_exit(number))
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(Exit.TERMINATED)


def _is_loading_extension(frame: FrameType | None) -> bool:
    """Whether a command that was interrupted here is loading a module in C."""
    while frame is not None and frame.f_code is not main.__code__:
        if frame.f_code.co_qualname.startswith("ExtensionFileLoader."):
            return True
        frame = frame.f_back
    return False


def _pass_over_endings(failed: Any) -> None:
    """Say nothing of a signal that fell into a finaliser, where nothing can be raised: the next step notices it."""
    if not _ended:
        sys.__unraisablehook__(failed)


def _print_anything() -> None:
    """Write what a terminal's encoding does not have as an escape: a name must not stop a command."""
    for file in (sys.stdout, sys.stderr):
        if isinstance(file, io.TextIOWrapper):
            file.reconfigure(errors="backslashreplace")


def _refuse_core_dumps() -> None:
    """A core file would hold private rows."""
    try:
        import resource
    except ImportError:  # no core files on this system
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
