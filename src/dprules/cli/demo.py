"""`dprules demo`: the main job end to end, with nothing but the install."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dprules.cli.options import require_writable
from dprules.errors import FileError

if TYPE_CHECKING:  # tables and models take a while to load
    import pyarrow

    from dprules.models import Released

EPILOG = "Example: dprules demo --output demo"
ROWS = 24_000
STAYS = "stays.csv"
MODELS = {"list": ("model.json", "report.html"), "scorecard": ("scorecard.json", "scorecard.html")}
"""The model and the report of each kind."""
SCHEMA_FILE = "schema.toml"
FILES = (STAYS, SCHEMA_FILE, *(name for names in MODELS.values() for name in names))
CHOICE = (
    "Take the list where people must follow each decision or where conditions only matter together, and the scorecard "
    "where rows are to be ranked or a probability is needed."
)


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")] = Path("dprules-demo"),
    epsilon: Annotated[float, typer.Option(help="Privacy budget.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of the made-up table (never of the noise).", min=0)] = 1,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files that no demo made.")] = False,
) -> None:
    """Make a table of hospital stays, plan, learn a private list and a scorecard, compare, and write both."""
    import pyarrow.csv
    from rich.console import Console

    from dprules.files import write_whole
    from dprules.jobs import FitRequest, choose_settings, fit, plan_list
    from dprules.jobs.example import SCHEMA, hospital_stays

    plan = plan_list(len(SCHEMA.literals()), epsilon, 1e-6, rows=ROWS)
    _require_own_folder(output, SCHEMA.to_toml(), force)
    output.mkdir(parents=True, exist_ok=True)
    require_writable(output / "model.json")
    console = Console()
    data = str(output / STAYS)
    write_whole(output / SCHEMA_FILE, SCHEMA.to_toml(), overwrite=True)
    pyarrow.csv.write_csv(hospital_stays(ROWS, seed), data)
    console.print(f"Made {ROWS:,} hospital stays; 8% of labels are wrong, so no list is right in more than 92%.\n")
    console.print(
        f"Plan: a draw at epsilon {epsilon:g} may have tilt {plan.tilt:.3f} (the paper: {plan.paper_tilt or 0:.3f}).\n"
    )
    with console.status("learning"):
        private = {kind: fit(FitRequest(data, SCHEMA, choose_settings(kind, {}, {}), epsilon)) for kind in MODELS}
        scores = _compare(data, epsilon, hospital_stays(8_000, seed + 1), private)
    for kind, released in private.items():
        typer.echo(f"--- {kind} ---\n{released}\n")
    _print_scores(scores)
    typer.echo(f"{CHOICE} On private rows fit one of them: every fit spends its own epsilon.")
    _write(private, output)
    console.print(f"Files: {', '.join(str(output / n) for n in FILES[2:])}")
    console.print(f"Next: dprules export {output / 'model.json'} --to sql --table stays")


def _write(private: Mapping[str, "Released"], folder: Path) -> None:
    from dprules.files import write_whole
    from dprules.report import render

    for kind, released in private.items():
        model, report = MODELS[kind]
        released.save(folder / model, overwrite=True)
        write_whole(folder / report, render(released, model), overwrite=True)


def _require_own_folder(folder: Path, schema: str, force: bool) -> None:
    """Refuse a folder with files of these names that no demo made: a demo writes its schema first."""
    existing = [folder / name for name in FILES if (folder / name).exists()]
    path = folder / SCHEMA_FILE
    is_ours = path.is_file() and path.read_bytes() == schema.encode()
    if existing and not is_ours and not force:
        raise FileError(f"{existing[0]} already exists. Choose another folder or pass --force.")


def _compare(
    data: str, epsilon: float, new: "pyarrow.Table", private: Mapping[str, "Released"]
) -> dict[str, tuple[float, float | None]]:
    """Accuracy and AUC on new stays, beside the paper's settings and the best list that is found without noise."""
    from dprules.errors import PrivacyError
    from dprules.jobs import FitRequest, ListSettings, evaluate, fit, fit_yardstick, predict
    from dprules.jobs.example import SCHEMA

    models = {f"private {kind}, epsilon {epsilon:g}": released for kind, released in private.items()}
    with suppress(PrivacyError):  # epsilon is beyond the paper's lemma
        paper = fit(FitRequest(data, SCHEMA, ListSettings(width=1, accounting="paper"), epsilon))
        models[f"private list, the paper's settings, epsilon {epsilon:g}"] = paper
    found = {name: evaluate(released, new, public=True) for name, released in models.items()}
    scores = {name: (one.accuracy.value or 0, one.auc.value) for name, one in found.items()}
    plain = fit_yardstick(FitRequest(data, SCHEMA))
    right = predict(plain, new) == new[SCHEMA.label.name].to_numpy(zero_copy_only=False)
    return scores | {"the list's recipe without privacy, best of 16 settings": (float(right.mean()), None)}


def _print_scores(scores: Mapping[str, tuple[float, float | None]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="On 8,000 new stays", title_justify="left")
    table.add_column("model")
    table.add_column("accuracy", justify="right")
    table.add_column("AUC", justify="right")
    for name, (accuracy, auc) in scores.items():
        table.add_row(name, f"{accuracy:.3f}", "" if auc is None else f"{auc:.3f}")
    Console().print(table)
