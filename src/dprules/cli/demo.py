"""`dprules demo`: the main job end to end, with nothing but the install."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from dprules.cli.files import require_writable

if TYPE_CHECKING:
    from dprules.data.table import Table as Opened
    from dprules.lists import RuleList

EPILOG = "Example: dprules demo --output demo"
ROWS = 24_000


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")] = Path("dprules-demo"),
    epsilon: Annotated[float, typer.Option(help="Privacy budget.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of the made-up table (never of the noise).")] = 1,
) -> None:
    """Make a table of hospital stays, plan, learn a private list, compare, and write model, certificate and report."""
    import pyarrow.csv

    from dprules.data.example import SCHEMA, hospital_stays
    from dprules.data.table import open_table
    from dprules.lists import Settings, evaluate, learn_list
    from dprules.lists.model import write_whole
    from dprules.planning import plan_list
    from dprules.report.html import render

    output.mkdir(parents=True, exist_ok=True)
    require_writable(output / "model.json")
    console = Console()
    train, test = hospital_stays(ROWS, seed), hospital_stays(8_000, seed + 1)
    pyarrow.csv.write_csv(train, output / "stays.csv")
    write_whole(output / "schema.toml", SCHEMA.to_toml())
    console.print(f"Made {ROWS:,} hospital stays; 8% of labels are wrong, so no list is right in more than 92%.\n")
    plan = plan_list(len(SCHEMA.literals()), epsilon, 1e-6, rows=ROWS)
    console.print(
        f"Plan: a draw at epsilon {epsilon:g} may have tilt {plan.tilt:.3f} (the paper: {plan.paper_tilt or 0:.3f}).\n"
    )
    with console.status("learning"), open_table(str(output / "stays.csv")) as table, open_table(test) as held_out:
        private = learn_list(table, SCHEMA, Settings(epsilon=epsilon, shares={"counts": 0.05}))
        paper = learn_list(table, SCHEMA, Settings(epsilon=epsilon, width=1, paper=True))
        plain = _without_privacy(table, rules=12)
        scores = [evaluate(m, held_out, "readmitted", None).accuracy for m in (private.rules, paper.rules, plain)]
    console.print(str(private), highlight=False, soft_wrap=True)
    console.print(_comparison(scores, epsilon))
    private.save(output / "model.json")
    write_whole(output / "certificate.json", private.certificate.to_json() + "\n")
    write_whole(output / "report.html", render(private))
    console.print(f"Files: {', '.join(str(output / n) for n in ('model.json', 'certificate.json', 'report.html'))}")
    console.print(f"Next: dprules export {output / 'model.json'} --to sql --table stays")


def _without_privacy(table: "Opened", rules: int) -> "RuleList":
    from dprules.data.encode import encode
    from dprules.data.example import SCHEMA
    from dprules.data.features import conjunctions
    from dprules.lists.fit import named
    from dprules.lists.greedy_cover import greedy_without_privacy
    from dprules.lists.recipe import short_list

    literals = SCHEMA.literals()
    codes = table.sample_codes(SCHEMA.columns, SCHEMA.label)
    sample = encode(codes, SCHEMA.columns, literals, 2)
    features = conjunctions(literals, 2)
    rewards = short_list(rules, 0.15).rewards
    return named(greedy_without_privacy(sample, features, rewards), features, literals, SCHEMA.label.classes)


def _comparison(scores: list[float], epsilon: float) -> Table:
    table = Table(title="Accuracy on 8,000 new stays", title_justify="left")
    table.add_column("list")
    table.add_column("accuracy", justify="right")
    names = (f"private, epsilon {epsilon:g}", f"private, the paper's settings, epsilon {epsilon:g}", "without privacy")
    for name, score in zip(names, scores, strict=True):
        table.add_row(name, f"{score:.3f}")
    return table
