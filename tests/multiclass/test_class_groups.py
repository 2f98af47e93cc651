"""Cases that belong together, and what weights are, for several classes."""

import json

import numpy as np
import pandas as pd
import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.multiclass.class_intervals import ClassIntervalOptions, estimate_statistic
from cutline.multiclass.measures import resolve_statistic

CLASSES = ["ant", "bee", "cat"]
ASKED = [
    ("auc", "macro"), ("auc", "weighted"), ("auc", "micro"), ("hand_till_m", None), ("average_precision", "macro"),
    ("f1", "macro"), ("accuracy", None), ("mcc", None), ("kappa", None), ("log_loss", None),
]  # fmt: skip


def visits(groups=120, each=4, seed=0):
    """Patients with visits that resemble each other: labels, probabilities of two models, patients."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(groups), each)
    truth = rng.choice(3, groups, p=[0.45, 0.3, 0.25])[patient]
    shared = rng.normal(size=(groups, 3))[patient]
    models = []
    for signal in (1.2, 0.9):
        logits = 0.8 * shared + 0.6 * rng.normal(size=(len(truth), 3)) + signal * np.eye(3)[truth]
        models.append(np.exp(logits) / np.exp(logits).sum(1, keepdims=True))
    return np.array(CLASSES)[truth], models, patient


LABELS, (FIRST, SECOND), PATIENTS = visits()
GROUPED = cl.one_vs_rest(LABELS, FIRST, groups=PATIENTS)
ALONE = cl.one_vs_rest(LABELS, FIRST)


@pytest.mark.parametrize(("name", "mean"), ASKED)
def test_the_standard_error_between_groups_agrees_with_a_bootstrap_of_whole_groups(name, mean):
    statistic = resolve_statistic(name, mean)
    found = estimate_statistic(statistic, GROUPED.cases, ClassIntervalOptions(0.95))
    drawn = estimate_statistic(statistic, GROUPED.cases, ClassIntervalOptions(0.95, "bootstrap", 1500))

    assert found.se == pytest.approx(drawn.se, rel=0.08)
    assert found.estimate.value == pytest.approx(ALONE.value(name, mean), abs=1e-12)
    assert found.estimate.low == pytest.approx(drawn.estimate.low, abs=0.35 * found.se)
    assert found.estimate.high == pytest.approx(drawn.estimate.high, abs=0.35 * found.se)


def test_groups_that_resemble_each_other_widen_the_interval_and_are_noted():
    wide, narrow = GROUPED.estimate("auc"), ALONE.estimate("auc")

    assert wide.high - wide.low > 1.4 * (narrow.high - narrow.low)
    assert "120 groups were counted whole." in wide.notes
    assert "120 groups were resampled whole." in GROUPED.estimate("auc", method="bootstrap", resamples=50).notes
    assert any("of 120 groups" in note.text for note in GROUPED.summary().notes)
    assert "120 groups were counted whole." in GROUPED["bee"].estimate("auc").notes


def test_groups_of_one_case_each_change_little_beyond_the_quantile():
    single = cl.one_vs_rest(LABELS, FIRST, groups=np.arange(len(LABELS)))
    for name, mean in ASKED:
        one, other = single.estimate(name, mean), ALONE.estimate(name, mean)
        assert one.high - one.low == pytest.approx(other.high - other.low, rel=0.02)


def test_copies_of_every_case_in_its_group_say_no_more_than_the_cases():
    labels, (scores, _), _ = visits(80, 1, seed=3)
    once = cl.one_vs_rest(labels, scores, groups=np.arange(80))
    thrice = cl.one_vs_rest(np.repeat(labels, 3), np.repeat(scores, 3, axis=0), groups=np.repeat(np.arange(80), 3))
    for name, mean in (("auc", "macro"), ("hand_till_m", None), ("accuracy", None), ("mcc", None)):
        few, many = (
            estimate_statistic(resolve_statistic(name, mean), one.cases, ClassIntervalOptions(0.95)).se
            for one in (once, thrice)
        )
        assert many == pytest.approx(few, rel=0.02)


def test_a_perfect_model_of_few_groups_is_less_sure_than_of_as_many_cases():
    labels = np.repeat(CLASSES * 4, 10)
    scores = (labels[:, None] == np.array(CLASSES)).astype(float)
    grouped = cl.one_vs_rest(labels, scores, groups=np.repeat(np.arange(12), 10)).estimate("accuracy")
    alone = cl.one_vs_rest(labels, scores).estimate("accuracy")

    assert grouped.high == alone.high == 1
    assert grouped.low < alone.low


def test_one_group_tells_nothing_of_the_spread():
    found = cl.one_vs_rest(LABELS, FIRST, groups=["all"] * len(LABELS)).estimate("auc")

    assert not found.has_interval
    assert any("one group" in note for note in found.notes)


def test_the_difference_of_two_models_is_tested_between_groups():
    models = {"one": FIRST, "two": SECOND}
    grouped, alone = (cl.compare_classes(LABELS, models, groups=g) for g in (PATIENTS, None))
    drawn = grouped.difference("auc", "macro", method="bootstrap", resamples=2000)
    found = grouped.difference("auc", "macro")

    assert found.high - found.low == pytest.approx(drawn.high - drawn.low, rel=0.08)
    assert found.value == alone.difference("auc", "macro").value
    three = cl.compare_classes(LABELS, models | {"three": (FIRST + SECOND) / 2}, groups=PATIENTS)
    assert 0 <= three.test("auc").p_value <= 1


@pytest.mark.parametrize("kind", ["sampling", "importance"])
def test_whole_numbers_that_are_no_counts_are_worth_their_rows(kind):
    weights = np.arange(len(LABELS)) % 3 + 1
    counts, others = cl.one_vs_rest(LABELS, FIRST, weights), cl.one_vs_rest(LABELS, FIRST, weights, weights_are=kind)
    as_float = cl.one_vs_rest(LABELS, FIRST, weights + 1e-12 * np.arange(len(LABELS)))

    assert others.value("auc") == pytest.approx(counts.value("auc"), abs=1e-12)
    one, two, three = (found.estimate("auc") for found in (counts, others, as_float))
    assert two.high - two.low > 1.2 * (one.high - one.low)
    assert (two.low, two.high) == pytest.approx((three.low, three.high), abs=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"groups": PATIENTS[:-1]}, "groups has 479 values but labels has 480"),
        ({"groups": [None, *PATIENTS[1:]]}, "groups"),
        ({"weights_are": "sampling"}, "weights_are is 'sampling', but there are no weights"),
        ({"weights_are": "counts", "weights": np.full(480, 0.5)}, "counts must be whole numbers"),
    ],
)
def test_what_does_not_fit_is_refused(options, words):
    with pytest.raises(cl.CutlineError, match=words):
        cl.one_vs_rest(LABELS, FIRST, **options)


# ---------------------------------------------------------------------- the command


@pytest.fixture
def path(tmp_path):
    columns = {
        f"{m}_{c}": s for m, scores in (("f", FIRST), ("n", SECOND)) for c, s in zip(CLASSES, scores.T, strict=True)
    }
    frame = pd.DataFrame({"y": LABELS, "patient": PATIENTS, "w": PATIENTS % 2 + 1, **columns})
    frame.to_csv(tmp_path / "visits.csv", index=False)
    return str(tmp_path / "visits.csv")


def option(model, name=""):
    return ["--class-scores", name + ",".join(f"{c}={model}_{c}" for c in CLASSES)]


def cutline(capsys, *arguments):
    code = main([str(one) for one in arguments])
    found = capsys.readouterr()
    return code, found.out, found.err


def test_the_command_takes_groups_and_kinds_of_weights(capsys, path):
    asked_for = ["evaluate", path, "--label", "y", *option("f"), "--json", "--measures", "auc"]
    code, out, _ = cutline(capsys, *asked_for, "--group", "patient", "--weight", "w", "--weights-are", "sampling")
    found = cl.one_vs_rest(LABELS, FIRST, PATIENTS % 2 + 1, groups=PATIENTS, weights_are="sampling")
    row = json.loads(out)["measures"][0]

    assert code == 0
    assert (row["low"], row["high"]) == pytest.approx((found.estimate("auc").low, found.estimate("auc").high), abs=1e-9)


def test_compare_shows_the_same_numbers_in_every_view(capsys, path, tmp_path):
    both = ["compare", path, "--label", "y", "--group", "patient", *option("f", "forest:"), *option("n", "net:")]
    code, out, _ = cutline(capsys, *both, "--json", "--html", tmp_path / "r.html", "--save", tmp_path / "r.csv")
    document = json.loads(out)
    shown = cutline(capsys, *both)[1]
    page, table = (tmp_path / "r.html").read_text(encoding="utf-8"), (tmp_path / "r.csv").read_text(encoding="utf-8")
    expected = cl.compare_classes(LABELS, {"forest": FIRST, "net": SECOND}, groups=PATIENTS).summary()

    assert code == 0
    assert document["schema"] == "cutline/class-comparison/1"
    assert len(document["differences"]) == len(expected)
    assert table == cutline(capsys, *both, "--csv")[1]
    for row, other in zip(document["differences"], expected, strict=True):
        assert row["difference"] == pytest.approx(other["difference"], abs=1e-9)
        for view in (shown, page):
            assert f"{row['difference']:.4f}".lstrip("-") in view
    assert "forest is better: " in shown


def test_three_models_are_compared_in_pairs_and_a_model_without_a_name_has_a_number(capsys, path):
    code, out, _ = cutline(
        capsys,
        "compare",
        path,
        "--label",
        "y",
        *option("f", "a:"),
        *option("n"),
        *option("n", "c:"),
        "--measures",
        "f1",
    )

    assert code == 0
    assert all(title in out for title in ("a minus model 2", "a minus c", "model 2 minus c"))
    assert "corrected for the number of pairs" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (option("f", "a:"), "--class-scores names one model: pass it once for each model"),
        ([*option("f", "a:"), *option("n", "a:")], "names the model 'a' twice"),
        ([*option("f", "a:"), *option("x", "b:")], "has no column 'x_ant', which --class-scores names"),
        ([*option("f", "a:"), *option("n", "b:"), "--png", "x"], "--class-scores cannot be combined with --png"),
        ([*option("f", "a:"), *option("n", "b:"), "--quota", "9"], "--class-scores cannot be combined with --quota"),
        ([*option("f", "a:"), *option("n", "b:"), "--group", "nobody"], "has no column 'nobody', which --group names"),
    ],
)
def test_a_comparison_that_cannot_be_made_is_one_sentence_and_exit_2(capsys, path, options, words):
    code, out, err = cutline(capsys, "compare", path, "--label", "y", *options)

    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
