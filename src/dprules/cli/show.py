"""`dprules show`: print a list and its certificate."""

import typer

from dprules.cli.files import Json, ModelFile

EPILOG = "Example: dprules show model.json"


def show(model: ModelFile, as_json: Json = False) -> None:
    """Print a list and its privacy statement, and check the statement again from the releases it lists."""
    from dprules.lists import Model

    loaded = Model.load(model)
    verified = loaded.verify()
    if as_json:
        typer.echo(loaded.to_json())
        return
    typer.echo(loaded)
    typer.echo(
        "Checked: the releases cost no more than that." if verified else "WARNING: the releases cost more than claimed."
    )
