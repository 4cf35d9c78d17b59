"""`dprules show` and `dprules verify`: print a model and its certificate, and check it."""

from typing import Annotated

import typer

from dprules.cli.exits import Exit
from dprules.cli.options import CHECKED, Json, ModelFile, Unverified, judge, warn_seeded
from dprules.errors import BANNER

SHOW_EPILOG = "Example: dprules show model.json"
NOT_BORNE_OUT = "NOT VERIFIED: the certificate holds, and the ledger does not bear it out."
VERIFY_EPILOG = "Example: dprules verify model.json"


def show(model: ModelFile, as_json: Json = False, unverified: Unverified = False) -> None:
    """Print a model and its privacy statement; one that does not verify is refused."""
    from dprules.models import Released

    released = Released.load(model, unverified=unverified)
    verdict = judge(released, unverified)
    if as_json:
        typer.echo(released.to_json(), nl=False)
        return
    typer.echo(f"{released}\n{verdict}")


def verify(
    model: ModelFile,
    ledger: Annotated[str | None, typer.Option(help="The ledger it was charged to: check that, too.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what is wrong as JSON.")] = False,
) -> None:
    """Price the releases of a model again and compare with its claim; say what is wrong.

    It checks that the file is consistent, not who wrote it: anybody can write a consistent file. The exit code is 8 if
    it does not verify, and 10 if it does and its noise was seeded: such a model is not private.
    """
    import json

    from dprules.jobs import verify as find_faults
    from dprules.models import Released

    faults = find_faults(model, ledger)
    released = Released.load(model, unverified=True)
    warn_seeded(released)
    private = released.certificate.private
    if as_json:
        typer.echo(json.dumps({"verified": not faults, "private": private, "faults": faults}, indent=2))
    elif faults:
        banner = BANNER if ledger is None or find_faults(model) else NOT_BORNE_OUT
        typer.echo("\n".join([banner, *(f"- {fault}" for fault in faults)]))
    elif private:
        typer.echo(str(released.certificate).splitlines()[0])
        typer.echo(CHECKED if ledger is None else f"{CHECKED} The ledger is whole, and was charged for it.")
    if faults:
        raise typer.Exit(Exit.UNVERIFIED)
    if not private:
        raise typer.Exit(Exit.NOT_PRIVATE)
