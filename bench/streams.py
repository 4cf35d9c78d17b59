"""Mistakes on streams: the private Winnows beside DP-FTRL (private), and Winnow and the Perceptron (not private).

epsilon 1, replace neighbours, 200,000 rounds; segment has delta 0, the others 1e-6. Rates of the baselines are tuned
on a seed of their own, in hindsight.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean

import numpy as np

from bench.table import markdown
from dprules.accounting import stream as price
from dprules.online import Batched, Block, Guarded, PrivateLearner, Released, Segment, StreamSettings, Winnow, streams
from dprules.online.baselines import FollowTheLeader, Perceptron
from dprules.online.streams import Stream

HORIZON, EPSILON, DELTA = 200_000, 1.0, 1e-6
SEEDS = range(5)
TUNING = 1000
STREAMS: dict[str, tuple[Stream, str]] = {
    "3 of 1,000": (streams.disjunction(1000, 3, HORIZON), "1,300"),
    "3 of 100,000": (streams.disjunction(100_000, 3, HORIZON), "1,700"),
    "5 of 1,000": (streams.disjunction(1000, 5, HORIZON), "2,500"),
    "list, 5 rules, 2 alternations, of 1,000": (streams.decision_list(1000, 5, 2, HORIZON), "2,000"),
    "3 of 1,000, 10% noise": (streams.with_noise(streams.disjunction(1000, 3, HORIZON), 0.1), "1,500 + noise"),
}
Blocks = Iterator[tuple[Block, np.ndarray]]


def private_mistakes(learner: PrivateLearner, blocks: Blocks) -> np.ndarray:
    """Which rounds were mistakes: known here since the stream is made up, and never told by the learner."""
    wrong = []
    for block, labels in blocks:
        changes = [(0, learner.rule.weights)]

        def changed(release: Released, changes: list = changes) -> None:
            changes.append((release.position + 1, learner.rule.weights))

        learner.learn(block, labels, changed)
        ends = [start for start, _ in changes[1:]] + [len(block)]
        for (start, weights), end in zip(changes, ends, strict=True):
            wrong.append(labels[start:end] * block.says(weights, start, end) <= 0)
    return np.concatenate(wrong)


def plain_mistakes(learner: Winnow | FollowTheLeader, blocks: Blocks) -> int:
    for block, labels in blocks:
        learner.learn(block, labels)
    return learner.mistakes


def tuned(make: Callable[..., object], grid: list[dict[str, float]], run: Callable[[object, dict], int]) -> dict:
    return min(grid, key=lambda options: run(make(**options), options))


def leader(dimension: int, horizon: int, **options: float) -> FollowTheLeader:
    return FollowTheLeader(dimension, horizon, EPSILON, DELTA, **options)


def leader_grid(large: bool) -> list[dict[str, float]]:
    l2 = [{"link": "l2", "batch": b, "rate": r} for b in (1000,) for r in (1e-6, 1e-5, 1e-4)]
    entropic = [{"link": "entropic", "batch": 1000, "rate": r} for r in (3e-5, 1e-4, 2e-4, 3e-4, 6e-4)]
    return entropic[1:3] if large else l2 + entropic


def batched(dimension: int, threshold: int, draws: int, releases: int) -> PrivateLearner:
    above = (0.3, 0.3)
    rate = price.rate(EPSILON, DELTA, draws=draws, releases=releases, above=above)
    return PrivateLearner(
        Batched.start(dimension, threshold=threshold, draws=draws, releases=releases, rate=rate, above=above)
    )


BATCHED = [
    {"threshold": t, "draws": m, "releases": k}
    for t, m, k in ((200, 200, 60), (500, 20, 30), (500, 30, 60), (500, 200, 30), (1000, 300, 20), (1000, 100, 20))
]


def run() -> list[dict[str, object]]:
    results, curves = [], {}
    for name, (stream, wanted) in STREAMS.items():
        dimension, large = stream.features + 1, stream.features > 10_000
        few = SEEDS[:1] if large else SEEDS
        wrong = [private_mistakes(PrivateLearner(Segment.start(dimension, EPSILON)), stream.blocks(s)) for s in SEEDS]
        curves[name] = np.mean([np.cumsum(w) for w in wrong], axis=0)
        found = {"segment": [int(w.sum()) for w in wrong]}
        found["Winnow"] = [plain_mistakes(Winnow(dimension), stream.blocks(s)) for s in few]
        found["Perceptron"] = [plain_mistakes(Perceptron(dimension), stream.blocks(s)) for s in few]
        best = min(
            leader_grid(large),
            key=lambda o: plain_mistakes(leader(dimension, HORIZON, **o), stream.blocks(TUNING, o["batch"])),
        )
        found["DP-FTRL"] = [
            plain_mistakes(leader(dimension, HORIZON, seed=s, **best), stream.blocks(s, best["batch"])) for s in few
        ]
        chosen = min(
            BATCHED if not large else BATCHED[-1:],
            key=lambda o: private_mistakes(batched(dimension, **o), stream.blocks(TUNING)).sum(),
        )
        found["batched"] = [int(private_mistakes(batched(dimension, **chosen), stream.blocks(s)).sum()) for s in few]
        print(name, {k: round(mean(v)) for k, v in found.items()}, flush=True)
        results.append({"stream": name, "wanted": wanted, "mistakes": found, "leader": best, "batched": chosen})
    results.append(_bounds())
    _picture(curves)
    return results


def _bounds(features: int = 1000, horizon: int = 1_000_000) -> dict[str, object]:
    """The stream of equal blocks on which forgetting fails, and what theorems say of it."""
    stream = streams.equal_blocks(features, horizon, repeat=1000)
    settings = StreamSettings(EPSILON, DELTA, "guarded", horizon=horizon, margin=stream.margin)
    plan, rule = settings.plan(features + 1), settings.rule(features + 1)
    assert isinstance(rule, Guarded)
    learners = {"segment": rule.first, "batched": rule.second, "guarded": rule}
    found = {
        name: [int(private_mistakes(PrivateLearner(rule), stream.blocks(s)).sum()) for s in range(3)]
        for name, rule in learners.items()
    }
    print("equal blocks", found, flush=True)
    bounds = {"batched": plan.mistakes, "guarded": plan.guarded_mistakes, "the paper": plan.paper_mistakes}
    return {"stream": "equal blocks", "features": features, "rounds": horizon, "mistakes": found, "bounds": bounds}


def _picture(curves: dict[str, np.ndarray]) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "dprules"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for name, curve in curves.items():
        rounds = np.unique(np.logspace(1, np.log10(len(curve)), 200).astype(int))
        axes.loglog(rounds, np.maximum(curve[rounds - 1], 1), label=name)
    axes.loglog([10, HORIZON], [5, HORIZON / 2], color="grey", linestyle=":", label="guessing")
    axes.set(xlabel="rounds", ylabel="mistakes", title="SegmentWinnow at epsilon 1, delta 0")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(Path(__file__).parents[1] / "docs" / "online.svg", metadata={"Date": None})


def table(results: list[dict[str, object]]) -> str:
    order = ("segment", "batched", "DP-FTRL", "Winnow", "Perceptron")
    notes = ("segment (delta 0)", "batched, tuned", "DP-FTRL, tuned", "Winnow, no privacy", "Perceptron, no privacy")
    rows = []
    for r in results[:-1]:
        spread = f" ({min(r['mistakes']['segment']):,} to {max(r['mistakes']['segment']):,})"
        cells = [f"{mean(r['mistakes'][who]):,.0f}" + (spread if who == "segment" else "") for who in order]
        rows.append([r["stream"], *cells, r["wanted"]])
    last = results[-1]
    bounds = ", ".join(f"{who} {value:,.3g}" for who, value in last["bounds"].items())
    means = ", ".join(f"{who} {mean(values):,.0f}" for who, values in last["mistakes"].items())
    return (
        markdown(["mistakes", *notes, "wanted"], rows)
        + f"\n\nRuns of 1,000 equal examples, {last['features']:,} features, {last['rounds']:,} rounds, margin 1, "
        + f"3 seeds: {means}. Proved: {bounds}."
    )
