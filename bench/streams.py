"""Mistakes on streams: the private Winnows beside DP-FTRL (private), and Winnow and the Perceptron (not private).

epsilon 1, replace neighbours, 200,000 rounds; segment has delta 0, the others 1e-6. Rates of the baselines are tuned
on a seed of their own, in hindsight.
"""

from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from bench import stream_examples as examples
from bench.stream_baselines import FollowTheLeader, Perceptron
from bench.stream_examples import ExampleStream
from bench.table import markdown
from dprules.accounting import stream as price
from dprules.learners.streams import (
    BatchedPolicy,
    Block,
    DrawnIndices,
    PrivateLearner,
    SegmentPolicy,
    StreamSettings,
    Winnow,
)

HORIZON, EPSILON, DELTA = 200_000, 1.0, 1e-6
SEEDS = range(5)
TUNING = 1000
STREAMS: dict[str, ExampleStream] = {
    "3 of 1,000": examples.disjunction(1000, 3, HORIZON),
    "3 of 100,000": examples.disjunction(100_000, 3, HORIZON),
    "5 of 1,000": examples.disjunction(1000, 5, HORIZON),
    "list, 5 rules, 2 alternations, of 1,000": examples.decision_list(1000, 5, 2, HORIZON),
    "3 of 1,000, 10% noise": examples.with_noise(examples.disjunction(1000, 3, HORIZON), 0.1),
}
Blocks = Iterator[tuple[Block, np.ndarray]]


def private_mistakes(learner: PrivateLearner, blocks: Blocks) -> np.ndarray:
    """Which rounds were mistakes: known here since the stream is made up, and never told by the learner."""
    wrong = []
    for block, labels in blocks:
        changes = [(0, learner.policy.weights)]

        def changed(release: DrawnIndices, changes: list = changes) -> None:
            changes.append((release.position + 1, learner.policy.weights))

        learner.learn(block, labels, changed)
        ends = [start for start, _ in changes[1:]] + [len(block)]
        for (start, weights), end in zip(changes, ends, strict=True):
            wrong.append((block.weigh(weights, start, end) > 0) != (labels[start:end] > 0))
    return np.concatenate(wrong)


def plain_curve(learner: Winnow | FollowTheLeader, blocks: Blocks) -> list[tuple[int, int]]:
    """Rounds and mistakes after each block."""
    rounds, curve = 0, []
    for block, labels in blocks:
        learner.learn(block, labels)
        rounds += len(block)
        curve.append((rounds, learner.mistakes))
    return curve


def plain_mistakes(learner: Winnow | FollowTheLeader, blocks: Blocks) -> int:
    return plain_curve(learner, blocks)[-1][1]


def leader(dimension: int, horizon: int, **options: Any) -> FollowTheLeader:
    return FollowTheLeader(dimension, horizon, EPSILON, DELTA, **options)


def leader_grid(large: bool) -> list[dict[str, Any]]:
    l2 = [{"link": "l2", "batch": b, "rate": r} for b in (1000,) for r in (1e-6, 1e-5, 1e-4)]
    entropic = [{"link": "entropic", "batch": 1000, "rate": r} for r in (3e-5, 1e-4, 2e-4, 3e-4, 6e-4)]
    return entropic[1:3] if large else l2 + entropic


def batched(dimension: int, threshold: int, draws: int, releases: int) -> PrivateLearner:
    above = (0.3, 0.3)
    rate = price.rate(EPSILON, DELTA, draws=draws, releases=releases, above=above)
    return PrivateLearner(
        BatchedPolicy.start(dimension, threshold=threshold, draws=draws, releases=releases, rate=rate, above=above)
    )


BATCHED = [
    {"threshold": t, "draws": m, "releases": k}
    for t, m, k in ((200, 200, 60), (500, 20, 30), (500, 30, 60), (500, 200, 30), (1000, 300, 20), (1000, 100, 20))
]


def run() -> list[dict[str, Any]]:
    results, curves = [], {}
    for name, stream in STREAMS.items():
        dimension, large = stream.features + 1, stream.features > 10_000
        few = SEEDS[:1] if large else SEEDS
        wrong = [
            private_mistakes(PrivateLearner(SegmentPolicy.start(dimension, EPSILON)), stream.blocks(s)) for s in SEEDS
        ]
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
        results.append({"stream": name, "mistakes": found, "leader": best, "batched": chosen})
    results += _bounds()
    _picture(curves, STREAMS["3 of 1,000"])
    return results


def _bounds() -> list[dict[str, Any]]:
    """Learners with a theorem, at its parameters, on streams of known margin; on the last one forgetting fails."""
    known = {name: stream for name, stream in STREAMS.items() if stream.margin and stream.features == 1000}
    known["runs of 1,000 equal examples, of 1,000"] = examples.equal_blocks(1000, 1_000_000, repeat=1000)
    results = []
    for name, stream in known.items():
        settings = StreamSettings(EPSILON, DELTA, "guarded", horizon=stream.length, margin=stream.margin)
        plan = settings.plan(1001)
        policy: Any = settings.policy(1001)
        found = {
            who: [int(private_mistakes(PrivateLearner(one), stream.blocks(s)).sum()) for s in range(3)]
            for who, one in {"segment": policy.first, "batched": policy.second, "guarded": policy}.items()
        }
        print(name, found, flush=True)
        bounds = {"batched": plan.mistakes, "guarded": plan.guarded_mistakes, "paper": plan.paper_mistakes}
        results.append(
            {"bounds of": name, "rounds": stream.length, "margin": stream.margin, "mistakes": found, "bounds": bounds}
        )
    return results


def _picture(curves: dict[str, np.ndarray], stream: ExampleStream) -> None:
    """Left: the default on every stream. Right: all learners on one of them."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "dprules"
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4), sharey=True)
    for name, curve in curves.items():
        _line(left, np.arange(1, len(curve) + 1), curve, name)
    dimension = stream.features + 1
    others: dict[str, Any] = {
        "Winnow, no privacy": Winnow(dimension),
        "Perceptron, no privacy": Perceptron(dimension),
        "DP-FTRL, tuned": leader(dimension, HORIZON, link="entropic", batch=1000, rate=3e-4),
    }
    _line(right, np.arange(1, HORIZON + 1), curves["3 of 1,000"], "segment, epsilon 1")
    for name, learner in others.items():
        rounds, mistakes = np.array(plain_curve(learner, stream.blocks(0, 1000)), dtype=np.int64).T
        _line(right, rounds, mistakes, name)
    left.set(xlabel="rounds", ylabel="mistakes", title="SegmentWinnow, epsilon 1, delta 0")
    right.set(xlabel="rounds", title="3 relevant of 1,000 features")
    for axes in (left, right):
        axes.loglog([10, HORIZON], [5, HORIZON / 2], color="grey", linestyle=":", label="guessing")
        axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(Path(__file__).parents[1] / "docs" / "online.svg", metadata={"Date": None})


def _line(axes: Any, rounds: np.ndarray, mistakes: np.ndarray, label: str) -> None:
    shown = np.unique(np.logspace(0, np.log10(len(rounds)), 150).astype(int)) - 1
    axes.loglog(rounds[shown], np.maximum(mistakes[shown], 1), label=label)


def table(results: list[dict[str, Any]]) -> str:
    order = ("segment", "batched", "DP-FTRL", "Winnow", "Perceptron")
    notes = ("segment (delta 0)", "batched, tuned", "DP-FTRL, tuned", "Winnow, no privacy", "Perceptron, no privacy")
    rows = []
    for r in results:
        if "stream" in r:
            spread = f" ({min(r['mistakes']['segment']):,} to {max(r['mistakes']['segment']):,})"
            cells = [f"{mean(r['mistakes'][who]):,.0f}" + (spread if who == "segment" else "") for who in order]
            rows.append([r["stream"], *cells])
    proved = [
        [
            f"{r['bounds of']} ({r['rounds']:,} rounds, margin {r['margin']:.2f})",
            *(f"{mean(r['mistakes'][who]):,.0f}" for who in ("segment", "batched", "guarded")),
            *(f"{r['bounds'][who]:,.3g}" for who in ("batched", "guarded", "paper")),
        ]
        for r in results
        if "bounds" in r
    ]
    header = [
        "at the parameters of the theorems",
        "segment",
        "batched",
        "guarded",
        "proved: batched",
        "guarded",
        "the paper",
    ]
    return markdown(["mistakes", *notes], rows) + "\n\n" + markdown(header, proved)
