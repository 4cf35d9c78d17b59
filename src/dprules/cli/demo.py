"""`dprules demo`: the main job end to end, with nothing but the install."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dprules.cli.options import require_writable
from dprules.errors import FileError

if TYPE_CHECKING:  # models take a while to load
    from dprules.models import Released

EPILOG = "Example: dprules demo --output demo"
ROWS = 24_000
STAYS = "stays.csv"
FILES = (STAYS, "schema.toml", "model.json", "report.html")


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")] = Path("dprules-demo"),
    epsilon: Annotated[float, typer.Option(help="Privacy budget.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of the made-up table (never of the noise).", min=0)] = 1,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files of others in that folder.")] = False,
) -> None:
    """Make a table of hospital stays, plan, learn a private list, compare, and write the model and a report."""
    import pyarrow.csv
    from rich.console import Console

    from dprules.files import write_whole
    from dprules.jobs import FitRequest, fit, plan_list
    from dprules.jobs.example import SCHEMA, hospital_stays
    from dprules.report import render

    plan = plan_list(len(SCHEMA.literals()), epsilon, 1e-6, rows=ROWS)
    _require_own_folder(output, force)
    output.mkdir(parents=True, exist_ok=True)
    require_writable(output / "model.json")
    console = Console()
    data = str(output / STAYS)
    pyarrow.csv.write_csv(hospital_stays(ROWS, seed), data)
    write_whole(output / "schema.toml", SCHEMA.to_toml())
    console.print(f"Made {ROWS:,} hospital stays; 8% of labels are wrong, so no list is right in more than 92%.\n")
    console.print(
        f"Plan: a draw at epsilon {epsilon:g} may have tilt {plan.tilt:.3f} (the paper: {plan.paper_tilt or 0:.3f}).\n"
    )
    with console.status("learning"):
        private = fit(FitRequest(data, SCHEMA, epsilon=epsilon))
        scores = _compare(data, epsilon, seed, private)
    typer.echo(private)
    _print_scores(scores)
    private.save(output / "model.json")
    write_whole(output / "report.html", render(private))
    console.print(f"Files: {', '.join(str(output / n) for n in FILES[2:])}")
    console.print(f"Next: dprules export {output / 'model.json'} --to sql --table stays")


def _require_own_folder(folder: Path, force: bool) -> None:
    """Refuse a folder with files of these names that no demo made: a demo writes its table first."""
    there = [name for name in FILES if (folder / name).exists()]
    if there and STAYS not in there and not force:
        raise FileError(f"{folder / there[0]} is there already. Name another folder, or give --force to overwrite it.")


def _compare(data: str, epsilon: float, seed: int, private: "Released") -> dict[str, float]:
    """Accuracy on new stays, beside the paper's settings and the best that the recipe finds without noise."""
    from dprules.errors import PrivacyError
    from dprules.jobs import FitRequest, ListSettings, fit, fit_yardstick, predict
    from dprules.jobs.example import SCHEMA, hospital_stays

    models = {f"private, epsilon {epsilon:g}": private.model}
    with suppress(PrivacyError):  # epsilon is beyond the paper's lemma
        paper = fit(FitRequest(data, SCHEMA, ListSettings(width=1, accounting="paper"), epsilon))
        models[f"private, the paper's settings, epsilon {epsilon:g}"] = paper.model
    models["the same recipe without privacy, best of 16 settings"] = fit_yardstick(FitRequest(data, SCHEMA))
    test = hospital_stays(8_000, seed + 1)
    truth = test["readmitted"].to_numpy(zero_copy_only=False)
    return {name: float((predict(model, test) == truth).mean()) for name, model in models.items()}


def _print_scores(scores: dict[str, float]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Accuracy on 8,000 new stays", title_justify="left")
    table.add_column("list")
    table.add_column("accuracy", justify="right")
    for name, score in scores.items():
        table.add_row(name, f"{score:.3f}")
    Console().print(table)
