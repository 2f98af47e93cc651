"""`cutline cut` and `cutline apply`: a cut from a file, and its flags in another."""

import json
import shlex

import numpy as np
import pytest

import cutline as cl

from .test_cli_evaluate import VALIDATOR


@pytest.fixture
def cases(tmp_path):
    """Two hundred cases whose scores are round numbers, so that they are the same in every format."""
    rng = np.random.default_rng(0)
    labels = rng.random(400) < 0.4
    scores = np.round(rng.normal(size=400) + 2 * labels, 3)
    path = tmp_path / "cases.csv"
    path.write_text("y,p\n" + "\n".join(f"{int(y)},{s}" for y, s in zip(labels, scores, strict=True)) + "\n")
    return path, labels, scores


def test_a_cut_is_shown_written_and_the_same_as_in_python(cutline, cases):
    path, labels, scores = cases

    done = cutline("cut", path, "--label", "y", "--score", "p", "--require", "recall >= 0.9", "-o", "cut.json")

    expected = cl.choose_cut(cl.evaluate(labels, scores), "recall >= 0.9")
    assert done.code == 0
    assert " ".join(done.out.split()).startswith(expected.statement)
    assert cl.load("cut.json").to_dict() == expected.to_dict() | {"score": "p"}


def test_json_is_the_document_of_the_cut(cutline, cases):
    path, labels, scores = cases

    done = cutline("cut", path, "--label", "y", "--score", "p", "--cost-fp", 1, "--cost-fn", 20, "--json", "--seed", 3)

    expected = cl.choose_cut(cl.evaluate(labels, scores), cost_fp=1, cost_fn=20, seed=3)
    assert json.loads(done.out) == expected.to_dict() | {"score": "p"}
    VALIDATOR.validate(json.loads(done.out))


def test_a_cut_that_is_impossible_is_described_too(cutline, ten):
    done = cutline("cut", ten, "--label", "y", "--score", "p", "--require", "recall >= 0.9", "--json")

    VALIDATOR.validate(json.loads(done.out))
    assert json.loads(done.out)["requirements"][0]["needed"] == 29


def test_refusals_name_options(cutline, cases):
    path, *_ = cases
    common = ("cut", path, "--label", "y", "--score", "p")

    nothing, wrong = cutline(*common), cutline(*common, "--maximize", "error_rate")

    assert "--maximize, costs or --quota" in " ".join(nothing.err.split())
    assert "--minimize error_rate" in " ".join(wrong.err.split())


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (("--quota", 50), {"quota": 50}),
        (("--share", 0.1), {"share": 0.1}),
        (("--utility", "tp=90,fp=-10"), {"utility": {"tp": 90, "fp": -10}}),
        (("--maximize", "f_beta@beta=2"), {"maximize": "f_beta@beta=2"}),
        (("--minimize", "corner", "--prevalence", 0.1), {"minimize": "corner", "prevalence": 0.1}),
        (("--method", "normal"), {"method": "normal"}),
    ],
)
def test_options_are_the_arguments_of_python(cutline, cases, options, arguments):
    path, labels, scores = cases

    done = cutline("cut", path, "--label", "y", "--score", "p", "--quiet", "--resamples", 0, *options)

    expected = cl.choose_cut(cl.evaluate(labels, scores), resamples=0, **arguments)
    assert float(done.out) == expected.threshold


def test_estimates_and_after_looking_reach_python(cutline, cases):
    path, labels, scores = cases
    ev = cl.evaluate(labels, scores)
    common = ("cut", path, "--label", "y", "--score", "p", "--quiet", "--resamples", 0, "--require", "recall >= 0.9")

    looked = cutline(*common, "--after-looking")
    estimated = cutline(*common, "--estimates")

    assert float(looked.out) == cl.choose_cut(ev, "recall >= 0.9", after_looking=True, resamples=0).threshold
    assert float(estimated.out) == cl.choose_cut(ev, "recall >= 0.9", level=None, resamples=0).threshold


def test_the_line_that_says_how_to_use_a_cut_can_be_run_as_it_is(cutline, tmp_path):
    rows = "\n".join(f"{i % 2},{i / 100 + i % 2}" for i in range(40))
    (tmp_path / "new.csv").write_text(f"y,my points\n{rows}\n")

    chosen = cutline("cut", "new.csv", "--label", "y", "--score", "my points", "--quota", "10", "-o", "cut.json")
    line = " ".join(chosen.out[chosen.out.index("Use it: ") :].split())
    done = cutline(*shlex.split(line)[3:])

    assert line == "Use it: cutline apply cut.json new.csv --score 'my points' -o flagged.csv"
    assert done.code == 0, done.err
    assert "10 of 40 cases are flagged" in done.out


def test_what_no_cut_promises_ends_with_one_and_writes_nothing(cutline, ten, tmp_path):
    done = cutline("cut", ten, "--label", "y", "--score", "p", "--require", "recall >= 0.9", "-o", "cut.json")

    assert done.code == 1
    assert "It takes at least 29 positives" in " ".join(done.out.split())
    assert not (tmp_path / "cut.json").exists()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "arrow"])
def test_flags_are_those_of_python_in_every_format(cutline, cases, tmp_path, suffix):
    import pyarrow as pa
    from pyarrow import feather, parquet
    from pyarrow import json as rows

    _, labels, scores = cases
    cut = cl.choose_cut(cl.evaluate(labels, scores), "recall >= 0.9", resamples=0)
    cut.save(tmp_path / "cut.json")
    table = pa.table({"id": np.arange(400), "p": scores})
    source = tmp_path / f"new.{suffix}"
    if suffix == "parquet":
        parquet.write_table(table, source)
    elif suffix == "arrow":
        feather.write_feather(table, source)
    elif suffix == "jsonl":
        source.write_text("\n".join(json.dumps(row) for row in table.to_pylist()) + "\n")
    else:
        source.write_text("id,p\n" + "\n".join(f"{i},{s}" for i, s in enumerate(scores)) + "\n")

    done = cutline("apply", "cut.json", source, "-o", f"flagged.{suffix}")

    out = tmp_path / f"flagged.{suffix}"
    if suffix == "csv":
        found = [line.split(",")[2] == "true" for line in out.read_text().splitlines()[1:]]
    else:
        read = {"parquet": parquet.read_table, "arrow": feather.read_table, "jsonl": rows.read_json}[suffix]
        found = read(out)["flagged"].to_pylist()
    assert done.code == 0
    assert found == cut.apply(scores).tolist()
    assert f"{cut.counts.flagged} of 400 cases are flagged" in done.out


def test_a_csv_file_keeps_its_columns_as_they_are(cutline, tmp_path):
    cl.Cut(0.5, "A cut.").save(tmp_path / "cut.json")
    (tmp_path / "new.csv").write_text('p,P,"a b",note\n0.5,007,"x, y",\n0.25,1e3,,NA\n')

    cutline("apply", "cut.json", "new.csv", "--score", "p", "-o", "flagged.csv")

    assert (tmp_path / "flagged.csv").read_text() == (
        'p,P,a b,note,flagged\n0.5,007,"x, y",,true\n0.25,1e3,,NA,false\n'
    )


def test_low_scores_may_be_the_flagged_ones(cutline, tmp_path):
    cl.Cut(0.5, "A cut.", higher_is_positive=False).save(tmp_path / "cut.json")
    (tmp_path / "new.csv").write_text("p\n0.5\n0.75\n")

    cutline("apply", "cut.json", "new.csv", "-o", "flagged.csv", "--column", "refer")

    assert (tmp_path / "flagged.csv").read_text() == "p,refer\n0.5,true\n0.75,false\n"


def test_single_precision_is_compared_as_it_was_counted(cutline, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    cl.Cut(0.7, "A cut.").save(tmp_path / "cut.json")  # 0.7 is a little more than the float32 of that name
    parquet.write_table(pa.table({"p": np.array([0.7, 0.69], dtype=np.float32)}), tmp_path / "new.parquet")

    cutline("apply", "cut.json", "new.parquet", "-o", "flagged.csv")

    assert (tmp_path / "flagged.csv").read_text().splitlines()[1].endswith("true")


def test_missing_scores_are_refused_or_dropped(cutline, tmp_path):
    cl.Cut(0.5, "A cut.").save(tmp_path / "cut.json")
    (tmp_path / "new.csv").write_text("p\n0.5\nNA\n0.2\n")

    refused = cutline("apply", "cut.json", "new.csv", "-o", "flagged.csv")
    dropped = cutline("apply", "cut.json", "new.csv", "-o", "flagged.csv", "--missing", "drop")

    assert (refused.code, dropped.code) == (2, 0)
    assert "in row 2 below the header: fill them, or pass --missing drop." in " ".join(refused.err.split())
    assert "1 of 2 cases are flagged" in dropped.out
    assert (tmp_path / "flagged.csv").read_text() == "p,flagged\n0.5,true\n0.2,false\n"


@pytest.mark.parametrize("method", ["logistic", None])
def test_a_file_can_be_replaced_by_its_flagged_or_recalibrated_copy(cutline, cases, tmp_path, method):
    _, labels, scores = cases
    shares = 1 / (1 + np.exp(-scores))
    if method is None:
        cl.Cut(0.5, "A cut.").save(tmp_path / "made.json")
    else:
        cl.recalibrate(cl.evaluate(labels, shares), method=method).save(tmp_path / "made.json")
    (tmp_path / "new.csv").write_text("p\n0.5\n0.2\n")

    done = cutline("apply", "made.json", "new.csv", "-o", "new.csv", "--force")

    assert (done.code, done.err) == (0, "")
    assert "2 cases" in done.out
    assert len((tmp_path / "new.csv").read_text().splitlines()) == 3


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "arrow", "jsonl.gz"])
def test_columns_of_a_csv_file_get_their_types_where_the_format_has_some(cutline, tmp_path, suffix):
    import duckdb
    from pyarrow import feather

    cl.Cut(0.5, "A cut.").save(tmp_path / "cut.json")
    long = "12345678901234567890"
    (tmp_path / "new.csv").write_text(
        "p,zip,n,ok,long,far,part,none,name\n"
        f"0.15800000000000003,007,1,true,{long},1e400,.5,,a\n"
        f"6e-1,12,-2,FALSE,{long},1,NA,NA,b\n"
    )

    done = cutline("apply", "cut.json", "new.csv", "--score", "p", "-o", f"flagged.{suffix}")

    out = tmp_path / f"flagged.{suffix}"
    expected = [
        (0.15800000000000003, "007", 1, True, long, "1e400", 0.5, None, "a", False),
        (0.6, "12", -2, False, long, "1", None, "NA", "b", True),
    ]
    if suffix == "arrow":
        found = [tuple(row.values()) for row in feather.read_table(out).to_pylist()]
    else:
        reader = "read_parquet" if suffix == "parquet" else "read_json"
        found = duckdb.connect().execute(f"SELECT * FROM {reader}(?)", [str(out)]).fetchall()  # noqa: S608
    assert done.code == 0
    assert found == expected


@pytest.mark.parametrize(("suffix", "starts"), [("gz", b"\x1f\x8b"), ("zst", b"\x28\xb5\x2f\xfd")])
def test_a_compressed_copy_is_written_and_read_again(cutline, tmp_path, suffix, starts):
    cl.Cut(0.5, "A cut.").save(tmp_path / "cut.json")
    (tmp_path / "new.csv").write_text("p\n0.5\n0.2\n")

    cutline("apply", "cut.json", "new.csv", "-o", f"flagged.csv.{suffix}")
    again = cutline("apply", "cut.json", f"flagged.csv.{suffix}", "--column", "twice", "-o", "twice.csv")

    assert (tmp_path / f"flagged.csv.{suffix}").read_bytes().startswith(starts)
    assert again.code == 0
    assert (tmp_path / "twice.csv").read_text() == "p,flagged,twice\n0.5,true,true\n0.2,false,false\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("apply", "cut.json", "new.csv", "-o", "f.parquet.gz"), "pass a path that ends in"),
        (("apply", "no.json", "new.csv", "-o", "f.csv"), "There is no file"),
        (("apply", "new.csv", "new.csv", "-o", "f.csv"), "is neither JSON nor a ranking file"),
        (("apply", "cut.json", "new.csv", "-o", "f.xls"), "pass a path that ends in"),
        (("apply", "cut.json", "new.csv", "-o", "new.csv"), "exists already"),
        (("apply", "cut.json", "new.csv", "-o", "f.csv", "--score", "q"), "no column 'q'"),
        (("apply", "cut.json", "new.csv", "-o", "f.csv", "--column", "p"), "already"),
        (("cut", "new.csv", "--label", "y", "--score", "p", "--utility", "tp"), "tp=90,fp=-10"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_left(cutline, tmp_path, arguments, says):
    cl.Cut(0.5, "A cut.").save(tmp_path / "cut.json")
    (tmp_path / "new.csv").write_text("y,p\n1,0.5\n0,0.2\n")

    done = cutline(*arguments)

    assert done.code == 2
    assert says in " ".join(done.err.split())
    assert sorted(one.name for one in tmp_path.iterdir()) == ["cut.json", "new.csv"]


# ---------------------------------------------------------------------- cutline check


PROMISE = cl.choose_cut(cl.rank([1, 0] * 50, [1, 0] * 50), "recall >= 0.9", resamples=0).requirements


def new_cases(path, recall, n=400):
    """Half positives, of which a share scores 0.9 and the rest 0.1; negatives score 0.1."""
    found = round(recall * n)
    rows = ["1,0.9"] * found + ["1,0.1"] * (n - found) + ["0,0.1"] * n
    path.write_text("y,p\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize(
    ("recall", "undecided", "code", "state"),
    [
        (0.97, None, 0, "passed"),
        (0.91, None, 0, "undecided"),
        (0.91, "pass", 0, "undecided"),
        (0.91, "fail", 1, "undecided"),
        (0.7, None, 1, "failed"),
        (0.7, "pass", 1, "failed"),
    ],
)
def test_a_promise_is_checked_on_new_cases(cutline, tmp_path, recall, undecided, code, state):
    cl.Cut(0.5, "A cut.", requirements=PROMISE).save(tmp_path / "cut.json")
    new_cases(tmp_path / "new.csv", recall)
    more = () if undecided is None else ("--undecided", undecided)

    done = cutline("check", "new.csv", "--label", "y", "--score", "p", "--cut", "cut.json", "--json", *more)

    result = json.loads(done.out)["results"][0]
    assert (done.code, result["state"], result["value"]) == (code, state, recall)


def test_values_are_judged_by_their_intervals_when_asked_to(cutline, tmp_path):
    new_cases(tmp_path / "new.csv", 0.91)
    common = ("check", "new.csv", "--label", "y", "--score", "p", "--require", "recall >= 0.9", "--json")

    plain, passes, fails = (cutline(*common, *more) for more in ((), ("--undecided", "pass"), ("--undecided", "fail")))

    assert [done.code for done in (plain, passes, fails)] == [0, 0, 1]
    assert [json.loads(done.out)["results"][0]["state"] for done in (plain, passes, fails)] == [
        "passed",
        "undecided",
        "undecided",
    ]


def test_a_cut_without_a_promise_cannot_be_checked(cutline, tmp_path):
    cl.Cut(0.5, "A cut.").save(tmp_path / "cut.json")
    new_cases(tmp_path / "new.csv", 0.9)

    done = cutline("check", "new.csv", "--label", "y", "--score", "p", "--cut", "cut.json")

    assert done.code == 2
    assert "promises nothing" in done.err


def test_a_given_threshold_is_described_as_in_python(cutline, cases):
    path, labels, scores = cases
    common = ("cut", path, "--label", "y", "--score", "p", "--at", 0.8)

    done, mixed = cutline(*common, "--prevalence", 0.1, "--json"), cutline(*common, "--require", "recall >= 0.9")

    expected = cl.cut_at(cl.evaluate(labels, scores), threshold=0.8, prevalence=0.1)
    assert json.loads(done.out) == expected.to_dict() | {"score": "p"}
    VALIDATOR.validate(json.loads(done.out))
    assert mixed.code == 2
    assert "leave the other requirements out" in " ".join(mixed.err.split())


def test_what_apply_prints_steers_no_terminal_and_is_the_data_elsewhere(cutline, cases, tmp_path, monkeypatch):
    (tmp_path / "new.csv").write_text("p,name\n9.0,\x1b[2J\n", encoding="utf-8")
    cutline("cut", cases[0], "--label", "y", "--score", "p", "--maximize", "f1", "--resamples", 0, "-o", "cut.json")

    asked = ("apply", "cut.json", "new.csv", "--score", "p", "--quiet")
    assert cutline(*asked).out == "p,name,flagged\n9.0,\x1b[2J,true\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert cutline(*asked).out == "p,name,flagged\n9.0,\\x1b[2J,true\n"


def test_apply_says_when_it_flags_far_more_than_the_cases_that_chose_the_cut(cutline, tmp_path):
    rng = np.random.default_rng(1)
    for name, shift in (("old", 0.0), ("new", 0.1)):
        scores = np.clip(rng.random(2000) + shift, 0, 1)
        labels = (rng.random(2000) < scores).astype(int)
        lines = [f"{y},{p:.6f}" for y, p in zip(labels, scores, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y,p", *lines]), encoding="utf-8")
    assert cutline("cut", "old.csv", "--label", "y", "--score", "p", "--share", "15%", "-o", "cut.json").code == 0

    assert "the scores may have shifted" not in cutline("apply", "cut.json", "old.csv", "-o", "a.csv").out
    done = cutline("apply", "cut.json", "new.csv", "-o", "b.csv")
    assert "% of these cases, but flagged 15 % of those that chose it: the scores may have" in " ".join(
        done.out.split()
    )
    with pytest.warns(UserWarning, match="the scores may have shifted"):
        cl.load(tmp_path / "cut.json").apply(np.linspace(0.2, 1, 2000))


def test_a_threshold_just_above_a_score_is_short(cutline, tmp_path):
    rng = np.random.default_rng(2)
    scores = np.round(rng.random(1000), 4)
    labels = (rng.random(1000) < scores).astype(int)
    cut = cl.choose_cut(cl.evaluate(labels, scores), "precision >= 0.6")

    assert len(str(cut.threshold)) <= 7
    assert cut.counts == cl.evaluate(labels, scores, threshold=cut.threshold).counts


def test_a_cut_says_on_which_side_cases_are_flagged_and_that_scores_rank_the_wrong_way(cutline, cases):
    path, labels, scores = cases
    asked = ("cut", path, "--label", "y", "--score", "p", "--cost-fp", "1", "--cost-fn", "5")

    right = " ".join(cutline(*asked).out.split())
    assert right.startswith("Flag cases with score >= ")
    assert "!" not in right

    path.write_text("y,p\n" + "\n".join(f"{int(y)},{-s}" for y, s in zip(labels, scores, strict=True)) + "\n")
    warning = "! The AUC is below 0.5. If low scores mean positive, pass --lower-is-positive."
    assert warning in cutline("evaluate", path, "--label", "y", "--score", "p").out
    assert warning in cutline(*asked).out
    assert VALIDATOR.is_valid(document := json.loads(cutline(*asked, "--json").out))
    assert cl.Cut.from_dict(document).warnings == tuple(document["warnings"]) != ()
    turned = " ".join(cutline(*asked, "--lower-is-positive").out.split())
    assert turned.startswith("Flag cases with score <= ")
    assert "!" not in turned
    unordered = cl.evaluate(np.arange(40) % 2 == 0, np.arange(40))
    assert unordered.auc < 0.5
    assert cl.choose_cut(unordered, quota=5, resamples=0).warnings == ()


def test_apply_says_that_a_quota_was_for_a_list_of_another_length(cutline, cases, tmp_path):
    path, labels, scores = cases
    assert cutline("cut", path, "--label", "y", "--score", "p", "--quota", "50", "-o", "cut.json").code == 0
    lines = path.read_text(encoding="utf-8").splitlines()
    (tmp_path / "half.csv").write_text("\n".join(lines[:201]), encoding="utf-8")

    assert "The quota of" not in cutline("apply", "cut.json", path, "-o", "a.csv").out
    flagged = int((scores[:200] >= cl.load(tmp_path / "cut.json").threshold).sum())
    said = " ".join(cutline("apply", "cut.json", "half.csv", "-o", "b.csv").out.split())
    assert f"The quota of 50 was for a list of 400 cases; its threshold flags {flagged} of these 200." in said
    cut = cl.choose_cut(cl.evaluate(labels, scores), share=0.125, resamples=0)
    assert cut.quota is None
    assert cut.surprise(flagged, 200) == ""


def test_resamples_without_a_cut_leave_the_promise_as_it_is():
    rng = np.random.default_rng(0)
    labels = rng.random(300) < 0.4
    cut = cl.choose_cut(cl.evaluate(labels, rng.normal(size=300) + labels), "precision >= 0.6", seed=1)

    assert cut.possible
    assert any("resamples no cut meets" in note and "it still holds." in note for note in cut.notes)


def test_a_quota_of_a_new_list_is_filled_whatever_its_length(cutline, tmp_path):
    """The threshold of an old list flags another number of a new one; a quota flags that many, the best first."""
    rng = np.random.default_rng(8)
    old = tmp_path / "old.csv"
    scores = rng.random(200).round(3)
    old.write_text("y,p\n" + "".join(f"{int(rng.random() < p)},{p}\n" for p in scores))
    cutline("cut", old, "--quota", "30", "-o", tmp_path / "cut.json")
    new = [0.9, 0.2, 0.5, 0.5, 0.1, 0.5, 0.8]
    (tmp_path / "new.csv").write_text("p\n" + "".join(f"{p}\n" for p in new))
    flags = {}
    for name in ("flags.csv", "flags.arrow"):
        done = cutline("apply", tmp_path / "cut.json", tmp_path / "new.csv", "--quota", "4", "-o", tmp_path / name)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("4 of 7 cases are flagged by column 'p'")
        assert "with 2 of the 3 cases that tie at 0.5: the first rows of the file." in " ".join(done.out.split())
    flags = [line.split(",")[1] for line in (tmp_path / "flags.csv").read_text().splitlines()[1:]]
    assert flags == ["true", "false", "true", "true", "false", "false", "true"]
    done = cutline("apply", tmp_path / "cut.json", tmp_path / "new.csv", "--quota", "2", "-o", tmp_path / "two.csv")
    assert "These are the first 2 by score: score >= 0.8." in done.out
    refused = cutline("apply", tmp_path / "cut.json", tmp_path / "new.csv", "--quota", "8", "-o", tmp_path / "no.csv")
    assert (refused.code, refused.err) == (2, "cutline: --quota is 8, but new.csv has 7 cases: pass a smaller one.\n")
    hinted = cutline("apply", tmp_path / "cut.json", tmp_path / "new.csv", "-o", tmp_path / "cut.csv")
    assert "To flag the first 30 of this file, add --quota 30." in hinted.out


def test_a_cut_says_what_it_does_here_and_what_is_one_sided(cutline, ten):
    done = cutline("cut", ten, "--require", "recall >= 0.3", "--confidence", "0.8")
    text = " ".join(done.out.split())
    assert "On these cases it flags " in text
    assert "of the 5 positives, with " in text
    assert "The promise is one-sided: all of its risk of error, 20 %" in text
    assert "two-sided, with 10 % on each side" in text
    assert "Recall " in done.out  # the title, not the name in code


def test_scores_of_the_other_class_are_said_before_the_promise(cutline, ten, tmp_path):
    rows = [line.split(",") for line in ten.read_text(encoding="utf-8").splitlines()[1:]]
    (tmp_path / "turned.csv").write_text("y,p\n" + "".join(f"{1 - int(y)},{p}\n" for y, p in 10 * rows))
    out = cutline("cut", tmp_path / "turned.csv", "--require", "recall >= 0.3", "--confidence", "0.8").out
    assert out.startswith("! The scores look like probabilities of the other class")


def test_a_cut_knows_the_column_that_chose_it(cutline, tmp_path):
    rows = "".join(f"{i % 2},{(i * 7 % 20) / 20 + i % 2},{i}\n" for i in range(40))
    (tmp_path / "two.csv").write_text("y,model,amount\n" + rows)
    cutline("cut", "two.csv", "--label", "y", "--score", "model", "--quota", "10", "-o", "of_model.json")

    named = cutline("apply", "of_model.json", "two.csv", "-o", "flagged.csv").out
    other = cutline("apply", "of_model.json", "two.csv", "--score", "amount", "-o", "others.csv").out

    assert "10 of 40 cases are flagged by column 'model'" in named
    assert "was chosen on" not in named
    assert "The cut was chosen on column 'model': is 'amount' the same score?" in " ".join(other.split())


def test_the_intervals_at_the_cut_of_a_quota_say_that_its_threshold_is_fixed(cutline, ten):
    assert "at this threshold, kept fixed" in cutline("cut", ten, "--quota", "4").out
    assert "at this cut" in cutline("cut", ten, "--at", "0.5").out
