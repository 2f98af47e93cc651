"""The mean triplet loss: values by a loop, intervals between anchors, coverage in simulated anchors."""

import numpy as np
import pytest
from scipy.stats import t

import cutline as cl


def triplets(seed=0, anchors=12, each=5, d=3, noise=0.6):
    rng = np.random.default_rng(seed)
    unit = lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True)  # noqa: E731
    own = unit(rng.normal(size=(anchors, 1, d)))
    near = unit(own + 2 * noise * rng.normal(size=(anchors, 1, d)) + noise / 3 * rng.normal(size=(anchors, each, d)))
    far = unit(rng.normal(size=(anchors, each, d)))
    return tuple(np.broadcast_to(x, (anchors, each, d)).reshape(-1, d) for x in (own, near, far))


def test_the_mean_is_the_sum_over_the_number_of_triplets():
    a, p, n = triplets()
    losses = []
    for x, y, z in zip(a, p, n, strict=True):
        losses.append(max(0.0, sum((x - y) ** 2) - sum((x - z) ** 2) + 0.2))
    found = cl.mean_triplet_loss(a, p, n)

    assert found.value == pytest.approx(np.mean(losses))
    assert found.value == pytest.approx(cl.triplet_loss(a, p, n) / len(losses))


def test_the_interval_is_computed_from_the_means_of_the_anchors():
    a, p, n = triplets(1)
    names = np.repeat([f"image {i}" for i in range(12)], 5)
    found, named = cl.mean_triplet_loss(a, p, n), cl.mean_triplet_loss(a, p, n, anchors=names)
    means = cl.losses.triplet(a, p, n).of_triplets.reshape(12, 5).mean(1)  # as many triplets of each anchor
    reach = np.exp(t.ppf(0.975, 11) * means.std(ddof=1) / np.sqrt(12) / means.mean())

    assert [found.low, found.high] == pytest.approx([means.mean() / reach, means.mean() * reach])
    assert [named.low, named.high] == pytest.approx([found.low, found.high])
    single = cl.mean_triplet_loss(a, p, n, anchors=np.arange(60))
    assert single.high - single.low < found.high - found.low  # as if triplets were independent


def test_one_anchor_has_no_interval_and_wrong_names_are_refused():
    a, p, n = triplets(2, anchors=1)
    assert not cl.mean_triplet_loss(a, p, n).has_interval
    with pytest.raises(cl.InputError, match="anchors has 2 values for 5 triplets: pass one for each triplet"):
        cl.mean_triplet_loss(a, p, n, anchors=["x", "y"])


@pytest.mark.slow
def test_the_interval_covers():
    truth = cl.mean_triplet_loss(*triplets(99, anchors=20_000)).value
    held = [truth in cl.mean_triplet_loss(*triplets(seed, anchors=50)) for seed in range(300)]
    assert np.mean(held) > 0.9  # 93.5 % of 600 samples; with 20 anchors 91.5 %, and a note
    assert "few" in cl.mean_triplet_loss(*triplets(0, anchors=20)).notes[0]
