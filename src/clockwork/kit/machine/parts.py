"""`attend`, `read` and `shift` of the reader's machine: what each gives, and what is probably wrong with it.

In the reader's browser, MicroPython runs this file; see plain.py.
"""

import math

from clockwork.kit.checks.plain import CheckFailed, close
from clockwork.kit.machine import plain

WORDS = {"tom": (0.1, -0.3), "bit": (0.6, 0.2), "a": (-0.4, -0.1), "dog": (0.2, -0.7)}
KNOWN = ("tom bit a dog", "a dog bit tom")  # the dog is hurt, tom is hurt
HANDS = 8  # of the code that `read` reads and `shift` moves
BASE = 10_000
READ = (4321, 7, 710, 1955, 9999, 15_000)  # positions whose codes `read` is given, rounded to one decimal
SHIFTS = (3, 1, 44, -5)
TIE = 1e-9  # two means that are no further apart differ by rounding alone


class Matrix:
    """Rows of numbers: as much of a tensor as `attend` needs, so that its source runs on either.

    Example:
        >>> x = Matrix([[1.0, 2.0], [3.0, 4.0]])
        >>> (x @ x.T / 2).tolist()
        [[2.5, 5.5], [5.5, 12.5]]
    """

    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    @property
    def shape(self) -> tuple:
        """The number of rows, and of numbers in each."""
        return len(self.rows), len(self.rows[0])

    @property
    def T(self) -> "Matrix":
        """The transpose."""
        height, width = self.shape
        return Matrix([[self.rows[i][j] for i in range(height)] for j in range(width)])

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]

    def __iter__(self):
        return iter(self.rows)

    def __matmul__(self, other):
        columns = (other if isinstance(other, Matrix) else Matrix(other)).T.rows
        if self.shape[1] != len(columns[0]):
            raise ValueError(f"shapes {self.shape} and {(len(columns[0]), len(columns))} do not fit")
        return Matrix([[sum(row[j] * column[j] for j in range(len(row))) for column in columns] for row in self.rows])

    def __add__(self, other):
        return self._each(other, lambda a, b: a + b)

    def __sub__(self, other):
        return self._each(other, lambda a, b: a - b)

    def __mul__(self, other):
        return self._each(other, lambda a, b: a * b)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        return self._each(other, lambda a, b: a / b)

    def _each(self, other, act):
        if isinstance(other, (int, float)):
            return Matrix([[act(a, other) for a in row] for row in self.rows])
        if len(other) != len(self) or len(other[0]) != len(self[0]):
            raise ValueError(f"shapes {self.shape} and {(len(other), len(other[0]))} do not fit")
        height, width = self.shape
        return Matrix([[act(self.rows[i][j], other[i][j]) for j in range(width)] for i in range(height)])

    def exp(self) -> "Matrix":
        """Return e to the power of each number."""
        return Matrix([[math.exp(a) for a in row] for row in self.rows])

    def softmax(self, dim: int = -1) -> "Matrix":
        """Return shares that sum to 1 in each row, or with `dim` 0 in each column."""
        if dim in (0, -2):
            return self.T.softmax().T
        rows = []
        for row in self.rows:
            powers = [math.exp(a - max(row)) for a in row]
            rows.append([power / sum(powers) for power in powers])
        return Matrix(rows)

    def tolist(self) -> list:
        """Return the rows as lists."""
        return [list(row) for row in self.rows]


def answer(name: str, function: "Callable", source: str) -> dict:
    """Return what the function gives, and in `advice` what is probably wrong with it, "" if nothing.

    Raises:
        CheckFailed: It gives nothing that can be used; the message says why.
    """
    check = {"attend": check_attend, "read": check_read, "shift": check_shift}[name]
    found = hurt(function) if name == "attend" else {}
    try:
        check(function)
        found["advice"] = ""
    except CheckFailed as wrong:
        if name != "attend":
            raise
        found["advice"] = str(wrong)
    found["source"] = source
    return found


# attend(x)


def orders(words: list) -> list:
    """Return all orders of some words."""
    if not words:
        return [[]]
    found = []
    for word in words:
        for rest in orders([one for one in words if one != word]):
            found.append([word])
            found[-1].extend(rest)
    return found


ORDERS = [" ".join(order) for order in orders(KNOWN[0].split())]


def rows_of(sentence: str, code: "Callable | None" = None) -> list:
    """Return x = embed(tokens) + code(p), a row for each word."""
    rows = []
    for p, word in enumerate(sentence.split()):
        row = list(WORDS[word])
        added = plain.numbers(plain.called(code, f"code({p})", p), f"code({p})") if code else []
        if len(added) > len(row):
            raise CheckFailed(f"a word has {len(row)} numbers here, so a code has at most {len(row)}, not {len(added)}")
        rows.append([row[j] + (added[j] if j < len(added) else 0.0) for j in range(len(row))])
    return rows


def outputs_of(attend: "Callable", rows: list) -> list:
    """Return the rows that `attend` makes of some rows, or say what it returns instead."""
    size = len(rows)
    case = f"attend(x) for {size} rows"
    found = plain.called(attend, case, Matrix(rows))
    if found is None:
        raise CheckFailed(f"{case} returned nothing: is there a return?")
    if hasattr(found, "tolist"):
        found = found.tolist()
    if not isinstance(found, (list, tuple)) or not found:
        raise CheckFailed(f"{case} must return rows, one for each word, got {repr(found)[:40]}")
    if not isinstance(found[0], (list, tuple)):
        raise CheckFailed(f"{case} must return {size} rows, one for each word; this is one row: do you average them?")
    given = [plain.numbers(row, f"a row of {case}") for row in found]
    if len(given) == size and len(given[0]) == size and size != len(rows[0]):
        raise CheckFailed(f"{case} returned {size} by {size} numbers, the weights: multiply them by the rows, @ x")
    if len(given) != size or any(len(row) != len(rows[0]) for row in given):
        raise CheckFailed(
            f"{case} must return {size} rows of {len(rows[0])} numbers, got {len(given)} of {len(given[0])}"
        )
    return given


def mean_of(rows: list) -> list:
    """Return the mean row."""
    return [sum(row[j] for row in rows) / len(rows) for j in range(len(rows[0]))]


def hurt(attend: "Callable", code: "Callable | None" = None) -> dict:
    """Return the mean of the outputs for each order of the four words, in the order of `ORDERS`, as `means`."""
    return {"means": [mean_of(outputs_of(attend, rows_of(sentence, code))) for sentence in ORDERS]}


def share_dog(means: list, sentence: str) -> float:
    """Return the share of *dog* in the answer to *who is hurt?*: the nearer the mean to that of the first sentence.

    The one who answers knows the means of the two sentences in `KNOWN`, and who is hurt there. Where these are one
    point, it is a coin.
    """
    mine, dog, tom = (means[ORDERS.index(one)] for one in (sentence, KNOWN[0], KNOWN[1]))
    if apart(dog, tom) < TIE:
        return 0.5
    return apart(mine, tom) / (apart(mine, dog) + apart(mine, tom))


def points(means: list) -> int:
    """Return at how many different points the means of all orders lie."""
    found = []
    for mean in means:
        if all(apart(mean, one) > 1e-6 for one in found):
            found.append(mean)
    return len(found)


def apart(here: list, there: list) -> float:
    """Return the distance of two points."""
    return math.sqrt(sum((here[j] - there[j]) ** 2 for j in range(len(here))))


def who_is_hurt(attend: str, code: str = "") -> dict:
    """Return what the texts of the reader's `attend` and `code` make of the four words, or why there is nothing."""
    try:
        written = plain.load("code", code) if code else None
        found = hurt(plain.load("attend", attend), written)
        if written:
            found["source"] = plain.alone("code", code)
            found["lit"] = plain.codes(written, "code({})", plain.takes(code, "code") > 1)
    except CheckFailed as wrong:
        return {"refused": str(wrong)}
    return found


def check_attend(attend: "Callable") -> str:
    """Check attention in its barest form: softmax(x xᵀ / √d) x."""
    texts = [
        rows_of(KNOWN[0]),
        [[2.0, 0.5, -1.0], [0.0, 1.5, 0.3], [-0.7, 0.2, 1.1], [0.4, -1.0, 0.9], [1.0, 1.0, 0.0]],
    ]
    found = [value for rows in texts for row in outputs_of(attend, rows) for value in row]

    def made(weigh: "Callable") -> list:
        """Return what `weigh`, from the products of rows and their width, would give for both texts."""
        values = []
        for rows in texts:
            x = Matrix(rows)
            values += [value for row in Matrix(weigh(x @ x.T, x.shape[1])) @ x for value in row]
        return values

    def normed(scores: "Matrix") -> list:
        return [[value / sum(row) for value in row] for row in scores]

    def masked(scores: "Matrix") -> list:
        return normed(
            Matrix([[math.exp(scores[i][j]) * (j <= i) for j in range(len(scores))] for i in range(len(scores))])
        )

    if close(found, made(lambda s, d: (s / math.sqrt(d)).softmax())):
        return "each word averages all words, by how much their numbers agree, and nothing in it knows a place"
    wrong = (
        (lambda s, d: s.softmax(), "the products are not divided by the root of the width, √d"),
        (lambda s, d: (s / d).softmax(), "you divide by d: the products are divided by its root, √d"),
        (lambda s, d: (s * math.sqrt(d)).softmax(), "you multiply by √d: the products are divided by it"),
        (
            lambda s, d: (s / math.sqrt(2)).softmax(),
            "you divide by √2 in each text: the root is that of the width of x",
        ),
        (
            lambda s, d: (s / math.sqrt(len(s))).softmax(),
            "you divide by the root of the number of words: take the width",
        ),
        (lambda s, d: s / math.sqrt(d), "these weights are the products themselves: a softmax makes shares of them"),
        (lambda s, d: (s / math.sqrt(d)).exp(), "the weights of a word must sum to 1: divide by their sum (softmax)"),
        (lambda s, d: normed(s / math.sqrt(d)), "a softmax takes e to the power of each product before it divides"),
        (
            lambda s, d: (s / math.sqrt(d)).softmax(0),
            "the shares sum to 1 in each column: take the softmax of each row",
        ),
        (lambda s, d: [[1 / len(s)] * len(s)] * len(s), "every word gets the same weight: compare the rows first"),
        (lambda s, d: masked(s / math.sqrt(d)), "a word sees only those before it: that is a mask, this needs none"),
        (
            lambda s, d: [[float(i == j) for j in range(len(s))] for i in range(len(s))],
            "the words come back as they were: each should be an average of all",
        ),
    )
    for weigh, told in wrong:
        if close(found, made(weigh), 1e-4):
            raise CheckFailed(told)
    right = made(lambda s, d: (s / math.sqrt(d)).softmax())
    at = next(i for i in range(len(found)) if abs(found[i] - right[i]) > 1e-6)
    raise CheckFailed(
        f"number {at % 2} of the output of {KNOWN[0].split()[at // 2]} should be {right[at]:.3f}, got {found[at]:.3f}"
        if at < 8
        else "in a text of five words of three numbers something differs: does it hold for any width?"
    )


# read(code)


def speeds(width: int = 2 * HANDS) -> list:
    """Return the speed of each hand, in radians per token, the fastest first."""
    return [BASE ** (-2 * i / width) for i in range(width // 2)]


def code_of(p: float, decimals: "int | None" = None) -> list:
    """Return the code of a position, the sine and the cosine of each hand."""
    row = [f(p * speed) for speed in speeds() for f in (math.sin, math.cos)]
    return row if decimals is None else [round(value, decimals) for value in row]


def reading(code: list, hands: "list | None" = None, of: "list | None" = None, angle_of=None, whole=round) -> float:
    """Return the position that a code says; by its arguments, what the usual mistakes make of it."""
    found = of or speeds()
    angle_of = angle_of or (lambda s, c: math.atan2(s, c) % (2 * math.pi))
    position = None
    for i in hands or range(HANDS - 1, -1, -1):
        angle = angle_of(code[2 * i], code[2 * i + 1])
        turns = 0 if position is None else max(0, whole((position * found[i] - angle) / (2 * math.pi)))
        position = (angle + 2 * math.pi * turns) / found[i]
    return position


def check_read(read: "Callable") -> str:
    """Check `read(code)`: the position that eight hands say, their numbers rounded to one decimal."""
    codes = [code_of(p, 1) for p in READ]
    found = []
    for i, p in enumerate(READ):
        case = f"read(the code of {p})"
        one = plain.numbers(plain.called(read, case, list(codes[i])), case)
        if len(one) != 1:
            raise CheckFailed(f"{case} must return one position, got {len(one)} numbers")
        found.append(one[0])
    pairs = [(one, READ[i]) for i, one in enumerate(found)]
    if all(abs(one - p) < 0.5 for one, p in pairs):
        return f"position {READ[0]} falls out of eight hands with one decimal each, and so do {len(READ) - 1} others"

    def near(other: "Callable") -> bool:
        try:
            return all(abs(one - other(codes[i])) <= 0.6 for i, one in enumerate(found))
        except (ValueError, ZeroDivisionError):
            return False

    def half(s: float, c: float) -> float:
        return math.atan(s / c) if c else math.pi / 2

    def signed(s: float, c: float) -> float:
        return math.atan2(s, c)

    wrong = (
        ({"hands": [HANDS - 1]}, "this is the slowest hand alone: begin with it, and let each faster one sharpen it"),
        ({"angle_of": signed}, "an angle below 0 is to be taken a full turn further: % (2 * pi)"),
        ({"hands": [0]}, "this is hand 0 alone, which does not say how many turns it has made"),
        (
            {"angle_of": lambda s, c: math.atan2(c, s) % (2 * math.pi)},
            "sine and cosine have changed places: it is atan2(sine, cosine)",
        ),
        ({"angle_of": half}, "the sine by the cosine knows half of the dial only: atan2(s, c) knows all of it"),
        (
            {"angle_of": lambda s, c: half(s, c) % (2 * math.pi)},
            "the sine by the cosine knows half of the dial only: atan2(s, c) knows all of it",
        ),
        ({"whole": math.floor}, "the number of turns is cut to a whole number: round it to the nearest"),
        ({"of": speeds()[::-1]}, "the speeds are in the wrong order: hand 0 is the fastest"),
        (
            {"of": [BASE ** (-i / 16) for i in range(HANDS)]},
            "the speeds are those of sixteen hands: hand i of eight turns by 10,000^(−i/8)",
        ),
        ({"of": [math.degrees(speed) for speed in speeds()]}, "the speeds are in degrees and the angles in radians"),
    )
    for other, told in wrong:
        if near(lambda code, made=other: reading(code, **made)):
            raise CheckFailed(told)
    one, p = next((one, p) for one, p in pairs if abs(one - p) >= 0.5)
    raise CheckFailed(f"the code of {p} should be read as {p}, got {one:.6g}".replace("got -", "got −"))


# shift(k)


def check_shift(shift: "Callable") -> str:
    """Check `shift(k)`: the one matrix that takes the code of each position to the code of k positions later."""
    size = 2 * HANDS
    found = []
    for k in SHIFTS:
        case = f"shift({k})"
        rows = plain.called(shift, case, k)
        if rows is None:
            raise CheckFailed(f"{case} returned nothing: is there a return?")
        if hasattr(rows, "tolist"):
            rows = rows.tolist()
        if not isinstance(rows, (list, tuple)) or not rows or not isinstance(rows[0], (list, tuple)):
            raise CheckFailed(f"{case} must return a matrix, a list of {size} rows, got {repr(rows)[:40]}")
        matrix = [plain.numbers(row, f"a row of {case}") for row in rows]
        if len(matrix) != size or any(len(row) != size for row in matrix):
            raise CheckFailed(
                f"{case} must be {size} by {size}, two rows and columns for each of {HANDS} hands, got {len(matrix)} "
                f"rows of {len(matrix[0])}"
            )
        found += [value for row in matrix for value in row]

    def made(block: "Callable", of: "list | None" = None, moved: "Callable" = float, half: bool = False) -> list:
        values = []
        for k in SHIFTS:
            matrix = [[0.0] * size for _ in range(size)]
            for i, speed in enumerate(of or speeds()):
                a, b = (i, i + HANDS) if half else (2 * i, 2 * i + 1)
                angle = moved(k) * speed
                matrix[a][a], matrix[a][b], matrix[b][a], matrix[b][b] = block(math.cos(angle), math.sin(angle))
            values += [value for row in matrix for value in row]
        return values

    def turn(c: float, s: float) -> tuple:
        return c, s, -s, c

    asked = made(turn)
    if close(found, asked):
        return f"one matrix for all positions: code(p + {SHIFTS[0]}) = shift({SHIFTS[0]}) · code(p), whatever p"
    wrong = (
        (made(lambda c, s: (c, -s, s, c)), "this steps back by k: the minus belongs into the second row of each block"),
        (made(lambda c, s: (c, s, s, c)), "both rows have a plus before the sine: the second needs a minus"),
        (made(lambda c, s: (c, -s, -s, c)), "both rows have a minus before the sine: the first needs a plus"),
        (made(lambda c, s: (s, c, c, -s)), "sine and cosine have changed places: shift(0) must change nothing"),
        (made(lambda c, s: (s, c, -c, s)), "sine and cosine have changed places: shift(0) must change nothing"),
        (made(turn, half=True), "all sines come before all cosines here: in this code they take turns, 2i and 2i + 1"),
        (made(turn, moved=lambda k: 1), "this is the matrix of one step, whatever k: the angle is k times the speed"),
        (made(turn, moved=lambda k: k * k), "the angle grows with the square of k: it is k times the speed"),
        (made(turn, moved=abs), "a step back is a step ahead here: the sign of k belongs into the sine"),
        (made(turn, [1.0] * HANDS), "all hands turn at one speed: hand i turns by 10,000^(−i/8) per token"),
        (made(turn, [math.radians(speed) for speed in speeds()]), "the angles are treated as degrees: take radians"),
        (made(turn, [1 / speed for speed in speeds()]), "the speeds grow from hand to hand: is a minus missing?"),
        (
            made(turn, [BASE ** (-i / 16) for i in range(HANDS)]),
            "the speeds are those of sixteen hands: hand i of eight turns by 10,000^(−i/8)",
        ),
        (made(lambda c, s: (c, 0.0, 0.0, c)), "the sines are missing: each hand's two numbers mix as it turns"),
        (made(lambda c, s: (1.0, 0.0, 0.0, 1.0)), "this matrix changes nothing"),
    )
    for other, told in wrong:
        if close(found, other, 1e-4):
            raise CheckFailed(told)
    at = next(i for i in range(len(found)) if abs(found[i] - asked[i]) > 1e-5)
    k, place = SHIFTS[at // size**2], at % size**2
    where = f"row {place // size}, column {place % size} of shift({k})"
    raise CheckFailed(f"{where} should be {asked[at]:.4f}, got {found[at]:.4f}".replace(" -", " −"))
