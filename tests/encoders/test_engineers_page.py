"""The code on the engineers' page does what the page says."""

import math
import re
from pathlib import Path

import numpy
import PIL.Image
import torch

from pe_helpers import alibi, learned, positions, relative, rope_scaling, rotary, rotary_axes, sinusoidal

PAGE = (Path(__file__).parents[2] / "site" / "engineers.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def run(word, **names):
    """Run the block that holds this word."""
    (block,) = [block for block in BLOCKS if word in block]
    names |= {"torch": torch, "rotary": rotary, "rope_scaling": rope_scaling, "alibi": alibi, "sinusoidal": sinusoidal}
    names |= {"positions": positions, "rotary_axes": rotary_axes, "math": math, "learned": learned}
    names |= {"relative": relative}
    exec(block, names)
    return names


def random(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def test_the_module_of_the_page_rotates_in_halves(unchecked):
    q = random(2, 3, 5, 8)
    names = run("torch.tensor([step])", head_dim=8, position_ids=torch.arange(5), q=q, k=q)
    assert torch.equal(names["q"], rotary.rotate(q, range(5), layout="half"))


def test_a_configuration_becomes_a_module(unchecked):
    config = {"model_type": "llama", "head_dim": 8, "rope_theta": 1e4, "max_position_embeddings": 64}
    config["rope_scaling"] = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
    rope = run("from_config(config", config=config)["rope"]
    speeds, factor = rope_scaling.from_config(config)
    wanted = rotary.rotate(random(1, 5, 8), range(5), inv_freq=speeds, attention_factor=factor, layout="half")
    assert torch.equal(rope(random(1, 5, 8), range(5)), wanted)


def test_xpos_scores_depend_on_the_offset_and_decay_with_it(unchecked):
    def score(here, there):
        ones = torch.ones(2, 8)
        names = run("rotary.xpos", head_dim=8, position_ids=torch.tensor([here, there]), q=ones, k=ones)
        return names["q"][0] @ names["k"][1]

    for far in (140, 40_000, 1_000_000):
        torch.testing.assert_close(score(40, 30), score(far, far - 10), rtol=1e-4, atol=1e-4)
    pair = torch.arange(4) / 4
    wanted = (2 * ((pair + 0.4) / 1.4) ** (10 / 512) * (10 * sinusoidal.inv_freq(8).float()).cos()).sum()
    torch.testing.assert_close(score(40, 30), wanted, rtol=1e-4, atol=1e-4)


def test_the_parts_of_latent_attention_that_rotate_see_the_offset_alone(unchecked):
    def scores(start):
        names = run(
            "k_part.expand",
            position_ids=torch.arange(start, start + 5),
            rope_dim=4,
            q=random(2, 3, 5, 12),
            k_plain=random(2, 3, 5, 8),
            k_part=random(2, 5, 4),
        )
        assert torch.equal(names["q"][..., :8], random(2, 3, 5, 12)[..., :8])
        return names["q"] @ names["k"].mT

    torch.testing.assert_close(scores(0), scores(1000), rtol=1e-3, atol=1e-3)
    assert not torch.allclose(scores(0)[..., 0, 1], scores(0)[..., 1, 2])


def test_the_lines_for_a_cache_number_pads_and_packs_and_move_keys(unchecked):
    k = random(2, 5, 8)
    names = run(
        "turn_further",
        attention_mask=[[0, 1, 1]],
        lengths=[2, 3],
        causal=torch.ones(5, 5, dtype=torch.bool).tril(),
        keys=rotary.rotate(k, torch.arange(4, 9), layout="half"),
        cut=4,
    )
    assert names["position_ids"].tolist() == [0, 1, 0, 1, 2]
    assert names["visible"].sum(-1).tolist() == [1, 2, 1, 2, 3]
    torch.testing.assert_close(names["keys"], rotary.rotate(k, range(5), layout="half"), rtol=0, atol=1e-5)


def test_the_lines_beyond_words_fit_time_hours_and_places_to_the_hands(unchecked):
    names = run(
        "places",
        t=torch.tensor([0.0, 0.25]),
        hours=torch.tensor([0.0, 24.0, 168.0]),
        d_model=16,
        head_dim=8,
        side=20,
        trained=14,
    )
    assert torch.equal(names["timestep"], sinusoidal.table(torch.tensor([0, 250]), 16))
    day, week = names["rhythm"].unflatten(-1, (2, 2)).unbind(-1)
    torch.testing.assert_close(day, day[:1].expand(3, 2), rtol=0, atol=1e-5)
    torch.testing.assert_close(week[2], week[0], rtol=0, atol=1e-5)
    assert (week[1] - week[0]).norm() > 0.5
    rows = 0.7 * torch.arange(20, dtype=torch.float64)  # the fastest pair of the rows turns by a radian a place
    torch.testing.assert_close(names["cos"].unflatten(0, (20, 20))[:, 3, 0], rows.cos().float())


def turned(features, angles):
    """Rotate the halves of one token's features, number by number."""
    first, second = features.double().chunk(2)
    pairs = [
        (a * math.cos(w) - b * math.sin(w), a * math.sin(w) + b * math.cos(w))
        for a, b, w in zip(first, second, angles, strict=True)
    ]
    return torch.tensor(pairs).T.flatten().float()


def test_a_module_for_images_turns_patches_by_row_and_column_and_no_class_token(unchecked):
    before = random(1, 2, 1 + 9, 8)
    after = run("image_q = rope(", head_dim=8, side=3, image_q=before)["image_q"]
    assert torch.equal(after[:, :, 0], before[:, :, 0])
    for head in range(2):
        for patch in range(9):
            row, column = divmod(patch, 3)
            wanted = turned(before[0, head, 1 + patch], [row, row / 10, column, column / 10])
            torch.testing.assert_close(after[0, head, 1 + patch], wanted, rtol=1e-5, atol=1e-6)


def test_m_rope_takes_each_pair_s_position_from_its_axis(unchecked):
    places = torch.tensor([[[5, 6]], [[50, 61]], [[500, 602]]])  # of time, row, column: one text of two tokens
    names = run("axes_first", mrope_section=[2, 1, 1], axes_first=places)
    for token in range(2):
        angles = [int(places[axis, 0, token]) * 1e6 ** (-pair / 4) for pair, axis in enumerate([0, 0, 1, 2])]
        for name, function in (("cos", math.cos), ("sin", math.sin)):
            torch.testing.assert_close(names[name][0, token], torch.tensor([function(each) for each in angles]))


def test_a_learned_table_is_resized_as_pillow_resizes_an_image(unchecked):
    weight = random(1 + 14 * 14, 3)
    table = torch.nn.Embedding.from_pretrained(weight.clone())
    resized = run("learned.resize", table=table)["table"].weight
    assert torch.equal(resized[0], weight[0])
    for feature in range(3):
        image = PIL.Image.fromarray(weight[1:, feature].reshape(14, 14).numpy())
        wanted = torch.tensor(numpy.array(image.resize((24, 24), PIL.Image.Resampling.BICUBIC)))
        torch.testing.assert_close(resized[1:, feature].reshape(24, 24), wanted, rtol=1e-4, atol=1e-5)


def halves(position, width):
    """Return the sines of one position, then its cosines."""
    angles = [position * 10_000 ** (-2 * pair / width) for pair in range(width // 2)]
    return [math.sin(each) for each in angles] + [math.cos(each) for each in angles]


def test_codes_with_cosines_first_have_the_sinusoid_s_numbers(unchecked):
    codes = run(".roll(", position_ids=torch.tensor([0, 3, 1000]), d_model=8)["codes"]
    for code, position in zip(codes, (0, 3, 1000), strict=True):
        sines_first = halves(position, 8)
        torch.testing.assert_close(code, torch.tensor(sines_first[4:] + sines_first[:4]))


def test_a_sinusoid_of_two_axes_has_the_column_s_code_before_the_row_s(unchecked):
    codes = run("(columns, rows)", side=3, d_model=16)["codes"]
    for patch in range(9):
        row, column = divmod(patch, 3)
        torch.testing.assert_close(codes[patch], torch.tensor(halves(column, 8) + halves(row, 8)))


def test_fourier_features_are_waves_along_their_directions(unchecked):
    points = torch.rand(5, 2, generator=torch.Generator().manual_seed(0))
    names = run("directions", points=points, d_model=8)
    assert names["directions"].shape == (2, 4)
    for point, features in zip(points, names["features"], strict=True):
        angles = [2 * math.pi * float(point.double() @ each.double()) for each in names["directions"].T]
        wanted = [math.cos(each) for each in angles] + [math.sin(each) for each in angles]
        torch.testing.assert_close(features, torch.tensor(wanted), rtol=1e-3, atol=1e-4)


def attention(q, k, v, scale, bias):
    """Return attention with a bias, which is −∞ where nothing is seen."""
    return (q.double() @ k.double().mT * scale + bias).softmax(-1) @ v.double()


def test_alibi_in_flex_attention_is_a_straight_penalty_behind_a_causal_mask(unchecked):
    q, k, v = random(3, 1, 4, 20, 8)
    attended = run("alibi.slopes", num_heads=4, q=q, k=k, v=v)["attended"]
    far = torch.arange(20)[:, None] - torch.arange(20)
    bias = torch.stack([-far * 4.0 ** -(head + 1) for head in range(4)]).double()
    wanted = attention(q, k, v, 8**-0.5, bias.masked_fill(far < 0, -torch.inf))
    torch.testing.assert_close(attended, wanted.float(), rtol=1e-4, atol=1e-5)


def test_t5_s_bias_in_flex_attention_is_that_of_transformers(unchecked):
    from transformers.models.t5.modeling_t5 import T5Attention

    q, k, v = random(3, 1, 4, 70, 8)
    relative_bias = relative.RelativeBias(4)
    torch.nn.init.normal_(relative_bias.weight)
    attended = run("relative.bucket", relative_bias=relative_bias, q=q, k=k, v=v)["attended"]
    offsets = torch.arange(70) - torch.arange(70)[:, None]
    buckets = T5Attention._relative_position_bucket(offsets, bidirectional=True, num_buckets=32, max_distance=128)
    bias = relative_bias.weight.detach()[buckets].movedim(-1, 0)
    torch.testing.assert_close(attended, attention(q, k, v, 1.0, bias.double()).float(), rtol=1e-4, atol=1e-5)


def test_the_example_of_the_readme_adds_turns_and_joins(unchecked):
    (block,) = re.findall(r"```python\n(.*?)```", (Path(__file__).parents[2] / "README.md").read_text(), re.DOTALL)
    x, q, k, scores = random(5, 8), random(1, 2, 5, 4), random(1, 2, 5, 4), random(1, 2, 5, 5)
    ids = torch.arange(5)
    names = {"position_ids": ids, "query_ids": ids, "key_ids": ids, "d_model": 8, "head_dim": 4, "num_heads": 2}
    names |= {"x": x, "q": q, "k": k, "scores": scores}
    exec(block, names)
    far = ids[:, None] - ids
    slopes = torch.tensor([2.0**-4, 2.0**-8])
    torch.testing.assert_close(names["scores"], scores - slopes[:, None, None] * far)
    angle = ids[:, None] * 10_000.0 ** (-2 * torch.arange(4) / 8)
    torch.testing.assert_close(names["x"] - x, torch.stack([angle.sin(), angle.cos()], -1).reshape(5, 8))
    before, after = (a @ b.mT for a, b in ((q, k), (names["q"], names["k"])))
    assert torch.allclose(before.diagonal(dim1=2, dim2=3), after.diagonal(dim1=2, dim2=3), atol=1e-5)
    assert not torch.allclose(before, after, atol=1e-2)
