"""Streams with a known margin, and how often a private learner errs on them, counted from outside."""

from bench import stream_examples as examples
from bench.stream_examples import ExampleStream
from dprules.learners.streams import DrawnIndices, PrivateLearner, Weights

FEATURES = 60
LENGTH = 6000
STREAMS = {
    "disjunction": examples.disjunction(FEATURES, 2, LENGTH),
    "list": examples.decision_list(FEATURES, 4, 2, LENGTH),
    "majority": examples.majority(FEATURES, 5, LENGTH),
    "points": examples.point_functions(FEATURES, LENGTH),
    "blocks": examples.equal_blocks(FEATURES, LENGTH, 50),
}


def count_mistakes(learner: PrivateLearner, stream: ExampleStream, seed: int = 0) -> int:
    """The learner itself tells nobody; the stream is made up."""
    wrong = 0
    for block, labels in stream.blocks(seed, 256):
        changes = [(0, learner.policy.weights)]

        def publish(release: DrawnIndices, changes: list[tuple[int, Weights]] = changes) -> None:
            changes.append((release.position + 1, learner.policy.weights))

        learner.learn(block, labels, publish)
        ends = [start for start, _ in changes[1:]] + [len(block)]
        for (start, weights), end in zip(changes, ends, strict=True):
            wrong += int((labels[start:end] * block.weigh(weights, start, end) <= 0).sum())
    return wrong
