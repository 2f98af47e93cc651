"""The programs of the page, run by a browser's JavaScript: every number is that of the definition in Python."""

import csv
import io

import numpy as np
import pytest
from scipy.special import stdtrit

import cutline as cl
from cutline.core.errors import CutlineError
from cutline.file_page.page import WORKER, choose_ranking_measures, collect_data, load_script
from cutline.measures.binned_calibration import sum_over_bins
from cutline.measures.tracing import list_columns
from cutline.results.estimate import student_quantile

pytestmark = pytest.mark.slow

LEVEL = 0.9


@pytest.fixture(scope="module")
def engine(browser):
    """A function that runs JavaScript after the modules of the worker, with some data."""
    tab = browser.new_page()
    modules = load_script(tuple(name for name in WORKER if name != "worker"))
    tab.evaluate(f"window.use = (body) => new Function('given', 'data', {modules!r} + ';' + body)")
    tab.evaluate("data => { window.data = data }", collect_data(LEVEL))
    yield lambda body, given: tab.evaluate("([body, given]) => use(body)(given, data)", [body, given])
    tab.close()


def random_rankings():
    """Rankings with ties, with weights, of one class, of a single case, in a perfect and in the wrong order."""
    random = np.random.default_rng(7)
    for i in range(24):
        n = int(random.integers(2, 300))
        labels, scores = random.integers(0, 2, n), random.integers(0, 10 ** (1 + i % 4), n) / 10 ** (1 + i % 4)
        labels[:2] = (0, 1)
        yield cl.rank(labels, scores, random.gamma(2, 1, n) if i % 3 == 0 else None, positive=1)
    for n, weighted in ((3000, False), (900, True), (12_000, False), (24_000, False), (40_000, True)):
        labels = random.integers(0, 2, n)
        scores = (1 / (1 + np.exp(-random.normal(labels, 1.5)))).round(3 if weighted else 6)
        yield cl.rank(labels, scores, random.gamma(2, 1, n) if weighted else None, positive=1)
    yield cl.rank([1, 1, 1], [0.1, 0.5, 0.5], positive=1)
    yield cl.rank([0, 0], [0.1, 0.9], positive=1)
    yield cl.rank([1], [0.3], positive=1)
    yield cl.rank([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], positive=1)
    yield cl.rank([0, 0, 1, 1, 1], [1.0, 0.8, 0.2, 0.1, 0.0], positive=1)


EVALUATE = """
const ranking = { integral: given.integral };
for (const name of ["score", "pos", "neg", "pos2", "neg2"]) ranking[name] = new Float64Array(given[name]);
const found = evaluateRanking(ranking, data, true);
return { measures: found.measures, reliability: found.reliability };
"""


def test_every_measure_and_interval_is_that_of_the_command_line_without_resamples(engine):
    seen = set()
    measures = {measure.name: measure for measure in choose_ranking_measures()[0]}
    for r in random_rankings():
        given = {name: column.tolist() for name, column in list_columns(r).items()} | {"integral": r.integral}
        found = engine(EVALUATE, given)
        rows = {row.measure.name: row for row in cl.Evaluation(r).summary(measures, level=LEVEL, resamples=0).rows}
        assert [one["name"] for one in found["measures"]] == list(measures)
        for one in found["measures"]:
            measure, row = measures[one["name"]], rows[one["name"]]
            estimate = row.estimate
            assert one["reason"] == measure.reason(r)
            assert one["value"] == close(float(measure.compute(r)))
            assert np.isnan(one["baseline"]) or one["baseline"] == close(measure.baseline_value(r))
            if one["lacks"] == "on the command line":
                assert measure.name == "precision_at_recall"
                continue
            assert (one["low"], one["high"]) == (close(estimate.low, 1e-8), close(estimate.high, 1e-8)), measure
            if one["method"]:
                assert estimate.method == one["method"]
                seen.add((measure.name, one["method"]))
            elif not one["reason"] and np.isfinite(one["value"]):
                assert one["lacks"]
        observed, expected, cases = (column[column >= 0] for column in sum_over_bins(r, 10, "mass"))
        some = cases > 0
        assert [[bar["k"], bar["n"]] for bar in found["reliability"]] == close(
            np.array([observed, cases]).T[some].tolist()
        )
        assert [bar["x"] for bar in found["reliability"]] == close((expected[some] / cases[some]).tolist())
    by_rule = {"auc", "gini", "taks", "average_gain", "pem", "tied_pairs", "oe_ratio"}
    by_influence = {(name, "influence_student") for name in ("average_precision", "brier", "log_loss", "mae")}
    by_influence |= {(name, "influence") for name in ("average_precision", "brier", "log_loss", "eer", "ks")}
    assert {name for name, _ in seen} >= by_rule
    assert {("auc", "delong_student"), ("auc", "newcombe_delong"), *by_influence} <= seen


def test_students_quantile_is_that_of_scipy(engine):
    levels, degrees = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999], [1, 1.5, 2, 3, *np.geomspace(1, 1e6, 60).tolist()]
    pairs = [(level, freedom) for level in levels for freedom in degrees]
    computed = engine("return given.map(([level, freedom]) => studentQuantile(level, freedom))", pairs)
    for (level, freedom), quantile in zip(pairs, computed, strict=True):
        assert quantile == pytest.approx(stdtrit(freedom, (1 + level) / 2), rel=1e-10)
        assert student_quantile(level, freedom) == pytest.approx(quantile, rel=1e-10)


def close(expected, relative=1e-12):
    """Equal to twelve digits, or fewer."""
    if isinstance(expected, list) and expected and isinstance(expected[0], list):
        return [close(row) for row in expected]
    return pytest.approx(expected, rel=relative, abs=relative, nan_ok=True)


# ---------------------------------------------------------------------- reading

READ = """
return (async () => {
  const file = new Blob([new Uint8Array(given.bytes)]);
  try {
    const { layout, columns } = await lookAt(file, "the file", data.words);
    const spelling = columns.find(({ name }) => name === "p").spelling?.place;
    const chosen = { label: "y", score: { name: "p", spelling }, weight: null, dropMissing: false };
    const cases = await readColumns(file, "the file", layout, chosen, data.words, () => {});
    const isPositive = Uint8Array.from(cases.labels, (code) => cases.names[code] === given.positive);
    const { score, pos, neg } = makeRanking(isPositive, cases.scores, null, 1);
    return { score: [...score], pos: [...pos], neg: [...neg] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { refusal: error.message };
  }
})();
"""


NOTE = "note, with signs"


def random_file(seed):
    """A file of labels and scores, by some delimiter, with quotes, line ends and notes; some files are broken."""
    random = np.random.default_rng(seed)
    delimiter, end = random.choice([",", ";", "\t", "|"]), random.choice(["\n", "\r\n"])
    quoting = csv.QUOTE_ALL if random.random() < 0.3 else csv.QUOTE_MINIMAL
    n, comma = int(random.integers(1, 30)), random.random() < 0.3
    names = ["y", "p", NOTE, "other"][: int(random.integers(2, 5))]
    pair = [("1", "0"), ("yes", "no"), ("TRUE", "False"), ("1", "1.0"), ("-1", "1")][int(random.integers(5))]
    rows = []
    for _ in range(n):
        number = str(round(float(random.random() * random.choice([1, 1, 100])), int(random.integers(1, 17))))
        number = number.replace(".", ",") if comma else number
        note = str(random.choice(["", "a\nb", 'say "no"', "x,y;z", "ü"]))
        rows.append({"y": str(random.choice(pair)), "p": number, NOTE: note, "other": str(random.integers(9))})
    random.shuffle(names)
    text = io.StringIO()
    writer = csv.DictWriter(
        text, names, delimiter=delimiter, lineterminator=end, quoting=quoting, extrasaction="ignore"
    )
    writer.writeheader()
    writer.writerows(rows)
    content = text.getvalue()
    broken = random.random()
    if broken < 0.05:
        content += delimiter.join(["1"] * (len(names) + 1)) + end
    elif broken < 0.1:
        content += f'"1{delimiter}0.5'
    elif broken < 0.15:
        content += delimiter.join({"p": "NA"}.get(name, "1") for name in names) + end
    return content, pair[0]


def check_reading(engine, path, seed):
    """Compare what the page and the package read from a file."""
    content, positive = random_file(seed)
    path.write_text(content, encoding="utf-8", newline="")
    names = {"TRUE": "true", "1.0": "1"}
    found = engine(READ, {"bytes": list(content.encode()), "positive": names.get(positive, positive)})
    label = {"TRUE": True, "yes": "yes", "-1": -1}.get(positive, 1)
    try:
        expected = cl.rank("y", "p", data=str(path), positive=label)
    except CutlineError:
        expected = None
    assert ("refusal" in found) == (expected is None), (content, found)
    if expected is None:
        return False
    assert found["score"] == expected.score.tolist(), content
    assert (found["pos"], found["neg"]) == (expected.pos.tolist(), expected.neg.tolist()), content
    return True


def test_files_are_read_as_the_package_reads_them(engine, tmp_path):
    read = [check_reading(engine, tmp_path / f"{seed}.csv", seed) for seed in range(60)]
    assert 30 < sum(read) < 60  # some are refused by both
