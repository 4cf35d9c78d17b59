"""Records by groups, from whole columns of groups."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from dprules.tables.coded import JointBlock, JointCodes, JointSample


def joint_sample(columns: Sequence[Any], sizes: Sequence[int], labels: Any, parts: int = 1) -> JointSample:
    """One block, or the same records in several."""
    joint = JointCodes(sizes)
    edges = [len(labels) * place // parts for place in range(parts + 1)]
    blocks = [
        JointBlock(joint.encode(last - first, iter([column[first:last] for column in columns])), labels[first:last])
        for first, last in pairwise(edges)
    ]
    return JointSample(blocks, joint)
