"""What lesson 06 says in its sentences, computed once more by other means."""

import itertools
import math

import nbformat
import numpy as np
import pytest
import torch
from tests.lessons.printed import numbers_of
from tools import lessons

from clockwork.kit import attention, tasks, training
from clockwork.lessons.lesson_06 import adding
from clockwork.lessons.lesson_06 import figures as sums

PAGES = lessons.whole(lessons.NOTEBOOKS / "06_adding_without_losing.ipynb")
CELLS = [cell for page in PAGES for cell in nbformat.read(page, as_version=4).cells]
PRINTED = "\n".join(output.get("text", "") for cell in CELLS for output in cell.get("outputs", []))
ALTS = [output["data"]["text/plain"] for cell in CELLS for output in cell.get("outputs", []) if "data" in output]
numbers = numbers_of(PRINTED)
POSITIONS = 128


def codes_of(d_model, positions=POSITIONS, fastest=1.0, base=10_000):
    """The sinusoid, from its formula; of a single number the first sine."""
    pairs = max(d_model // 2, 1)
    angles = np.multiply.outer(np.arange(positions), fastest * base ** (-np.arange(pairs) / pairs))
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(positions, -1)[:, :d_model]


def drawn_words(d_model, count=1000, seed=0):
    """The words of the page, or as many of the same kind."""
    return torch.randn(count, d_model, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).numpy()


def picked_pairs():
    return torch.randint(128_000, (100,), generator=torch.Generator().manual_seed(1)).numpy()


def rounded(x):
    """Numbers with eight binary digits, rounded to the nearest: bfloat16."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.round(mantissa * 256) / 256, exponent)


def all_sums(d_model):
    return (drawn_words(d_model)[:, None] + codes_of(d_model)).reshape(-1, d_model)


def next_pair(sums, lengths, pair):
    """The number of the nearest other pair, and its distance; `lengths` are the squared lengths of the sums."""
    near = np.argpartition(lengths - 2 * sums @ sums[pair], 8)[:8]  # less the length of one, the same for all
    away = dict(zip(near.tolist(), ((sums[near] - sums[pair]) ** 2).sum(1), strict=True))
    assert away.pop(int(pair)) == 0
    other = min(away, key=away.get)
    return other, math.sqrt(away[other])


def test_one_number_is_enough_for_a_name_because_no_two_of_128_000_sums_are_equal():
    words, codes = drawn_words(1), codes_of(1)
    exact = np.sort((words + codes.T).ravel())
    assert len(exact) == 128_000 and np.diff(exact).min() > 0
    assert numbers("d_model  1: ")[0] == 100


@pytest.mark.parametrize(("step", "different"), [(1, 1127), (math.sqrt(2), 128_000)])
def test_what_forgets_its_parts_is_a_sum_of_two_lists_on_one_grid(step, different):
    sums = np.sort(np.add.outer(np.arange(1000), step * np.arange(128)).ravel())
    assert (np.diff(sums) > 1e-6).sum() + 1 == different


@pytest.mark.slow
@pytest.mark.parametrize("d_model", [1, 2, 4])
def test_width_buys_margin(d_model):
    sums = all_sums(d_model)
    right, asked, after_rounding, gap = numbers(rf"d_model {d_model:2}: ")
    lengths = (sums**2).sum(1)
    gaps = sorted(next_pair(sums, lengths, pair)[1] for pair in picked_pairs())
    assert gap == pytest.approx(gaps[49], abs=6e-6)  # the lower of the two in the middle, as torch has it
    named = sum(((sums - rounded(sums[pair])) ** 2).sum(1).argmin() == pair for pair in picked_pairs())
    assert right == asked == 100 and after_rounding == named
    assert (named == 100) == (d_model >= 4)


@pytest.mark.parametrize(("d_model", "same"), [(2, False), (8, False), (16, True), (32, True)])
def test_from_16_numbers_on_the_next_pair_is_the_same_word_at_a_neighbouring_position(d_model, same):
    sums = all_sums(d_model)
    lengths = (sums**2).sum(1)
    step = math.dist(*codes_of(d_model)[:2])
    neighbours = []
    for pair in picked_pairs()[: 100 if same else 20]:
        other, gap = next_pair(sums, lengths, pair)
        neighbours.append(other // POSITIONS == pair // POSITIONS and abs(other - pair) == 1)
        assert gap == pytest.approx(step) or not neighbours[-1]
    assert all(neighbours) == same
    if same:
        assert numbers(rf"d_model {d_model:2}: ")[-1] == pytest.approx(step, abs=6e-6)


def test_words_are_twice_as_far_apart_as_a_position_moves_them():
    words = drawn_words(64)
    apart = np.mean([np.linalg.norm(words[i] - words[i + 1]) for i in range(999)])
    assert apart == pytest.approx(11.3, abs=0.1)
    assert np.linalg.norm(codes_of(64), axis=1) == pytest.approx(5.66, abs=0.01)


def found(d_model, count=1000, codes=None, seed=2, sums=500):
    """How often the nearest word, the nearest code, and the nearest code without that word are the right ones."""
    words = drawn_words(d_model, count)
    codes = codes_of(d_model) if codes is None else codes
    draw = torch.Generator().manual_seed(seed)
    w, p = (torch.randint(n, (sums,), generator=draw).numpy() for n in (count, POSITIONS))
    hits = np.zeros(3)
    for i in range(sums):
        z = words[w[i]] + codes[p[i]]
        word = ((words - z) ** 2).sum(1).argmin()
        alone = ((codes - z) ** 2).sum(1).argmin()
        after = ((codes - z + words[word]) ** 2).sum(1).argmin()
        hits += word == w[i], alone == p[i], after == p[i]
    return hits / sums


@pytest.mark.parametrize("d_model", [4, 8, 16, 32, 64])
def test_the_word_is_found_from_32_numbers_on_and_then_the_position(d_model):
    word, alone, after = found(d_model)
    assert numbers(rf"d_model +{d_model}: of 1,000 words +")[0] == pytest.approx(100 * word, abs=0.51)
    if d_model > 4:
        printed = numbers(rf"d_model +{d_model}: position alone +")
        assert printed == pytest.approx([100 * alone, 100 * after], abs=0.51)
    assert (word > 0.99) == (d_model >= 32)
    if d_model >= 16:
        assert after >= word - 0.01 and alone < 0.6


def test_at_16_numbers_most_words_are_found_for_other_draws_too():
    shares = [found(16, seed=seed)[0] for seed in (3, 4, 5)]
    assert min(shares) > 0.8 and max(shares) < 0.95
    assert found(32, count=30_000, sums=30)[0] > 0.95
    assert 99 < numbers("d_model 32: of 1,000 words ")[2] < 100, "nearly always"


@pytest.mark.parametrize(
    ("d_model", "own", "others", "nearer"),
    [(8, 2.0, 4.4, 8.5), (16, 2.83, 6.3, 0.2), (32, 4.0, 8.9, 0), (64, 5.66, 12.6, 0)],
)
def test_a_sum_is_far_from_the_other_words_and_only_the_distances_grow_with_the_width(d_model, own, others, nearer):
    words, codes = drawn_words(d_model), codes_of(d_model)
    draw = torch.Generator().manual_seed(2)
    w, p = (torch.randint(n, (500,), generator=draw).numpy() for n in (1000, POSITIONS))
    means, spreads, wins = [], [], 0
    for i in range(500):
        far = np.linalg.norm(words - words[w[i]] - codes[p[i]], axis=1)
        assert far[w[i]] == pytest.approx(own, abs=0.005)
        rest = np.delete(far, w[i])
        means.append(rest.mean())
        spreads.append(rest.std())
        wins += (rest < far[w[i]]).sum()
    printed = numbers(rf"d_model +{d_model}: own word ")
    assert printed[:4] == pytest.approx([own, np.mean(means), np.mean(spreads), wins / 500], abs=0.06)
    assert np.mean(means) == pytest.approx(others, abs=0.06) and np.mean(spreads) == pytest.approx(0.9, abs=0.03)
    assert wins / 500 == pytest.approx(nearer, abs=0.06)


def test_taken_as_independent_and_normal_gap_and_cross_talk_would_let_ten_others_win():
    words, codes = drawn_words(16), codes_of(16)
    gaps = np.concatenate([((words[i] - words[i + 1 :]) ** 2).sum(1) / 2 for i in range(999)])
    talk = np.std((words[1:] - words[:-1]) @ codes.T)
    assert (np.mean(gaps), np.std(gaps), talk) == pytest.approx((16, math.sqrt(32), 4), rel=0.05)
    below = math.erfc(np.mean(gaps) / math.hypot(np.std(gaps), talk) / math.sqrt(2)) / 2
    assert 9 < 999 * below < 12


@pytest.mark.parametrize(("d_model", "of_three", "of_all"), [(4, 0.74, 0), (16, 1, 0.88), (64, 1, 1)])
def test_of_the_three_words_in_the_picture_fewer_are_found_among_all_thousand(d_model, of_three, of_all):
    words, codes = drawn_words(d_model), codes_of(d_model)
    sums = words[837:840, None] + codes
    for rivals, first, share in ((words[837:840], 0, of_three), (words, 837, of_all)):
        nearest = ((sums[:, :, None] - rivals) ** 2).sum(-1).argmin(-1)
        assert (nearest == first + np.arange(3)[:, None]).mean() == pytest.approx(share, abs=0.006)
    assert np.linalg.norm(codes @ np.linalg.qr((words[838:840] - words[837]).T)[0], axis=1).max() < 2


def test_the_three_words_in_the_picture_overlap_more_than_three_words_do_on_average():
    words, codes = drawn_words(4), codes_of(4)
    shares = []
    for three in np.split(words[:999], 333):
        nearest = ((three[:, None, None] + codes[:, None] - three) ** 2).sum(-1).argmin(-1)
        shares.append((nearest == np.arange(3)[:, None]).mean())
    assert np.mean(shares) == pytest.approx(0.88, abs=0.02) and np.mean(np.array(shares) < 0.75) < 0.15


@pytest.mark.parametrize("d_model", [4, 16, 64, 256])
def test_in_the_plane_of_three_words_codes_keep_their_size_and_words_move_apart(d_model):
    words, codes = drawn_words(d_model, 300), codes_of(d_model)
    sizes, sides = [], []
    for three in words.reshape(100, 3, d_model):
        plane = np.linalg.qr((three[1:] - three[0]).T)[0]
        sizes.append(((codes @ plane) ** 2).sum(1).mean())
        sides.append(np.mean([((a - b) ** 2).sum() for a, b in itertools.combinations(three, 2)]))
    assert math.sqrt(np.mean(sizes)) == pytest.approx(1, abs=0.1)
    assert math.sqrt(np.mean(sides)) == pytest.approx(math.sqrt(2 * d_model), rel=0.08)


@pytest.mark.parametrize("d_model", [16, 64])
def test_codes_are_mistaken_for_neighbours_and_unrelated_vectors_are_not(d_model):
    words, codes = drawn_words(d_model)[:100], codes_of(d_model)
    z = (words[:, None] + codes).reshape(-1, d_model)
    distances = (codes**2).sum(1) - 2 * z @ codes.T  # apart from |z|², which is the same for all
    off = abs(distances.argmin(1) - np.tile(np.arange(POSITIONS), 100))
    share, neighbours = (off == 0).mean(), (off[off > 0] == 1).mean()
    printed = numbers(rf"d_model {d_model}, codes +: ")
    assert printed == pytest.approx([100 * share, 100 * neighbours], abs=0.51)
    assert (neighbours > 0.5) == (d_model == 64)
    assert (numbers(rf"d_model {d_model}, unrelated: ")[0] > 98) == (d_model == 64)


def test_adding_is_putting_side_by_side_with_one_matrix_for_both():
    draw = np.random.default_rng(0)
    x, p, w_x, w_p = (draw.standard_normal(shape) for shape in ((5, 8), (5, 8), (8, 3), (8, 3)))
    side_by_side = np.concatenate([x, p], 1)
    assert side_by_side @ np.concatenate([w_x, w_p]) == pytest.approx(x @ w_x + p @ w_p)
    assert side_by_side @ np.concatenate([w_x, w_x]) == pytest.approx((x + p) @ w_x)
    assert side_by_side @ np.concatenate([w_x, w_p]) != pytest.approx((x + p) @ w_x)


@pytest.mark.parametrize("maps", [1, 2, 3])
def test_a_learned_table_makes_up_for_one_square_matrix_and_misses_the_rest_of_several(maps):
    missed = []
    for seed in range(5):
        w_x, w_p = np.random.default_rng(seed).standard_normal((2, 64, 64 * maps))
        wanted = codes_of(64) @ w_p
        rows = wanted @ np.linalg.pinv(w_x)
        missed.append(np.linalg.norm(rows @ w_x - wanted) / np.linalg.norm(wanted))
    assert np.mean(missed) == pytest.approx(math.sqrt(1 - 1 / maps), abs=0.02)
    if maps != 2:
        name = {1: "queries +", 3: "queries, keys, values"}[maps]
        assert numbers(rf"{name}: the best learned table misses by ")[0] == pytest.approx(np.mean(missed), abs=0.06)


def directions(table, share=0.999):
    """How many directions hold this share, from the eigenvalues of the smaller product."""
    square = table @ table.T if len(table) <= table.shape[1] else table.T @ table
    energy = np.linalg.eigvalsh(square)[::-1].clip(0)
    return int((energy.cumsum() < share * energy.sum()).sum()) + 1


@pytest.mark.parametrize("positions", [32, 512])
def test_codes_need_few_directions_and_random_rows_nearly_all(positions):
    counted = [directions(codes_of(512, positions), share) for share in (0.99, 0.999, 0.9999)]
    noise = np.random.default_rng(0).standard_normal((positions, 512))
    printed = numbers(rf" *{positions} positions, codes +: 99, 99.9, 99.99% in ")
    random = numbers(rf" *{positions} positions, random rows: 99, 99.9, 99.99% in ")
    assert printed == counted == {32: [10, 12, 13], 512: [109, 116, 118]}[positions]
    assert random[1] == pytest.approx(directions(noise), abs=3)
    assert counted[2] < 1.4 * counted[0] and directions(noise) > 2.5 * counted[1]


@pytest.mark.parametrize(
    ("fastest", "base", "needed"),
    [
        *((1, 10_000, 12), (1, 10, 12), (1, 1e8, 12), (0.3, 10_000, 5), (math.pi, 10_000, 32), (math.pi, 10, 31)),
        *((math.pi, 1.1, 5), (math.pi, 2, 18), (1, 2, 10), (1, 1.1, 4)),
    ],
)
def test_the_range_of_speeds_decides_how_many_directions_a_short_text_needs(fastest, base, needed):
    assert directions(codes_of(512, 32, fastest, base)) == needed
    if (fastest, base) in ((1, 10_000), (1, 10), (0.3, 10_000), (math.pi, 10_000), (math.pi, 1.1)):
        assert numbers(rf"hands up to {fastest:.1f} rad per token, base +{base:,}: ")[0] == needed


def test_the_fastest_hand_alone_at_pi_adds_one_direction():
    table = codes_of(512, 32)
    table[:, :2] = codes_of(512, 32, math.pi)[:, :2]
    assert numbers("fastest hand at π, all others as they were: ") == [directions(table)] == [13]


@pytest.mark.parametrize(("fastest", "least", "most"), [(1, 11, 15), (math.pi, 30, 32)])
def test_so_it_is_with_speeds_that_are_drawn_at_random(fastest, least, most):
    speeds = fastest * np.random.default_rng(0).random(256)
    angles = np.multiply.outer(np.arange(32), speeds)
    assert least <= directions(np.concatenate([np.sin(angles), np.cos(angles)], 1)) <= most


def test_with_base_10_no_hand_rests_in_32_tokens():
    assert 32 * 10 ** (-255 / 256) > 3
    assert (32 * 10_000 ** (-np.arange(256) / 256) < 0.1).sum() > 90


@pytest.mark.parametrize("positions", [128, 512, 2048, 4096])
def test_in_long_texts_slow_hands_save_directions(positions):
    counts = [directions(codes_of(512, positions, base=base)) for base in (10_000, 10)]
    assert numbers(rf" *{positions} positions: base 10,000 ")[:1] == counts[:1]
    assert (counts[0] < 0.8 * counts[1]) == (positions >= 512)


def inside(codes, rank):
    rows = np.linalg.svd(codes, full_matrices=False)[2][:rank]
    return rows.T @ rows


def test_without_the_codes_directions_words_stay_nearly_whole_and_codes_do_not():
    codes, words = codes_of(512, 32), drawn_words(512)
    wipe = np.eye(512) - inside(codes, 12)
    kept = [np.linalg.norm(x @ wipe) / np.linalg.norm(x) for x in (words, codes)]
    assert kept[0] > 0.98 and kept[1] < 0.02


@pytest.mark.parametrize(("rank", "words_off", "codes_off"), [(12, 0.217, 0.03), (32, 0.354, 0)])
def test_one_matrix_serves_codes_and_nearly_all_of_the_words(rank, words_off, codes_off):
    codes, words = codes_of(512, 32), drawn_words(512)
    w_x, w_p = np.random.default_rng(0).standard_normal((2, 512, 64)) / math.sqrt(512)
    both = w_x + inside(codes, rank) @ (w_p - w_x)
    off = np.linalg.norm(words @ both - words @ w_x) / np.linalg.norm(words @ w_x)
    assert off == pytest.approx(words_off, abs=0.03) and words_off == pytest.approx(math.sqrt(2 * rank / 512), abs=1e-3)
    assert np.linalg.norm(codes @ (both - w_p)) / np.linalg.norm(codes @ w_p) == pytest.approx(codes_off, abs=0.01)


@pytest.mark.parametrize(("positions", "rank"), [(32, 12), (128, 42), (512, 116)])
def test_in_long_texts_one_matrix_no_longer_serves_both(positions, rank):
    codes, words = codes_of(512, positions), drawn_words(512)
    w_x, w_p = np.random.default_rng(1).standard_normal((2, 512, 64))
    both = w_x + inside(codes, rank) @ (w_p - w_x)
    codes_off, words_off = (
        100 * np.linalg.norm(x @ both - x @ w) / np.linalg.norm(x @ w) for x, w in ((codes, w_p), (words, w_x))
    )
    printed = numbers(rf"(?m)^ *{positions} positions, +(?=\d+ directions)")
    assert printed[0] == rank == directions(codes)
    assert printed[1:] == pytest.approx([codes_off, words_off], abs=3) and printed[1] < 5
    assert words_off == pytest.approx(100 * math.sqrt(2 * rank / 512), abs=2)
    assert (words_off > 50) == (positions == 512)


def layers_of(kept=(True, True), itself=False, seed=0, coded=True, causal=False):
    """The vectors of an untrained model with the residual connections that are kept: (around attention, around MLP)."""
    torch.manual_seed(seed)
    model = attention.Transformer(16, attention.Sinusoid(), num_layers=4)
    texts = torch.randint(16, (256, 32))
    x = (model.embedding(texts) + coded * torch.tensor(codes_of(64, 32), dtype=torch.float32)).double()
    vectors = [x]
    for block in model.double().blocks:
        q, k, v = block.qkv(block.before_attention(x)).unflatten(-1, (3, 4, 16)).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / 4
        if causal:
            scores = scores.masked_fill(torch.ones(32, 32).triu(1) > 0, -math.inf)
        weights = torch.eye(32).double() if itself else scores.softmax(-1)
        x = kept[0] * x + block.out((weights @ v).transpose(1, 2).flatten(2))
        x = kept[1] * x + block.mlp(block.before_mlp(x))
        vectors.append(x)
    return [x.detach().numpy() for x in vectors]


def explained(vectors, centred=True, louder=False):
    """The share of hand 6 that ridge regression explains in the texts that it was not fitted on, after each layer."""
    hand = codes_of(64, 32)[:, 12:14]
    shares = []
    for x in vectors:
        x = x - x.mean(1, keepdims=True) if centred else x
        x = x / np.sqrt((x**2).mean()) if louder else x
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)
        x = np.concatenate([x, np.ones_like(x[..., :1])], -1)
        fit = x[:128].reshape(-1, 65)
        penalty = math.sqrt(1e-3 * len(fit)) * np.eye(65)
        target = np.concatenate([np.tile(hand, (128, 1)), np.zeros((65, 2))])
        solved = np.linalg.lstsq(np.concatenate([fit, penalty]), target, rcond=None)[0]
        error = ((x[128:] @ solved - hand) ** 2).sum(-1).mean()
        shares.append(1 - error / ((hand - hand.mean(0)) ** 2).sum(-1).mean())
    return shares


def differs(vectors):
    """The share of the vectors' length that differs from token to token."""
    return [np.linalg.norm(x - x.mean(1, keepdims=True)) / np.linalg.norm(x) for x in vectors]


@pytest.mark.slow
def test_residual_connections_carry_the_position_up_and_without_them_next_to_nothing_is_found_after_three_layers():
    for seed in (0, 1):
        assert min(explained(layers_of(seed=seed))) > 0.98
        without = explained(layers_of((False, False), seed=seed))
        assert 0.4 < without[1] < 0.6 and 0.05 < without[2] < 0.15 and max(map(abs, without[3:])) < 0.02


@pytest.mark.slow
def test_a_map_that_hears_what_is_left_however_small_it_is_finds_a_little_more_and_still_next_to_nothing():
    alt = " ".join(next(text for text in ALTS if "five clouds" in text).split())
    shown = [float(share) for share in alt.split("; without: ")[1].split("; ")[0].split(", ")]
    for seed in (0, 1):
        louder = explained(layers_of((False, False), seed=seed), louder=True)
        assert 0.1 < louder[2] < 0.25 and 0.01 < louder[3] < 0.06 and abs(louder[4]) < 0.02
        assert seed or shown == pytest.approx(np.abs(louder), abs=0.012)


@pytest.mark.slow
def test_with_each_text_s_mean_left_in_the_map_finds_nothing_after_two_layers():
    for seed in (0, 1):
        assert abs(explained(layers_of((False, False), seed=seed), centred=False)[2]) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_under_a_causal_mask_less_is_lost_and_most_of_it_is_the_mask_s(seed):
    coded, alone, kept = (
        explained(layers_of((residual, residual), causal=True, seed=seed, coded=code))
        for code, residual in ((True, False), (False, False), (False, True))
    )
    assert coded[4] > 0.5 and alone[0] < 0.01 and alone[4] > 0.6 * coded[4]
    assert abs(kept[0]) < 0.02 and kept[4] > kept[1] + 0.04
    for name, shares in (("code, no residuals", coded), ("no code, no residuals", alone), ("no code, residuals", kept)):
        assert numbers(rf"(?m)^{name} +seed {seed}:") == pytest.approx([abs(share) for share in shares], abs=0.012)


@pytest.mark.slow
def test_it_is_the_averaging_that_washes_out_because_without_it_no_residual_is_needed():
    for seed in (0, 1):
        assert min(explained(layers_of((False, False), itself=True, seed=seed))) > 0.6
    alt = next(text for text in ALTS if "five clouds" in text)
    assert "without, sees only itself: " in " ".join(alt.split())


@pytest.mark.slow
def test_of_the_two_residual_connections_the_one_around_attention_matters_more():
    for seed in (0, 1):
        shares = [explained(layers_of(kept, seed=seed))[-1] for kept in ((True, False), (False, True))]
        assert 0.55 < shares[0] < 0.75 and abs(shares[1]) < 0.02
        for name, share in zip(("attention", "the MLP"), shares, strict=True):
            assert numbers(f"around {name} +alone, three seeds: R² ")[seed] == pytest.approx(abs(share), abs=0.012)


def test_what_is_read_is_the_code_that_was_added():
    assert max(explained(layers_of(coded=False))) < 0.01


@pytest.mark.slow
def test_without_residuals_the_exponent_of_what_differs_about_doubles_with_each_layer():
    for seed in (0, 1):
        logs = [math.log10(share) for share in differs(layers_of((False, False), seed=seed))[1:4]]
        assert 2 < logs[1] / logs[0] < 5 and 2 < logs[2] / logs[1] < 4
    printed = numbers("without +differs: ")
    assert printed == pytest.approx(differs(layers_of((False, False)))[:4], rel=0.06)
    assert min(numbers("with residuals +differs: ")) > 0.75


def test_king_minus_man_plus_woman_stays_queen_at_any_three_positions():
    words, codes = drawn_words(64), codes_of(64)
    words[3] = words[0] - words[1] + words[2]
    places = [(9, 9, 9), (1, 5, 9), *np.random.default_rng(0).integers(0, POSITIONS, (300, 3))]
    for a, b, c in places:
        made = words[3] + codes[a] - codes[b] + codes[c]
        assert np.linalg.norm(words - made, axis=1).argmin() == 3
    for a, b, c in places[:2]:
        made = words[0] + codes[a] - words[1] - codes[b] + words[2] + codes[c]
        far = np.sort(np.linalg.norm(words - made, axis=1))
        rest = np.linalg.norm(made - words[3] - codes[a])
        printed = numbers(f"at {a}, {b}, {c}: queen at {a} is ")
        assert [printed[0], *printed[-2:]] == pytest.approx([rest, *far[:2]], abs=6e-3)
        assert far[0] < 0.65 * far[1]


@pytest.mark.parametrize(("away", "share"), [(1, 0.29), (2, 0.145), (4, 0.02), (6, 0.002)])
def test_a_word_near_queen_would_win_at_some_positions(away, share):
    codes, draw = codes_of(64), np.random.default_rng(0)
    wins = 0
    for a, b, c in draw.integers(0, POSITIONS, (2000, 3)):
        rival = draw.standard_normal(64)
        rival *= away / np.linalg.norm(rival)
        rest = codes[a] - codes[b] + codes[c]
        wins += np.linalg.norm(rest - rival) < np.linalg.norm(rest)
    assert wins / 2000 == pytest.approx(share, abs=0.03)


def test_quiet_words_are_found_where_the_codes_directions_are_wiped():
    plain, count, wiped, _, louder = numbers("found by search ")
    assert plain < 2 and wiped == louder == 100
    codes, words = codes_of(512), 0.02 * drawn_words(512)
    wipe = np.eye(512) - inside(codes, int(count))
    wiped_words = words @ wipe
    for w, p in np.random.default_rng(0).integers(0, (1000, POSITIONS), (50, 2)):
        z = words[w] + codes[p]
        assert ((wiped_words - z @ wipe) ** 2).sum(1).argmin() == w
    assert count < 0.1 * 512


def sign_flips(a, b):
    """How many of all sign patterns of the pairs take the mean of a − b as far from 0."""
    gaps = np.asarray(a) - np.asarray(b)
    means = [abs(np.mean(gaps * signs)) for signs in itertools.product((-1, 1), repeat=len(gaps))]
    return np.mean(np.array(means) >= abs(gaps.mean()) - 1e-12)


@pytest.mark.parametrize("part", sums.PARTS)
def test_the_page_s_figure_shows_what_is_recorded(part):
    (alt,) = [alt for alt in ALTS if "Accuracies of eight seeds" in alt]
    for name, scores in adding.recorded(part).items():
        assert f"{sums.PARTS[part]}, {name}: {scores[0].mean():.2f}" in alt


def loud(steps, name):
    """The accuracy of each seed at each loudness of the tokens, (loudness, seeds)."""
    return adding.recorded(f"loudness/{steps}")[name].numpy()


@pytest.mark.parametrize(("steps", "least"), [(250, 0.88), (1000, 0.96)])
@pytest.mark.parametrize("name", ["sinusoid", "drifting rows"])
def test_codes_whose_neighbours_are_alike_are_learned_at_any_loudness(name, steps, least):
    scores = loud(steps, name)
    assert scores.mean(1).min() >= least - 0.003
    assert sign_flips(scores[1], scores[5]) > 0.05
    for rival in ("sinusoid, rows shuffled", "random rows", "random rows, 9 directions"):
        assert all(sign_flips(*pair) < 0.04 for pair in zip(scores, loud(steps, rival), strict=True))


@pytest.mark.parametrize("steps", [250, 1000])
def test_random_rows_take_longer_beside_quiet_tokens(steps):
    scores = loud(steps, "random rows")
    assert scores[5].mean() - scores[1].mean() > 0.12 and sign_flips(scores[5], scores[1]) < 0.05


def test_shuffled_rows_are_a_hard_code_beside_any_tokens_and_learned_later():
    soon, late = (loud(steps, "sinusoid, rows shuffled").mean(1) for steps in (250, 1000))
    assert soon.max() < 0.65 and late.min() > 0.7 and late.max() < 0.8
    falls = loud(250, "sinusoid")[[1, 5]] - loud(250, "sinusoid, rows shuffled")[[1, 5]]
    assert falls.mean(1).min() > 0.3 and sign_flips(*falls) > 0.05


def test_few_directions_do_not_help_random_rows():
    for steps in (250, 1000):
        gap = loud(steps, "random rows, 9 directions").mean(1) - loud(steps, "random rows").mean(1)
        assert gap.max() < 0.03


@pytest.mark.parametrize("name", ["sinusoid", "drifting rows"])
def test_quiet_tokens_that_are_held_are_read_by_nobody_in_250_steps_and_it_is_not_the_holding(name):
    quiet, loud = adding.recorded("held")[name].numpy()
    assert quiet.max() < 0.55 and loud.mean() > 0.8
    assert all(scores[0].max() < 0.6 for scores in adding.recorded("held").values())


def test_with_four_times_the_steps_held_tokens_are_learned_from_with_the_sinusoid_alone_and_changing_ones_always():
    longer = {name: scores[0].numpy() for name, scores in adding.recorded("held/longer").items()}
    assert (longer["sinusoid"] > 0.6).sum() == 5
    for name, scores in longer.items():
        assert (np.median(scores) > 0.55) == (name == "sinusoid")
        assert loud(1000, name)[1].mean() > 0.7
        held = [accuracy.mean().item() for part in ("held", "held/longer") for accuracy in adding.recorded(part)[name]]
        printed = numbers(rf"(?m)^{name} +at 0.02, at 1, longer: ")
        assert printed == pytest.approx(held, abs=0.0051)


def test_a_second_learning_rate_changes_nothing_of_what_held_tokens_teach():
    for name, faster in adding.recorded("held/longer/0.01").items():
        slower = adding.recorded("held/longer")[name]
        learned = [int((scores[0].numpy() > 0.6).sum()) for scores in (slower, faster)]
        assert [3 <= count <= 5 for count in learned] == [name == "sinusoid"] * 2
        *_, slow, of, rate, fast, again = numbers(rf"(?m)^{name} +more than ")
        assert ([slow, fast], of, rate, again) == (learned, 8, 0.005, 0.01)


def test_drifting_rows_fail_beside_tokens_held_quiet_where_the_sinusoid_begins_so_likeness_is_not_enough():
    begun = []
    for part in ("held/longer", "held/longer/0.01"):
        scores = {name: rows[0] for name, rows in adding.recorded(part).items()}
        assert scores["drifting rows"].max() < 0.51, "all eight models guess"
        begun.append(int((scores["sinusoid"] > 0.6).sum()))
    alone = math.comb(8, begun[0]) / math.comb(16, begun[0])  # all that begin are of one code, by chance
    assert begun == [5, 4] and 2 * alone < 0.05
    assert (adding.recorded("held/longer")["sinusoid"][0] > 0.8).sum() == 3


def test_where_the_task_is_learned_quiet_tokens_have_become_louder():
    for name, grown in (("Sinusoid", True), ("DriftingRows", True), ("ShuffledSinusoid", False)):
        *stds, first, second = numbers(rf"(?m)^{name} +A and B at ")
        assert (min(stds) > 0.15) == grown == (min(first, second) > 0.75)


@pytest.mark.parametrize("rate", [0, 1])
def test_shuffling_costs_as_much_beside_loud_tokens_as_beside_quiet_ones_so_it_tells_nothing_of_either(rate):
    falls = []
    for tokens in ("quiet", "loud"):
        scores = {name: both[rate].numpy() for name, both in adding.recorded(f"who_came_first/{tokens}").items()}
        in_order, shuffled = scores["sinusoid"], scores["sinusoid, rows shuffled"]
        assert sign_flips(in_order, shuffled) < 0.02
        falls.append(in_order - shuffled)
    assert falls[1].mean() > 0.25 and abs(falls[0].mean() - falls[1].mean()) < 0.05
    assert sign_flips(*falls) > 0.3


@pytest.mark.parametrize("rate", [0, 1])
def test_likeness_of_neighbours_helps_beside_loud_tokens_too_and_few_directions_help_beside_neither(rate):
    for tokens, learned in (("quiet", 0.5), ("loud", 0.7)):
        scores = {name: both[rate].numpy() for name, both in adding.recorded(f"who_came_first/{tokens}").items()}
        assert sign_flips(scores["drifting rows"], scores["random rows"]) < 0.05
        assert scores["random rows, 9 directions"].mean() <= scores["random rows"].mean() < 0.73
        assert scores["random rows"].mean() == pytest.approx(learned, abs=0.02)


@pytest.mark.parametrize("rate", [0, 1])
def test_in_250_steps_quiet_tokens_are_saved_by_codes_whose_neighbours_are_alike_and_by_no_others(rate):
    scores = {name: both[rate].numpy() for name, both in adding.recorded("who_came_first/quiet").items()}
    alike = [scores.pop(name) for name in ("sinusoid", "drifting rows")]
    assert alike[1].mean() >= alike[0].mean() > 0.8
    for winner, rival in itertools.product(alike, scores.values()):
        assert rival.mean() < 0.56 and sign_flips(winner, rival) < 0.05


def test_drifting_rows_are_as_alike_as_the_sinusoid_s_neighbours_and_take_more_than_twice_as_many_directions():
    draws = [adding.drifting_rows(32, 32, 0.957, generator=torch.Generator().manual_seed(seed)) for seed in range(50)]
    tables = [codes_of(32, 32), *(rows.double().numpy() for rows in draws)]
    alike = [np.mean((table[1:] * table[:-1]).sum(1)) / 16 for table in tables]
    assert alike[0] == pytest.approx(0.957, abs=5e-4) and np.mean(alike[1:]) == pytest.approx(alike[0], abs=0.01)
    assert directions(tables[0]) == 9 and np.mean([directions(rows) for rows in tables[1:]]) == pytest.approx(23, abs=1)


def test_without_the_mean_row_neighbours_are_alike_in_two_of_the_five_codes():
    named = {
        "sinusoid": (9, True),
        "drifting rows": (23, True),
        "sinusoid, rows shuffled": (9, False),
        "random rows": (29, False),
        "random rows, 9 directions": (9, False),
    }
    for name, (count, alike) in named.items():
        printed = numbers(rf"(?m)^{name} +(?=\d)")
        assert printed[0] == pytest.approx(count, abs=2)
        assert printed[1] > 0.8 if alike else abs(printed[1]) < 0.2
    table = codes_of(32, 32) - codes_of(32, 32).mean(0)
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    assert (unit[1:] * unit[:-1]).sum(1).mean() == pytest.approx(0.86, abs=0.005)


def test_shuffling_keeps_lengths_and_directions_and_even_speeds_use_all():
    table = codes_of(32, 32)
    shuffled = table[np.random.default_rng(0).permutation(32)]
    assert directions(shuffled) == directions(table) == 9
    speeds = math.pi * (np.arange(16) + 0.5) / 16
    angles = np.multiply.outer(np.arange(32), speeds)
    assert directions(np.concatenate([np.sin(angles), np.cos(angles)], 1)) == 32


@pytest.mark.parametrize(("fastest", "needed"), [(0.3, 5), (1, 13), (math.pi, 32)])
def test_even_speeds_that_are_slowed_down_take_fewer_directions_and_neighbours_are_more_alike(fastest, needed):
    table = adding.EvenSpeeds(fastest).add(torch.zeros(32, 32, dtype=torch.float64), torch.arange(32)).numpy()
    assert directions(table) == needed
    assert (np.mean((table[1:] * table[:-1]).sum(1)) / 16 > 0.8) == (fastest <= 1)


def quiet_scores(encoding, seeds, steps, learning_rate):
    trained = training.train(
        lambda: attention.Transformer(16, encoding(), d_model=32, embedding_std=0.02),
        tasks.WHO_CAME_FIRST,
        seeds=seeds,
        steps=steps,
        batch_size=16,
        learning_rate=learning_rate,
    )
    return training.evaluate(trained, tasks.WHO_CAME_FIRST, [24]).accuracy[:, 0]


@pytest.mark.slow
def test_shuffled_rows_are_learned_later_and_not_never():
    assert quiet_scores(adding.ShuffledSinusoid, (1, 2), 800, 0.005).mean() > 0.65


@pytest.mark.slow
def test_even_speeds_learn_when_they_are_slowed_down():
    slow = quiet_scores(lambda: adding.EvenSpeeds(1.0), (1, 2, 3, 4), 250, 0.01)
    assert slow.mean() > 0.65 > adding.recorded("who_came_first/quiet")["even speeds up to π"][1].mean() + 0.05


@pytest.mark.slow
def test_in_250_steps_the_sinusoid_and_drifting_rows_learn_with_quiet_tokens_and_others_do_not():
    makers = (attention.Sinusoid, lambda: drifting(0.957), adding.ShuffledSinusoid, lambda: drifting(0))
    score = [quiet_scores(encoding, (11, 12), 250, 0.01).mean() for encoding in makers]
    assert min(score[:2]) > max(score[2:]) + 0.15


def drifting(likeness):
    return adding.DriftingRows(likeness=likeness)
