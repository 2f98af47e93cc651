"""A measure of one's own is one of all: in every view, stored, refused where it is wrong."""

import json
import os
import pickle
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.measures import MEASURES, Family, Needs, Parameter

LABELS = [1, 1, 0, 1, 0, 0, 1, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]  # at 0.5: tp 3, fp 1, fn 1, tn 3


@pytest.fixture(autouse=True)
def _registry_as_it_was():
    measures, names = dict(MEASURES._measures), dict(MEASURES._by_name)
    yield
    MEASURES._measures, MEASURES._by_name = measures, names


@pytest.fixture
def profit():
    @cl.measure(range=(-2, 1))
    def profit_per_case(tp, fp, fn, tn, cost=2.0):
        """What a case earns: 1 for a hit, less a cost for a wrong flag."""
        return (tp - cost * fp) / (tp + fp + fn + tn)

    return profit_per_case


@pytest.fixture
def top():
    @cl.measure(range=(0, 1), title="Share at the top")
    def share_at_the_top(r: cl.Ranking):
        """Share of positives among the cases with the highest score."""
        first = np.argmax(r.size > 0, axis=-1)[..., None]  # a resample may lack the highest scores
        return np.take_along_axis(r.share, first, axis=-1)[..., 0]

    return share_at_the_top


# ---------------------------------------------------------------------- first class


def test_the_facts_follow_from_the_function(profit):
    assert profit is MEASURES["profit_per_case"] is cl.profit_per_case
    assert profit.title == "Profit per case"
    assert profit.needs is Needs.COUNTS
    assert profit.family is Family.CUT
    assert profit.meaning.startswith("What a case earns")
    assert profit.defaults == {"cost": 2.0}
    assert profit.better == "higher"


def test_it_has_its_value_everywhere(profit):
    ev = cl.evaluate(LABELS, SCORES)
    expected = (3 - 2 * 1) / 8

    assert profit(LABELS, SCORES) == expected
    assert ev.profit_per_case == ev.value("profit_per_case") == expected
    assert ev.value("profit_per_case", cost=0) == 3 / 8
    assert ev.at(quota=2).profit_per_case == 2 / 8
    assert ev.counts.profit_per_case == expected


def test_it_has_an_interval_a_comparison_and_a_row_in_every_table(profit, top):
    ev = cl.evaluate(LABELS * 10, SCORES * 10)
    both = cl.compare(LABELS * 10, {"a": SCORES * 10, "b": SCORES[::-1] * 10})

    for name in ("profit_per_case", "share_at_the_top"):
        estimate = ev.estimate(name, resamples=200)
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.low < estimate.high or name == "share_at_the_top"
        assert name in {row["measure"] for row in ev.summary(intervals=False).to_dict()}
        assert both.difference(name, resamples=200).value == both["a"].value(name) - both["b"].value(name)


def test_it_has_a_curve_over_the_threshold_and_a_chart(profit):
    ev = cl.evaluate(LABELS, SCORES)
    curve = ev.curve("profit_per_case")

    assert curve.y.tolist() == pytest.approx([profit.compute(ev.ranking.at_cut(i)) for i in range(9)])
    assert "Profit per case" in str(ev.chart("profit_per_case").to_dict())


def test_the_page_of_measures_can_show_it(profit, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "docs"))
    from make_measures import entry

    lines = "\n".join(entry(profit))

    assert "### Profit per case: `profit_per_case`" in lines
    assert "- `cost`: cost (default 2.0)" in lines
    assert "$$$$" not in lines
    assert "Source" not in lines


def test_it_scores_models(profit):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    X = np.array(SCORES * 10)[:, None]
    found = cross_val_score(LogisticRegression(), X, np.array(LABELS * 10), scoring=cl.scorer("profit_per_case"), cv=4)

    assert np.isfinite(found).all()


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """The command in this process, in an empty folder; the modules that it loads are forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    loaded = set(sys.modules)

    def run(*words):
        capsys.readouterr()
        code = main(words)
        for name in {"shop", "broken_one"} & (set(sys.modules) - loaded):
            del sys.modules[name]
        return (code, *capsys.readouterr())

    return run


def test_the_command_line_and_its_gates_take_a_module(command, tmp_path):
    (tmp_path / "shop.py").write_text(
        textwrap.dedent(
            """
            import cutline as cl

            @cl.measure(range=(-1, 1))
            def net_hits(tp, fp):
                "Right flags less wrong flags, as a share of all flags."
                return (tp - fp) / (tp + fp)
            """
        )
    )
    rows = "\n".join(f"{label},{score}" for label, score in zip(LABELS, SCORES, strict=True))
    (tmp_path / "p.csv").write_text(f"y,p\n{rows}\n")

    few = ("--resamples", "100")
    shown, out, _ = command("evaluate", "p.csv", "--plugin", "shop", "--measures", "net_hits", *few)
    assert "0.5" in out
    _, saved, _ = command("evaluate", "p.csv", "--plugin", "shop", "--html", "r.html", "--json", "-q", *few)
    drawn, *_ = command("chart", "p.csv", "net_hits", "--plugin", "shop", "-o", "n.svg")
    _, listed, _ = command("measures", "net_hits", "--plugin", "shop")
    words = [sys.executable, "-m", "cutline", "check", "p.csv", "--plugin", "shop.py", "--require", "net_hits >= 0.6"]
    gate = subprocess.run(words, capture_output=True, cwd=tmp_path, check=False)  # noqa: S603

    assert (shown, drawn) == (0, 0)
    row = next(row for row in json.loads(saved)["measures"] if row["measure"] == "net_hits")
    assert row["value"] == (3 - 1) / 4
    assert row["low"] < row["value"] < row["high"]
    assert 'id="live-net_hits"' in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Net hits" in (tmp_path / "n.svg").read_text(encoding="utf-8")
    assert gate.returncode == 1
    assert "Right flags less wrong flags" in " ".join(listed.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [("import nowhere_at_all", "nowhere_at_all"), ("1 / 0", "ZeroDivisionError"), ("def", "SyntaxError")],
)
def test_a_broken_module_is_refused_in_one_sentence(command, tmp_path, text, words):
    (tmp_path / "broken_one.py").write_text(text)

    code, out, err = command("measures", "--plugin", "broken_one")

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "The plug-in broken_one cannot be loaded" in err
    assert words in err


def test_a_module_that_is_not_there_is_refused():
    with pytest.raises(cl.ParameterError, match="There is no module 'no_such_module'"):
        cl.measures.load_module("no_such_module")


# ---------------------------------------------------------------------- facts by default


def test_baseline_and_perfect_are_computed_where_they_are_not_given(profit, top):
    ev = cl.evaluate(LABELS, SCORES)

    assert profit.baseline_value(ev.counts) == pytest.approx(0.5 * 0.5 - 2 * 0.5 * 0.5)
    assert profit.perfect.at(cl.measures.Context(0.25, n=8), cost=2.0) == 0.25
    assert top.baseline_value(ev.ranking) == 0.5


def test_dividing_by_zero_is_undefined_with_a_reason():
    @cl.measure(range=(0, 1))
    def my_precision(tp, fp):
        """Share of flags that are right."""
        return tp / (tp + fp)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ev = cl.evaluate([1, 0], [0.2, 0.1])
        assert np.isnan(ev.my_precision)
        assert ev.reason("my_precision") == "the definition gives no number"
        assert cl.Counts(3, 1, 0, 0).my_precision == 0.75


def test_conditions_in_words_are_the_reason():
    @cl.measure(undefined={"nobody is flagged": lambda c: c.flagged == 0}, needs="counts", parameters={"power": "how"})
    def odd(table, power=2):
        """A share to a power."""
        return (table.tp / table.flagged) ** power

    assert cl.evaluate([1, 0], [0.2, 0.1]).reason("odd", power=3) == "nobody is flagged"
    cl.check_measure(odd)


@pytest.mark.parametrize(
    ("arguments", "needs"),
    [("c", Needs.COUNTS), ("r", Needs.RANKING), ("ranking", Needs.RANKING), ("fn", Needs.COUNTS)],
)
def test_what_it_needs_is_read_from_the_name_of_the_argument(arguments, needs):
    made = cl.measure(name="made")(eval(f"lambda {arguments}: 1.0"))  # noqa: S307

    assert made.needs is needs


def test_a_definition_for_one_table_at_a_time_is_looped_over():
    @cl.measure(range=(0, 1), vectorised=False)
    def one_at_a_time(tp, fp):
        """Share of right flags, by an if that no array could take."""
        return tp / (tp + fp) if tp else 0.0

    cl.check_measure(one_at_a_time)
    assert cl.evaluate(LABELS, SCORES).curve("one_at_a_time").y.shape == (9,)


# ---------------------------------------------------------------------- names


def test_a_cell_that_is_run_again_replaces_the_measure():
    def cell(times):
        @cl.measure()
        def again(tp):
            """Hits, some times."""
            return times * tp

        return again

    cell(1)
    second = cell(2)

    assert MEASURES["again"] is second is cl.again
    assert cl.evaluate(LABELS, SCORES).again == 6


def test_the_name_of_another_is_refused():
    for name in ("auc", "ppv"):
        with pytest.raises(cl.ParameterError, match=f"The name '{name}' is already taken by"):
            cl.measure(name=name)(lambda tp: tp)


def test_what_was_defined_can_be_removed_and_what_is_built_in_cannot(profit):
    MEASURES.remove("profit_per_case")

    assert "profit_per_case" not in MEASURES
    assert not hasattr(cl.evaluate(LABELS, SCORES), "profit_per_case")
    with pytest.raises(cl.ParameterError, match="auc is a measure of cutline: remove only your own"):
        MEASURES.remove("auc")


def test_an_alias_of_another_is_refused_and_nothing_is_left_behind():
    with pytest.raises(cl.ParameterError, match="taken by precision"):
        cl.measure(name="fresh_one", aliases=("ppv",))(lambda tp: tp)

    assert "fresh_one" not in MEASURES
    assert MEASURES["ppv"].name == "precision"


@pytest.mark.parametrize(
    "name", ["threshold", "evaluate", "summary", "tp", "total", "compare", "Upper", "class", "<lambda>"]
)
def test_a_name_that_means_something_else_is_refused(name):
    with pytest.raises(cl.ParameterError, match="A measure cannot be called"):
        cl.measure(name=name)(lambda tp: tp)


def test_what_it_is_a_function_of_must_be_declared():
    with pytest.raises(cl.ParameterError, match="does not declare what it is a function of"):
        cl.measure(name="untold")(lambda data: data)


def test_a_parameter_that_is_no_argument_is_refused():
    with pytest.raises(cl.ParameterError, match="describes 'beta', which is not an argument"):
        cl.measure(name="untold", parameters={"beta": Parameter("x")})(lambda tp: tp)


# ---------------------------------------------------------------------- stored


def test_it_comes_back_from_pickle(profit):
    again = pickle.loads(pickle.dumps([profit, profit.with_(cost=3.0)]))  # noqa: S301

    assert again[0] is profit
    assert again[1].defaults == {"cost": 3.0}


@pytest.mark.parametrize("is_importable", [True, False])
def test_another_process_finds_it_by_its_module_or_says_why_not(tmp_path, is_importable):
    (tmp_path / "in_a_module.py").write_text(
        "import cutline as cl\n\n@cl.measure()\ndef stored(tp):\n    'Hits.'\n    return tp\n"
    )
    store = "import in_a_module, pickle, sys; sys.stdout.buffer.write(pickle.dumps(in_a_module.stored))"
    load = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())([1, 0], [0.9, 0.1]))"
    path = {"PYTHONPATH": os.pathsep.join([*sys.path, str(tmp_path)])}
    packed = subprocess.run(  # noqa: S603
        [sys.executable, "-c", store], capture_output=True, env=os.environ | path, check=True
    ).stdout
    env = os.environ | (path if is_importable else {"PYTHONPATH": os.pathsep.join(sys.path)})

    done = subprocess.run([sys.executable, "-c", load], input=packed, capture_output=True, env=env, check=False)  # noqa: S603

    if is_importable:
        assert done.stdout.split() == [b"1.0"]
    else:
        assert b"The measure stored was defined in in_a_module, which cannot be imported here" in done.stderr


# ---------------------------------------------------------------------- installed packages


def install(folder: Path, module: str, text: str) -> None:
    """What pip would leave behind of a package that announces measures."""
    (folder / f"{module}.py").write_text(text)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[cutline.measures]\n{module} = {module}\n")


def in_a_process_with(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": os.pathsep.join([*sys.path, str(folder)])}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)  # noqa: S603


def test_an_installed_package_brings_its_measures_on_request(tmp_path):
    install(
        tmp_path, "house_measures", "import cutline as cl\n\n@cl.measure()\ndef hits(tp):\n    'Hits.'\n    return tp\n"
    )
    code = (
        "import sys, cutline as cl; ev = cl.evaluate([1, 0], [0.9, 0.1]); ev.auc; "
        "assert 'house_measures' not in sys.modules; print(ev.hits); assert 'hits' in cl.MEASURES.names"
    )

    assert in_a_process_with(tmp_path, code).stdout.split() == ["1.0"]


def test_a_broken_package_is_named_and_the_others_work(tmp_path):
    install(tmp_path, "bad_measures", "raise RuntimeError('no licence')")

    done = in_a_process_with(tmp_path, "import cutline as cl; print(len(cl.MEASURES) > 70)")

    assert done.stdout.split() == ["True"]
    assert "The plug-in bad_measures of the package bad_measures cannot be loaded" in done.stderr
    assert "no licence" in done.stderr


# ---------------------------------------------------------------------- wrong definitions


def findings_of(m):
    with pytest.raises(cl.ContractError) as refused:
        cl.check_measure(m)
    return " ".join(refused.value.findings)


def test_a_right_definition_passes(profit, top):
    cl.check_measure(profit)
    cl.check_measure("share_at_the_top")


WRONG = {
    "range": ({"range": (0, 0.5)}, lambda tp, fn: tp / (tp + fn), "Its range is declared as 0 to 0.5, but it is 1"),
    "baseline": ({"baseline": 0.5}, lambda tp, fp: tp / (tp + fp), "Its baseline is declared as 0.5, but it is 0.375"),
    "perfect": ({"perfect": 2}, lambda tp, fp: tp / (tp + fp), "for a perfect model is declared as 2, but it is 1"),
    "direction": (
        {"better": "lower"},
        lambda tp, fn: tp / (tp + fn),
        "It is better when lower, but a perfect",
    ),
    "scale": ({}, lambda tp, fp: tp - fp, "Weights times 3 should change nothing"),
    "undefined": (
        {"undefined": {"nobody is flagged": lambda c: c.tp + c.fp == 0}},
        lambda tp, fn: tp / (tp + fn),
        "It is NaN for",
    ),
    "too undefined": (
        {"undefined": {"there is no positive": lambda c: c.positives == 0}},
        lambda tp, fp: 1.0 * (tp > fp),
        "It is declared undefined when there is no positive, but it is",
    ),
    "shape": ({"needs": "ranking"}, lambda r: r.share.sum() / r.share.size, "It should broadcast over leading axes"),
    "weights": (
        {"needs": "ranking"},
        lambda r: r.pos2.sum(axis=-1) / (r.pos2 + r.neg2).sum(axis=-1),
        "A weight should count as a repetition",
    ),
    "empty cells": ({"needs": "ranking"}, lambda r: 1.0 * len(r) + 0 * r.pos.sum(axis=-1), "Scores without a case"),
    "error": ({}, lambda tp: tp["x"], "The definition raises IndexError"),
    "concordant": ({"concordant": True}, lambda fp, tn: fp / (fp + tn), "It is declared concordant, but it loses"),
    "form": (
        {"form": cl.measures.Proportion(lambda c: (c.tp, c.flagged))},
        lambda tp, fn: tp / (tp + fn),
        "It is declared as a Proportion",
    ),
    "meaning": ({}, lambda tp, fn: tp / (tp + fn), "It has no meaning"),
}


@pytest.mark.parametrize(("facts", "function", "words"), WRONG.values(), ids=WRONG)
def test_a_wrong_definition_is_found_and_described(facts, function, words):
    assert words in findings_of(cl.measure(name="wrong", **facts)(function))
