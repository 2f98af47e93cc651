"""Bad input: exit code 2, one sentence on standard error, never a traceback, and nothing that steers a terminal."""

import csv
import inspect
import io
import json
import os

import click
import pyarrow as pa
import pytest
from pyarrow import parquet

from cutline.cli.main import load_commands
from cutline.cli.text import OPTIONS, escape_controls, name_options, strip_controls
from cutline.core.errors import Argument, InputError, Text

BAD_FILES = {
    "empty.csv": (b"", "empty"),
    "header.csv": (b"y,p\n", "no rows"),
    "text.csv": (b"y,p\n1,0.5\n0,abc\n", "'abc', in row 2"),
    "mixed.csv": (b"y,p\n1,0.5\nyes,0.3\n0,0.2\n", "3 different values"),
    "nan.csv": (b"y,p\n1,0.5\n0,NaN\n", "--missing drop"),
    "words.csv": (b"y,p\nspam,0.5\nham,0.3\n", "--positive spam"),
    "bad.parquet": (b"this is no Parquet", "cannot be read as Parquet"),
    "short.parquet": (b"PAR1", "cannot be read as Parquet"),
    "binary.csv": (bytes(range(256)) * 20, "binary"),
    "latin.csv": (b"y,p\n1,0.5\n\x81\xfe,0.3\n", "UTF-8"),
    "broken.jsonl": (b'{"y": 1, "p": 0.5}\n{"y": 0,', "JSON"),
    "long.csv": (b"y,p,t\n1,0.5," + b"x" * 5_000_000 + b"\n0,0.2,\n", "a row in line 2 of more than 2 million bytes"),
    "inf.jsonl": (b'{"y": 1, "p": inf}\n{"y": 0, "p": 0.2}\n', "inf, which is not a number in JSON"),
    "minus.jsonl": (b'[{"y": 1, "p": 0.5}, {"y": 0, "p": -INF}]', "-INF, which is not a number in JSON"),
    "noise.jsonl": (bytes(range(1, 256)), "not UTF-8 text"),
    "ragged.csv": (b"y,p\n1,0.5\n0,0.2,7\n", "line 3"),
    "labels.csv": (b"y,label,p\n1,1,0.5\n0,0,0.2\n", "Pass --label"),
    "several.csv": (b"y,a,b\n1,0.5,0.1\n0,0.2,0.2\n", "Pass --score"),
}


def error_of(done):
    """The one sentence of a refusal."""
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("cutline: ")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    return done.err


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused(cutline, tmp_path, name):
    content, says = BAD_FILES[name]
    (tmp_path / name).write_bytes(content)

    assert says in error_of(cutline("evaluate", tmp_path / name))


@pytest.mark.parametrize("suffix", ["gz", "zst"])
@pytest.mark.parametrize("bad", [3, 2_000, 9_999])
def test_bytes_that_are_no_text_are_refused_in_a_column_that_is_not_used(cutline, tmp_path, suffix, bad):
    rows = [b"%d,0.%d,a\n" % (i % 2, i % 97) for i in range(10_000)]
    rows[bad] = b"1,0.5,\xff\xfe\n"
    path = tmp_path / f"f.csv.{suffix}"
    with pa.CompressedOutputStream(str(path), {"gz": "gzip", "zst": "zstd"}[suffix]) as stream:
        stream.write(b"y,p,note\n" + b"".join(rows))

    said = error_of(cutline("evaluate", path, "--label", "y", "--score", "p"))

    assert f"f.csv.{suffix} is not UTF-8 text in line {bad + 2}" in said


def test_cases_of_one_class_are_evaluated_as_python_does(cutline, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("y,p,q\n1,0.5,0.1\n1,0.3,0.9\n", encoding="utf-8")

    done = cutline("evaluate", path, "--label", "y", "--score", "p", "--json", "--measures", "auc,recall")
    rows = {row["measure"]: row for row in json.loads(done.out)["measures"]}
    assert rows["recall"]["value"] == 0.5
    assert rows["auc"]["value"] is None
    assert rows["auc"]["reason"] == "there is no negative case"
    both = cutline("compare", path, "--label", "y", "--score", "p", "--score", "q", "--measures", "recall")
    assert both.code == 0
    gate = ("check", path, "--label", "y", "--score", "p", "--require")
    assert cutline(*gate, "recall >= 0.4").code == 0
    assert cutline(*gate, "auc >= 0.4").code == 1


def test_objects_with_thousands_of_names_are_read(cutline, tmp_path):
    path = tmp_path / "wide.jsonl"
    more = {f"k{i}": i for i in range(500)}
    rows = [{"y": i % 2, "p": 0.25 + i % 2 / 2, **more} for i in range(8)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    done = cutline("evaluate", path, "--label", "y", "--score", "p", "--json", "--measures", "auc")

    assert json.loads(done.out)["measures"][0]["value"] == 1


def test_objects_with_more_names_than_can_be_read_in_a_while_are_refused(cutline, tmp_path):
    path = tmp_path / "wide.jsonl"
    rows = [{"y": i % 2, "p": 0.5} | {f"k{i} {j}": j for j in range(1_000)} for i in range(30)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    said = error_of(cutline("evaluate", path, "--label", "y", "--score", "p"))

    assert "wide.jsonl has 30,002 different names in its objects, of which there may be 20,000" in said


@pytest.mark.posix
def test_what_is_no_file_is_refused(cutline, ten, tmp_path):
    assert "Did you mean ten.csv?" in error_of(cutline("evaluate", tmp_path / "tem.csv"))
    (tmp_path / "empty").mkdir()
    assert "empty" in error_of(cutline("evaluate", tmp_path / "empty"))
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nowhere.csv")
    assert "a link to a file that does not exist" in error_of(cutline("evaluate", tmp_path / "gone.csv"))
    if os.geteuid():  # the superuser may read anything
        ten.chmod(0)
        assert "cannot be opened" in error_of(cutline("evaluate", ten))


def test_repeated_and_absent_ids_are_refused(cutline, tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("id,y,p\na,1,0.5\nb,0,0.1\na,0,0.2\n", encoding="utf-8")

    assert "repeats the id 'a' of row 1 in row 3" in error_of(cutline("evaluate", path, "--id", "id"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--score", "q"], "no column 'q', which --score names"),
        (["--label", "Y"], "Did you mean y?"),
        (["--weight", "w"], "which --weight names"),
        (["--group", "g"], "which --group names"),
        (["--id", "i"], "which --id names"),
        (["--positive", "2"], "--positive 2 is not among the labels"),
        (["--measures", "acu"], "Did you mean auc?"),
        (["--measures", "auc", "--all"], "pass one of them"),
        (["--measures", "hit_rate"], "--quota 3"),
        (["--measures", "auc.low"], "expected the measure alone, which comes with its interval, but found '.low'"),
        (["--label", "y", "--score", "y"], "--label and --score both name 'y'"),
        (["--score", "p", "--weight", "p"], "--score and --weight both name 'p'"),
        (["--family", "rank"], "Invalid value for '--family': 'rank' is not one of"),
        (["--quota", "11"], "10 cases"),
        (["--quota", "many"], "--quota"),
        (["--share", "2"], "--share is 2"),
        (["--level", "95"], "level is 95"),
        (["--seed", "-1"], "seed is -1"),
        (["--resamples", "-1"], "--resamples is -1"),
        (["--json", "--csv"], "--json and --csv"),
        (["--html", "report.txt"], "ends in .html"),
        (["--png", "ten.csv"], "which is a file"),
        (["--missing", "guess"], "--missing"),
        (["--nonsense"], "No such option"),
        (["--capacity", "3"], "No such option '--capacity': it is called --quota here."),
        (["--cutoff", "0.3"], "No such option '--cutoff': it is called --threshold here."),
        (["another.csv"], "There is no file 'another.csv'"),
    ],
)
def test_bad_options_are_refused(cutline, ten, arguments, says):
    assert says in error_of(cutline("evaluate", ten, *arguments))


def test_other_commands_refuse_as_well(cutline, ten):
    assert "at least two" in error_of(cutline("compare", ten, "--score", "p"))
    assert "--score" in error_of(cutline("compare", ten))
    assert "--score names 'p' twice" in error_of(cutline("compare", ten, "--score", "p", "--score", "p"))
    assert "write hit_rate@quota=100" in error_of(cutline("check", ten, "--require", "hit_rate > 0.1"))
    assert "write qrecall@quota=100" in error_of(cutline("check", ten, "--against", ten, "--no-worse", "qrecall"))
    assert "Pass the files of the predictions" in error_of(cutline("evaluate"))
    assert "No such command" in error_of(cutline("evaluat"))
    assert "prevalence" in error_of(cutline("advise", "--goal", "rank", "--prevalence", "2"))


# ---------------------------------------------------------------------- text that came from elsewhere

NASTY = "\x1b[31mred\x1b]0;title\x07 [bold]b[/bold] \u202eabc"


def test_control_characters_never_reach_the_terminal(cutline, tmp_path):
    path = tmp_path / "n\x1b[2J.csv"
    path.write_text(f'y,"{NASTY}"\n"{NASTY}",0.9\nno,0.2\nno,0.3\n', encoding="utf-8")
    runs = [
        cutline("evaluate", path, "--positive", NASTY, "--measures", "auc", "--name", NASTY),
        cutline("evaluate", path, "--positive", NASTY, "--measures", "auc", "--csv"),
        cutline("evaluate", path, "--label", NASTY),
        cutline("evaluate", path, "--score", NASTY + "x"),
        cutline("evaluate", path),
        cutline("evaluate", path, "--positive", "\x1b[5m"),
        cutline("evaluate", str(path) + "\x1b[5m"),
        cutline("check", path, "--positive", NASTY, "--require", "auc > 2"),
        cutline("check", path, "--positive", NASTY, "--require", "auc\x1b > 2"),
        cutline("evaluate", path, "--nonsense\x1b[5m"),
    ]

    assert {done.code for done in runs} == {0, 1, 2}
    for done in runs:
        assert not {"\x1b", "\x07", "\u202e"} & set(done.out + done.err)
    assert "[bold]b[/bold]" in runs[0].out  # what looks like markup is text


HIDDEN = "\x1b]0;owned\x07\u202e\u2028\U000e0041"  # steers a terminal, turns the line, ends a script's, is invisible


@pytest.mark.parametrize("written", ["evaluate --by", "slices --by", "compare --by", "report", "clinical", "check"])
def test_names_of_columns_labels_and_models_steer_nothing(cutline, tmp_path, written):
    path, target = tmp_path / f"f{HIDDEN}.csv", tmp_path / "out.html"
    rows = [
        (f"yes{HIDDEN}" if i % 3 else "no", f"{i * 7 % 20 / 20}", f"{i * 3 % 20 / 20}", "ab"[i % 2]) for i in range(60)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([(f"y{HIDDEN}", f"p{HIDDEN}", f"q{HIDDEN}", f"g{HIDDEN}"), *rows])
    data = [path, "--label", f"y{HIDDEN}", "--positive", f"yes{HIDDEN}", "--score", f"p{HIDDEN}"]
    command, _, by = written.partition(" ")
    if by:
        data += [by, f"g{HIDDEN}", *(["--score", f"q{HIDDEN}"] if command == "compare" else [])]
        done = cutline(command, *data)
    elif command == "check":
        done = cutline("check", *data, "--require", "auc >= 0.99", "--junit", target, "--markdown", tmp_path / "out.md")
    else:
        done = cutline("evaluate", *data, "--threshold", 0.5, "--html", target, "--template", written)

    assert done.code == (1 if command == "check" else 0), done.err
    texts = [file.read_text(encoding="utf-8") for file in (target, tmp_path / "out.md") if file.exists()]
    assert not {*HIDDEN} - {*"]0;owned"} & {*"".join([done.out, done.err, *texts])}


@pytest.mark.parametrize("character", ["\x9b", "\x7f", "\x85", "\u202e", "\x1b"])
def test_a_control_character_in_a_label_is_written_out_in_json(cutline, tmp_path, character):
    path = tmp_path / "f.csv"
    path.write_text(f"y,p\n{character}2J,0.9\nno,0.2\n", encoding="utf-8")
    done = cutline("evaluate", path, "--positive", f"{character}2J", "--measures", "auc", "--resamples", "0", "--json")

    assert character not in done.out + done.err
    assert json.loads(done.out)["positive"] == f"{character}2J"


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "@SUM(A1:A9)", "+1+1", "-2+3"])
def test_no_table_of_a_comparison_runs_in_a_spreadsheet(cutline, tmp_path, name):
    with (tmp_path / "f.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["y", name, "q"], [1, 0.9, 0.8], [0, 0.2, 0.3], [1, 0.7, 0.1], [0, 0.3, 0.4]])
    options = ("--label", "y", f"--score={name}", "--score", "q", "--measures", "auc", "--resamples", "0")
    done = cutline("compare", "f.csv", *options, "--csv", "--save", "out.csv")

    assert done.code == 0
    for text in (done.out, (tmp_path / "out.csv").read_text(encoding="utf-8")):
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert f"'{name}" in cells
        assert name not in cells


def test_printable_leaves_words_alone():
    assert escape_controls("Größe 漢字 'x'") == "Größe 漢字 'x'"
    assert escape_controls("a\tb\r\n\x9b\u200b") == "a\\tb\\r\\n\\x9b\\u200b"
    assert strip_controls("a\x00\x1bb\ud800\uffff") == "ab"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (Text("If it is, pass ", Argument("quota"), "."), "If it is, pass --quota."),
        (Text("Then pass ", Argument("higher_is_positive", False), "."), "Then pass --lower-is-positive."),
        (Text("pass ", Argument("overwrite", True), ", or"), "pass --force, or"),
        (Text("pass ", Argument("positive", True)), "pass --positive true"),
        (Text("pass ", Argument("positive", "it's")), "pass --positive 'it'\"'\"'s'"),
        (Text("pass ", Argument("nothing_like_it")), "pass nothing_like_it"),
        ("quota= in a plain text is text", "quota= in a plain text is text"),
        (
            InputError("holds NaN", "pass numbers", argument="scores", position=2),
            "scores holds NaN in row 3: pass numbers.",
        ),
        (InputError("is 95", "pass 0.95", argument="level"), "--level is 95: pass 0.95."),
    ],
)
def test_what_the_package_says_is_told_in_options(said, expected):
    assert name_options(said) == expected


def test_every_option_that_messages_name_exists():
    declared = {name for command in load_commands().values() for option in command.params for name in option.opts}

    assert set(OPTIONS.values()) <= declared


@pytest.mark.parametrize("column", ["list", "struct", "bytes"])
@pytest.mark.parametrize("option", ["--id", "--group", "--label", "--weight", "--stratum"])
def test_a_nested_column_is_refused_whatever_it_is_named_for(cutline, tmp_path, option, column):
    nested = {"list": [[1], [2], [3], [4]], "struct": [{"a": 1}] * 4, "bytes": [b"a", b"b", b"c", b"d"]}
    table = pa.table({"y": [1, 0, 1, 0], "p": [0.9, 0.1, 0.8, 0.3], **nested})
    parquet.write_table(table, tmp_path / "x.parquet")

    label = [] if option == "--label" else ["--label", "y"]
    done = cutline("evaluate", tmp_path / "x.parquet", *label, "--score", "p", option, column)
    assert f"(column '{column}') holds a " in error_of(done)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("evaluat", "x.csv"), "No such command 'evaluat'. Did you mean evaluate?"),
        (("frobnicate",), "No such command 'frobnicate'. The command cutline --help lists them all."),
        (("compare", "--reference", "none"), "--reference is 'none': pass one of p, q."),
        (("compare", "--primary", "f1", "--measures", "auc"), "which was not compared: add it to --measures."),
        (("slices", "--score", "p", "--by", "s", "--margin", "5%"), "and 'worse' or 'better' as --alternative."),
        (("slices", "--score", "p", "--find", "--features", "t"), "has no column 't', which --features names."),
        (("slices", "--score", "p", "--find", "--features", "s"), "pass other features, or a smaller --least."),
    ],
)  # fmt: skip
def test_a_refusal_names_the_option_and_the_way_out(cutline, tmp_path, arguments, says):
    (tmp_path / "x.csv").write_text("y,p,q,s\n" + "1,0.9,0.8,a\n0,0.2,0.3,b\n1,0.7,0.1,a\n0,0.3,0.4,b\n" * 5)
    file = [] if arguments[0] not in ("compare", "slices") else ["x.csv", "--label", "y"]
    models = ["--score", "p", "--score", "q", "--resamples", "0"] if arguments[0] == "compare" else []

    assert says in error_of(cutline(arguments[0], *file, *models, *arguments[1:]))


def test_a_table_of_data_sets_is_named_by_its_file(cutline, tmp_path):
    (tmp_path / "x.csv").write_text("data,a\nd1,0.5\nd2,0.6\n")

    assert (
        error_of(cutline("datasets", "x.csv")) == "cutline: x.csv has 1 column of numbers: pass at least two models.\n"
    )


def test_a_folder_is_named_where_a_ranking_or_a_cut_is_expected(cutline):
    for command in (("merge", ".", ".", "-o", "x.ranking"), ("apply", ".", "x.csv"), ("monitor", ".", ".")):
        assert error_of(cutline(*command)).startswith("cutline: . cannot be read (")


def test_slices_of_one_class_have_no_value_and_are_no_defect(cutline, tmp_path):
    (tmp_path / "x.csv").write_text("y,p,s\n" + "1,0.9,a\n1,0.7,b\n" * 8)
    done = cutline("slices", "x.csv", "--label", "y", "--score", "p", "--by", "s")

    assert done.code == 0
    assert done.out.startswith("No slice has enough cases to be compared with the rest")


# What is no share and no level, so that a percentage would mean nothing.
NUMBERS = {"--threshold", "--at", "--quota", "--pick", "--cost-fp", "--cost-fn", "--value", "--cost", "--log-odds"}


def test_every_option_that_takes_a_share_or_a_level_takes_percent():
    options = [option for command in load_commands().values() for option in command.params]
    floats = {name for option in options if option.type is click.FLOAT for name in option.opts}
    choices = [option for option in options if isinstance(option.type, click.Choice)]

    assert floats == NUMBERS | {"--dpi"}
    assert choices
    assert not [option.opts for option in choices if option.type.case_sensitive]


def test_percent_and_names_in_any_case_are_read(cutline, tmp_path):
    (tmp_path / "x.csv").write_text("y,p,q\n" + "1,0.9,0.8\n0,0.2,0.3\n1,0.7,0.1\n0,0.3,0.4\n" * 5)
    options = ("x.csv", "--label", "y", "--score", "p", "--resamples", "0")
    rows = cutline("evaluate", *options, "--family", "Ranking", "--level", "90%", "--share", "50%", "--csv")
    models = (*options, "--score", "q", "--measures", "Average_Precision")
    compared = cutline("compare", *models, "--primary", "AP")
    against = ("--against", "x.csv", "--against-score", "q", "--no-worse", "AUC", "--margin", "5%")

    assert "\nauc,Area under the ROC curve,ranking," in rows.out
    assert (rows.code, compared.code) == (0, 0)
    assert cutline("check", *options, *against).code == 0
    for days in ("1", "2"):
        assert cutline("rank", *options[:5], "-o", f"2026-01-0{days}.ranking").code == 0
    watched = ("monitor", "2026-01-01.ranking", "2026-01-02.ranking", "--measure", "auc", "--worse-by")
    assert cutline(*watched, "AUC=5%").out == cutline(*watched, "0.05").out


# ---------------------------------------------------------------------- options beside those that say what is evaluated

# Each option that `evaluate` and `compare` declare themselves, with a value.
OWN_OPTIONS = {
    "evaluate": {
        "--name": ["May"],
        "--template": ["tools"],
        "--ranking-csv": ["ranking.csv"],
        "--class-scores": ["0=other,1=p"],
        "--by": ["site"],
        "--simultaneous": [],
        "--fold": ["fold"],
        "--repeat": ["fold"],
        "--quota-by": ["site"],
        "--ordered": [],
        "--labels": ["y,site"],
    },
    "compare": {
        "--class-scores": ["p:0=other,1=p"],
        "--independent": [],
        "--goal": ["rank"],
        "--primary": ["auc"],
        "--reference": ["p"],
        "--pairs": [],
        "--fold": ["fold"],
        "--repeat": ["fold"],
        "--rope": ["0.05"],
        "--quota-by": ["site"],
        "--by": ["site"],
    },
}
WHAT_IS_EVALUATED = [
    ("evaluate", "--by", "site"),
    ("evaluate", "--fold", "fold"),
    ("evaluate", "--quota-by", "site", "--quota", "5"),
    ("evaluate", "--class-scores", "0=other,1=p"),
    ("compare", "--by", "site"),
    ("compare", "--fold", "fold"),
    ("compare", "--quota-by", "site", "--quota", "5"),
    ("compare", "--class-scores", "a:0=other,1=p", "--class-scores", "b:0=p,1=other"),
    ("compare", "--independent"),
]


@pytest.fixture
def sites(tmp_path):
    """Two models on 80 cases of two sites, in five folds."""
    rows = [
        f"{i % 2},{(i * 37 % 80 + 20 * (i % 2)) / 100},{(i * 53 % 80 + 10 * (i % 2)) / 100},"
        f"{1 - (i * 37 % 80 + 20 * (i % 2)) / 100},{i // 40},{i // 2 % 5}"
        for i in range(80)
    ]
    path = tmp_path / "sites.csv"
    path.write_text("\n".join(["y,p,q,other,site,fold", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("command", OWN_OPTIONS)
def test_the_options_that_are_tried_are_all_of_the_command(command):
    names = inspect.signature(load_commands()[command].callback).parameters
    own = [f"--{name.replace('_', '-')}" for name in names if name not in ("files", "reading", "selection", "output")]

    assert own == [*OWN_OPTIONS[command]], "add it to OWN_OPTIONS"


@pytest.mark.parametrize("called", WHAT_IS_EVALUATED, ids=lambda called: " ".join(called[:2]))
def test_an_option_is_used_or_refused_whatever_is_evaluated(cutline, sites, called):
    command, mode, *_ = called
    files = [sites] * (2 if mode == "--independent" else 1)
    scores = [] if mode == "--class-scores" else ["--score", "p"]
    scores += ["--score", "q"] if command == "compare" and scores and mode != "--independent" else []
    call = [command, *files, "--label", "y", *scores, *called[1:]]
    plain, document = cutline(*call), cutline(*call, "--json")
    ignored = []
    for option, value in OWN_OPTIONS[command].items():
        if option != mode and (done := cutline(*call, option, *value)).code == 0:
            with_json = cutline(*call, option, *value, "--json")
            ignored += [option] if (done.out, with_json.out) == (plain.out, document.out) else []

    assert plain.code == 0, plain.err
    assert ignored == [], "use it or refuse it: `refused` in the module of the command"
