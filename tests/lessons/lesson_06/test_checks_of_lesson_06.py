"""Lesson 06's checks accept right answers and name the error in wrong ones; its solutions pass."""

import torch
from tests.lessons.exercise_claims import claims, stubs_and_solutions

from clockwork.lessons.lesson_06 import checks

WORDS = [2.5 * w for w in range(20)]
CODES = [50 * p for p in range(8)]


def read(z):
    position, word = divmod(round(z / 2.5), 20)
    return word, position


def one_number(words, codes=CODES, read=read):
    """The check with the answers of its other cells filled in."""

    def check(attempt):
        checks.one_number(attempt, codes, read)

    return check, words


def plain(sums, words, codes):
    return (sums @ words.T).argmax(-1)


def nearest(sums, words, codes):
    return (sums @ words.T - (words**2).sum(-1) / 2).argmax(-1)


def centred(sums, words, codes):
    return nearest(sums - codes.mean(0), words, codes)


def jointly(sums, words, codes):
    return pairs(sums, words, codes) // len(codes)


def looked_again(sums, words, codes):
    word = nearest(sums, words, codes)
    place = torch.cdist(sums - words[word], codes).argmin(-1)
    return nearest(sums - codes[place], words, codes)


def pairs(sums, words, codes):
    return torch.cdist(sums, (words[:, None] + codes).flatten(0, 1)).argmin(-1)


def cosine(sums, words, codes):
    return torch.nn.functional.cosine_similarity(sums[:, None], words, dim=-1).argmax(-1)


def inside(codes, rank=12):
    rows = torch.linalg.svd(codes, full_matrices=False).Vh[:rank]
    return rows.T @ rows


def two_in_one(codes, w_x, w_p, rank=12):
    part = inside(codes, rank)
    return w_x - part @ w_x + part @ w_p


def by_ridge(codes, w_x, w_p):
    """Another way: change w_x as little as possible, and serve the codes."""
    gram = codes.T @ codes
    return w_x + torch.linalg.solve(gram + 0.6 * torch.eye(512), gram @ (w_p - w_x))


def columns(codes, w_x, w_p):
    part = torch.linalg.svd(codes, full_matrices=False).Vh[:, :12]
    return w_x + part.T @ part @ (w_p - w_x)


def turned(codes, w_x, w_p):
    rows = torch.linalg.svd(codes, full_matrices=False).Vh[:12]
    return w_x + rows @ rows.T @ (w_p - w_x)


COARSE_WORDS = ([20 * w for w in range(20)], [2.5 * p for p in range(8)])
RIGHT = [
    one_number(WORDS),
    one_number(COARSE_WORDS[0], COARSE_WORDS[1], lambda z: divmod(round(z / 2.5), 8)),
    one_number(torch.tensor(WORDS), torch.tensor(CODES), read),
    (checks.reader, centred),
    (checks.reader, jointly),
    (checks.two_in_one, two_in_one),
    (checks.two_in_one, by_ridge),
]
WRONG = [
    (*one_number(list(range(20)), list(range(8))), "3 + 4 and 5 + 2 again"),
    (*one_number(list(range(20)), [20 * p for p in range(8)]), "sums only 1 apart"),
    (*one_number([2 * w for w in range(20)], [40 * p for p in range(8)]), "sums only 2 apart"),
    (*one_number([3 * w for w in range(20)], [60 * p for p in range(8)]), "between 0 and 400"),
    (*one_number([w - 1 for w in WORDS]), "between 0 and 400"),
    (*one_number(WORDS[:10]), "must have shape (20,)"),
    (*one_number(WORDS, CODES, lambda z: read(z)[::-1]), "the word comes first"),
    (*one_number(WORDS, CODES, lambda z: (z % 50 / 2.5, z // 50)), "disturbed by 0.5"),
    (*one_number(WORDS, CODES, lambda z: (0, 0)), "not even disturbed"),
    (*one_number(WORDS, CODES, lambda z: None), "is there a return"),
    (*one_number(WORDS, CODES, 3), "hand in the function itself"),
    (checks.reader, plain, "prefers long words"),
    (checks.reader, nearest, "what do all the codes have in common"),
    (checks.reader, lambda s, w, c: plain(s - c.mean(0), w, c), "the mean is gone"),
    (checks.reader, lambda s, w, c: jointly(s, w, c) * 0, "which word and position lie nearest"),
    (
        checks.reader,
        lambda s, w, c: pairs(s, w, c) % len(c),
        "these are the positions",
    ),
    (checks.reader, pairs, "which word is pair 300"),
    (checks.reader, looked_again, "wrong at first stays wrong"),
    (checks.reader, cosine, "a cosine ignores"),
    (checks.reader, lambda s, w, c: (s @ w.T - (w**2).sum(-1) / 2).argmin(-1), "the worst match"),
    (checks.reader, lambda s, w, c: s, "must have shape (500,)"),
    (checks.two_in_one, lambda c, x, p: x, "this is w_x"),
    (checks.two_in_one, lambda c, x, p: p, "this is w_p"),
    (checks.two_in_one, lambda c, x, p: x + p, "both get both maps"),
    (checks.two_in_one, lambda c, x, p: (x + p) / 2, "serves neither"),
    (checks.two_in_one, lambda c, x, p: x - inside(c) @ x, "the codes give 0"),
    (checks.two_in_one, lambda c, x, p: x + inside(c) @ p, "still at work"),
    (checks.two_in_one, lambda c, x, p: two_in_one(c, p, x), "the roles are exchanged"),
    (checks.two_in_one, lambda c, x, p: two_in_one(c, x, p, 32), "more directions than the codes need"),
    (checks.two_in_one, lambda c, x, p: two_in_one(c, x, p, 5), "5 of the codes' directions are too few"),
    (checks.two_in_one, lambda c, x, p: x + 0.5 * inside(c) @ (p - x), "not yet w_p"),
    (checks.two_in_one, lambda c, x, p: x + c.T @ c @ (p - x), "is no projection"),
    (checks.two_in_one, columns, "must be 512 by 512"),
    (checks.two_in_one, turned, "must be 512 by 512"),
    (checks.two_in_one, lambda c, x, p: x @ inside(c), "vectors are rows here"),
    (checks.two_in_one, lambda c, x, p: x.T, "are rows and columns exchanged"),
    (checks.two_in_one, lambda c, x, p: 2 * x, "use w_p in the directions of the codes"),
]
BLANK = [one_number(None), one_number(WORDS, ...), one_number(WORDS, CODES, ...)]

test_a_blank_is_greeted, test_a_right_answer_passes, test_a_wrong_answer_is_diagnosed = claims(RIGHT, WRONG, BLANK)
test_the_stubs_are_greeted_and_the_folded_solutions_pass = stubs_and_solutions(
    "06_adding_without_losing", torch=torch, checks=checks
)
