"""Rankings as files: exact, checked, and never half written."""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutline import InputError, ParameterError, rank
from cutline.core.atomic_write import _fill_unnamed
from cutline.core.merging import merge
from cutline.core.ranking import Ranking
from cutline.core.ranking_file import MAGIC, _compute_checksum, _write_parquet, is_ranking_file, load

LABELS, SCORES = [1, 0, 1, 0, 1], [0.9, 0.6, 0.6, 0.2, -np.inf]


def assert_equal_rankings(one, other):
    assert one == other
    assert (one.dropped, one.positive, one.higher_is_positive) == (
        other.dropped,
        other.positive,
        other.higher_is_positive,
    )
    assert [one.score.dtype, one.pos.dtype] == [other.score.dtype, other.pos.dtype]


@pytest.mark.parametrize(
    "ranking",
    [
        rank(LABELS, SCORES),
        rank(LABELS, SCORES, [1, 2, 3, 4, 5]),
        rank(LABELS, SCORES, [0.1, 0.2, 0.3, 0.4, 0.5]),
        rank(LABELS, np.float32(SCORES)),
        rank(["yes", "no", "yes", "no", "yes"], SCORES, positive="yes"),
        rank([True, False, True, False, True], SCORES, higher_is_positive=False),
        rank([1, 0, 1, None], [3, 2, 1, 4], missing="drop"),
        rank([1, 0], [5, 3]),
    ],
    ids=["plain", "whole", "fractions", "float32", "text", "lower", "dropped", "integers"],
)
def test_what_is_saved_is_what_is_loaded(tmp_path, ranking):
    path = ranking.save(tmp_path / "day.ranking")

    assert_equal_rankings(load(path), ranking)
    assert is_ranking_file(path)
    with pytest.raises(ValueError, match="read-only"):
        load(path).pos[0] = 1


@settings(max_examples=20)
@given(
    rows=st.lists(st.tuples(st.booleans(), st.floats(allow_nan=False), st.integers(1, 9)), min_size=1),
    parts=st.integers(1, 4),
)
def test_saved_parts_merge_to_the_whole_in_any_order(tmp_path_factory, rows, parts):
    folder = tmp_path_factory.mktemp("parts")
    files = []
    for i in range(parts):
        mine = rows[i::parts]
        if mine:
            labels, scores, weights = zip(*mine, strict=True)
            files.append(rank(labels, scores, weights, positive=True).save(folder / f"{i}.ranking"))
    labels, scores, weights = zip(*rows, strict=True)
    whole = rank(labels, scores, weights, positive=True)

    assert merge([load(file) for file in files]) == merge([load(file) for file in files[::-1]]) == whole


@pytest.fixture
def saved(tmp_path):
    return rank(LABELS, SCORES).save(tmp_path / "day.ranking")


def test_a_file_that_was_cut_off_or_altered_is_refused(saved):
    whole = saved.read_bytes()
    for length in (len(MAGIC), len(MAGIC) + 20, len(whole) // 2, len(whole) - 1):
        saved.write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"day\.ranking is damaged"):
            load(saved)
    rng = np.random.default_rng(0)
    for place in rng.integers(len(MAGIC), len(whole), 60):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(rng.integers(8))
        saved.write_bytes(bytes(flipped))
        with pytest.raises(InputError):
            load(saved)


def test_other_files_and_newer_ones_are_refused_in_a_sentence(saved, tmp_path):
    other = tmp_path / "rows.csv"
    other.write_text("y,p\n1,0.5\n")
    with pytest.raises(InputError, match="is not a ranking file"):
        load(other)
    with pytest.raises(InputError, match="There is no file"):
        load(tmp_path / "nothing.ranking")
    saved.write_bytes(saved.read_bytes().replace(b'"version": 1', b'"version": 9'))
    with pytest.raises(InputError, match="written by a newer cutline"):
        load(saved)
    assert not is_ranking_file(other)


def test_a_ranking_is_not_written_over_another_without_being_told(saved):
    before = saved.read_bytes()
    with pytest.raises(ParameterError, match="exists already"):
        rank([1, 0], [1, 0]).save(saved)
    assert saved.read_bytes() == before
    rank([1, 0], [1, 0]).save(saved, overwrite=True)
    assert len(load(saved)) == 2


def test_stacks_and_strange_labels_are_refused(tmp_path):
    stack = Ranking.of_counts([2, 1], [[1, 0], [0, 1]], [[0, 1], [1, 0]])
    with pytest.raises(ParameterError, match="stack"):
        stack.save(tmp_path / "x.ranking")
    odd = rank([1, 0], [1, 0])
    object.__setattr__(odd, "positive", ("a", 1))
    with pytest.raises(ParameterError, match="cannot hold"):
        odd.save(tmp_path / "x.ranking")


def test_a_writer_that_is_killed_leaves_a_whole_file_and_nothing_unfinished(tmp_path):
    target = rank(LABELS, SCORES).save(tmp_path / "day.ranking")
    program = (
        "import sys, numpy as np; from cutline import rank; from cutline.core.ranking_file import load\n"
        "rng = np.random.default_rng(0); r = rank(rng.random(200_000) < 0.5, rng.random(200_000))\n"
        "print('ready', flush=True)\n"
        "while True: r.save(sys.argv[1], overwrite=True)"
    )
    probe = tmp_path / "probe"
    can_hide = _fill_unnamed(probe, 0o600, b"", None)  # else files have a name before they are whole
    probe.unlink(missing_ok=True)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for patience in (0.0, 0.05, 0.2, 0.5):
        environment = {**os.environ, "TMPDIR": str(temporary)}
        with subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", program, str(target)], stdout=subprocess.PIPE, env=environment
        ) as process:
            process.stdout.readline()
            time.sleep(patience)
            process.kill()
        assert len(load(target)) in (4, 200_000)
        assert not list(temporary.iterdir())
        # a file has a name of its own for the instant between being whole and replacing the old one
        for left in (set(tmp_path.iterdir()) if can_hide else set()) - {temporary, target}:
            assert len(load(left)) == 200_000


@pytest.mark.parametrize(
    ("change", "payload", "said"),
    [
        ({"version": -1}, None, "header"),
        ({"version": 1.5}, None, "header"),
        ({"dropped": "x"}, None, "header"),
        ({}, b"junk", "contents"),
    ],
)
def test_a_forged_file_with_a_right_checksum_is_refused(tmp_path, change, payload, said):
    path = forge(tmp_path, change, payload)
    with pytest.raises(InputError, match=f"is damaged: its {said} cannot be read"):
        load(path)


def forge(folder, change, payload=None):
    """Write a ranking file with other facts or contents and a checksum that matches them."""
    path = folder / "a.ranking"
    rank([1, 0, 1], [0.9, 0.5, 0.4]).save(path)
    header, _, written = path.read_bytes()[len(MAGIC) :].partition(b"\n")
    facts, payload = json.loads(header) | change, written if payload is None else payload
    facts["sha256"] = _compute_checksum(facts, payload)
    path.write_bytes(MAGIC + json.dumps(facts).encode() + b"\n" + payload)
    return path


GOOD = {"score": np.array([0.9, 0.5, 0.4]), "pos": np.array([1, 0, 1]), "neg": np.array([0, 1, 0])}
BINS = {"first": np.array([0.95, 0.6, 0.4]), "last": np.array([0.8, 0.5, 0.4])}


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"pos": np.array([1, -1, 1])}, "'pos' holds a count that is negative"),
        ({"neg": np.array([0, np.inf, 0])}, "'neg' holds a count that is negative or not finite"),
        ({"neg": np.array([0, np.nan, 0])}, "'neg' holds a missing value"),
        ({"neg": np.array([0, 2**63, 0], np.uint64)}, "'neg' does not hold counts"),
        ({"neg": np.array([0, 2**62, 0])}, "sum of column 'neg' is too large"),
        ({"pos": np.array(["1", "0", "1"])}, "'pos' does not hold counts"),
        ({"pos": np.zeros(3, int), "neg": np.zeros(3, int)}, "holds no cases"),
        ({"score": np.array([0.5, 0.9, 0.4])}, "not distinct and in order"),
        ({"score": np.array([0.9, 0.9, 0.4])}, "not distinct and in order"),
        ({"score": np.array([0.9, np.nan, 0.4])}, "'score' holds a missing value"),
        ({"score": np.array([9, 5, 4])}, "'score' does not hold floats"),
        ({"score": np.array(["a", "b", "c"])}, "'score' does not hold floats"),
        ({"neg": None}, "columns are not those"),
        ({"extra": np.array([1, 2, 3])}, "columns are not those"),
        ({"pos2": np.array([1, 0, 1])}, "columns are not those"),
        ({"pos2": np.array([1, 0, -1]), "neg2": np.array([0, 1, 0])}, "'pos2' holds a count that is negative"),
        (
            {"pos2": np.array([1, 0, 4]), "neg2": np.array([0, 1, 0])},
            "'pos2' does not hold the sums of squared",
        ),
        (
            {"pos2": np.array([1, 0, 0]), "neg2": np.array([0, 1, 0])},
            "'pos2' does not hold the sums of squared",
        ),
        (
            {"pos2": np.array([1, 0, 1]), "neg2": np.array([1, 1, 0])},
            "'neg2' does not hold the sums of squared",
        ),
        ({"pos": np.array([1e-60] * 3), "neg": np.zeros(3)}, "weights are too small"),
        ({"pos": np.array([1.0, 1e-200, 1])}, "weights are too small"),
        ({"pos": np.array([1, 0, 0])}, "score without cases"),
        ({"pos2": np.array([1, 0, 5e-324]), "neg2": np.array([0.0, 1, 0])}, "'pos2' does not hold the sums of squared"),
        ({"pos": np.array([1e60, 0, 1])}, "sum of column 'pos' is too large"),
    ],
)
def test_columns_that_are_no_ranking_are_refused_whatever_their_checksum(tmp_path, columns, said):
    columns = {name: values for name, values in (GOOD | columns).items() if values is not None}
    with pytest.raises(InputError, match=f"a.ranking is not a valid ranking: .*{said}"):
        load(forge(tmp_path, {}, _write_parquet(columns)))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"first": np.array([0.95, 0.6, 0.41])}, None),
        ({"first": np.array([0.8, 0.6, 0.4])}, "outside its bin"),
        ({"first": np.array([0.95, 0.85, 0.4])}, "not distinct and in order"),
        ({"last": np.array([0.96, 0.5, 0.4])}, "not distinct and in order"),
        ({"last": None}, "columns are not those"),
    ],
)
def test_bins_that_overlap_are_refused(tmp_path, change, said):
    columns = {name: values for name, values in (GOOD | BINS | change).items() if values is not None}
    path = forge(tmp_path, {"version": 2, "exact": False}, _write_parquet(columns))
    if said is None:
        assert not load(path).exact
        return
    with pytest.raises(InputError, match=said):
        load(path)


@pytest.mark.parametrize(
    "change",
    [
        {"higher_is_positive": "no"},
        {"dropped": -5},
        {"dropped": 2**63},
        {"dropped": True},
        {"positive": None},
        {"positive": [1]},
        {"positive": float("inf")},
        {"negative": {}},
        {"positive": 1, "negative": 1},
        {"exact": 0},
    ],
)
def test_facts_of_other_types_are_refused(tmp_path, change):
    with pytest.raises(InputError, match="is damaged: its header cannot be read"):
        load(forge(tmp_path, change))


def test_a_ranking_of_whole_and_of_fractional_sums_is_evaluated(tmp_path):
    ranking = Ranking.of_counts([0.9, 0.5, 0.2, 0.1], [3, 2, 1, 0], [0, 0.5, 2, 3])

    assert ranking.pos.dtype == ranking.neg.dtype == float
    assert ranking.is_unweighted
    assert load(ranking.save(tmp_path / "a.ranking")) == ranking


def test_scores_without_cases_are_left_out():
    ranking = Ranking.of_counts([0.9, 0.5, 0.2], [0, 2, 1], [0, 1, 2])

    assert ranking.score.tolist() == [0.5, 0.2]
