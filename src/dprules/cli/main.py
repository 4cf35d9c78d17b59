"""The `dprules` command."""

import sys
from typing import Annotated

import typer

from dprules import __version__
from dprules.cli import audit, demo, evaluate, export, fit, plan, predict, schema, show, stream
from dprules.cli.exits import Exit
from dprules.errors import DataError, DprulesError, ModelError, PrivacyError, SchemaError

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
app.command(epilog=show.EPILOG)(show.show)
app.command(epilog=export.EPILOG)(export.export)
app.command(epilog=predict.EPILOG)(predict.predict)
app.command(epilog=evaluate.EPILOG)(evaluate.evaluate)
app.add_typer(stream.app, name="stream")
app.command(epilog=audit.EPILOG)(audit.audit)


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
    """Run a command; an error of ours becomes one sentence and a named exit code."""
    _refuse_core_dumps()
    try:
        app()
    except PrivacyError as error:
        _stop(str(error), Exit.PRIVACY)
    except (SchemaError, DataError, ModelError) as error:
        _stop(str(error), Exit.INPUT)
    except DprulesError as error:
        _stop(str(error), Exit.PARAMETER)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        _stop(f"cannot read or write{where}: {error.strerror}. Choose another place.", Exit.FILE)
    except SystemExit as stopped:
        if stopped.code == Exit.INTERRUPTED:
            _stop("interrupted; no result was written.", Exit.INTERRUPTED)
        raise


def _stop(sentence: str, code: Exit) -> None:
    typer.echo(f"dprules: {sentence}", err=True)
    sys.exit(code)


def _refuse_core_dumps() -> None:
    """A core file would hold private rows."""
    try:
        import resource
    except ImportError:  # no core files on this system
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
