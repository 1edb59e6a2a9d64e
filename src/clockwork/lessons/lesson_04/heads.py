"""The kit's heads, for a notebook that imports them from this room."""

from clockwork.kit.heads import CodeScores, rescored, score_matrices, sharpest

__all__ = ["CodeScores", "rescored", "score_matrices", "sharpest"]
