"""What tests of several lessons write once more, in numpy, as the papers say it."""

import cmath

import numpy as np


def softmax(scores):
    """The weights that come of scores, each row by itself."""
    grown = np.exp(scores - scores.max(-1, keepdims=True))
    return grown / grown.sum(-1, keepdims=True)


def speeds(d_model):
    """The hands' speeds, in rad a token."""
    return np.array([10_000 ** (-2 * i / d_model) for i in range(d_model // 2)])


def table(d_model, positions):
    """The sinusoidal codes of some positions, sine and cosine in turn."""
    angles = np.multiply.outer(np.asarray(positions), speeds(d_model))
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(len(angles), -1)


def shift(d_model, k):
    """M_k from its definition: complex multiplication of cos + i sin, written out as a matrix on (sin, cos)."""
    matrix = np.zeros((d_model, d_model))
    for i, speed in enumerate(speeds(d_model)):
        turn = cmath.exp(1j * k * speed)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[turn.real, turn.imag], [-turn.imag, turn.real]]
    return matrix
