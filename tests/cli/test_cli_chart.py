"""`cutline chart`: any chart as a file, and one sentence where there is none."""

import json
import struct

import pytest

from cutline.charts import CHARTS, Shows

OPTIONS = ("--label", "label", "--positive", "malignant")


def error_of(done):
    assert done.code == 2
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1
    return done.err


def test_every_chart_is_listed(cutline):
    done = cutline("chart", "--list")

    assert done.code == 0
    assert all(f"{kind.name} ({kind.shows.value})" in done.out for kind in CHARTS.values())


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html", "json"])
def test_a_chart_is_written_as_its_name_says(cutline, ten, tmp_path, suffix):
    done = cutline("chart", ten, "roc", "--label", "y", "--score", "p", "-o", f"roc.{suffix}")

    assert (done.code, done.out, done.err) == (0, "", f"roc.{suffix} is written.\n")
    assert (tmp_path / f"roc.{suffix}").stat().st_size > 1000


def test_every_chart_can_be_drawn_from_the_command_line(cutline, tumours, tmp_path):
    models = ("--score", "logistic", "--score", "tree")
    done = cutline("chart", tumours, "all", *OPTIONS, *models, "-o", tmp_path / "{name}.json")
    written = {path.stem for path in tmp_path.glob("*.json")}

    assert done.code == 0, done.err
    of_one = {kind.name for kind in CHARTS.values() if kind.shows is Shows.ONE}
    of_classes = {kind.name for kind in CHARTS.values() if kind.shows is Shows.CLASSES}
    each = {f"{name}-{model}" for name in of_one for model in ("logistic", "tree")}
    assert written == (set(CHARTS) - of_one - of_classes) | each


def test_the_picture_has_the_size_the_dots_the_theme_and_the_title_that_were_asked_for(cutline, ten, tmp_path):
    look = ("--width", "100mm", "--height", "90mm", "--dpi", "300", "--theme", "print", "--title", "Ten cases")
    assert cutline("chart", ten, "roc", "--label", "y", "--score", "p", *look, "-o", "a.png").code == 0
    assert cutline("chart", ten, "roc", "--label", "y", "--score", "p", *look, "-o", "a.json").code == 0
    png, spec = (tmp_path / "a.png").read_bytes(), json.loads((tmp_path / "a.json").read_text())

    assert struct.unpack(">II", png[16:24]) == pytest.approx((100 / 25.4 * 300, 90 / 25.4 * 300), abs=4)
    assert struct.unpack(">I", png[png.index(b"pHYs") + 4 :][:4]) == (11811,)
    assert spec["title"]["text"] == "Ten cases"
    assert spec["config"]["title"]["color"] == "#000000"


def test_parameters_of_a_chart_are_set_by_name(cutline, ten, tmp_path):
    wanted = ("--set", "cost_fn=2", "--set", "hull=false")
    assert cutline("chart", ten, "roc", "--label", "y", "--score", "p", *wanted, "-o", "a.json").code == 0

    text = (tmp_path / "a.json").read_text()
    assert "equal cost 0.3000" in text
    assert "convex hull" not in text


def test_the_losses_need_no_file(cutline, tmp_path):
    assert cutline("chart", "losses", "-o", "losses.json").code == 0
    assert (tmp_path / "losses.json").is_file()


def test_several_charts_go_into_a_folder(cutline, ten, tmp_path):
    done = cutline("chart", ten, "roc", "gain", "--label", "y", "--score", "p", "-o", "charts", "-q")

    assert (done.code, done.err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "charts").iterdir()) == ["gain.svg", "roc.svg"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("rok",), "There is no chart 'rok'. Did you mean roc? There are roc, "),
        (("psi",), "There is no chart 'psi'. There are roc, "),
        ((), "No chart is named: pass a file and the names of charts; --list shows them all."),
        (
            ("roc", "gain", "-o", "a.svg"),
            "2 pictures are requested, but --output is one file: pass a folder, or a name",
        ),
        (("roc", "-o", "a.bmp"), "--output is 'a.bmp': pass a name that ends in .png, .svg, .pdf, .html, .json."),
        (("roc", "-o", "a.svg", "--width", "wide"), "--width is 'wide': pass a number of pixels, or a length such"),
        (("roc", "-o", "a.svg", "--height", "2mm"), "--height is '2mm', which is 8 px: pass 100 to 5000 px."),
        (("roc", "-o", "a.png", "--dpi", "1"), "--dpi is 1.0: pass a number of dots to an inch"),
        (("roc", "-o", "a.svg", "--set", "5"), "--set is '5': pass name=value, such as cost_fn=5."),
        (("roc", "-o", "a.svg", "--set", "theme=dark"), "--set is 'theme=dark': pass --theme, which is an option of"),
        (("roc", "-o", "a.svg", "--set", "name=f1"), "--set is 'name=f1': pass a parameter of the chart."),
        (("roc", "-o", "a.svg", "--set", "hull=" + "-" * 50_000 + "1"), "hull is '---"),
        (("roc", "-o", "a.svg", "--set", "hul=1"), "The chart roc has no parameter 'hul': it takes hull"),
        (("roc", "-o", "nowhere/a.svg"), "There is no folder 'nowhere': make it, or pass another path."),
        (("roc", "roc"), "The chart roc is named twice: name each once."),
        (("roc", "all"), "all stands for every chart: pass it alone, or name the charts."),
        (("dominance",), "dominance compares models, but one was given: pass two or more."),
        (("auc",), "There is no chart 'auc'. auc is the area under the curve of the chart roc: use that."),
    ],
)
def test_a_mistake_gets_one_sentence(cutline, ten, tmp_path, arguments, sentence):
    done = cutline("chart", ten, *arguments, "--label", "y", "--score", "p")

    assert error_of(done).startswith(f"cutline: {sentence}")
    assert [path.name for path in tmp_path.iterdir()] == ["ten.csv"]


def test_a_file_that_exists_is_kept_unless_forced(cutline, ten, tmp_path):
    (tmp_path / "a.json").write_text("old")
    arguments = ("chart", ten, "roc", "--label", "y", "--score", "p", "-o", "a.json")

    assert error_of(cutline(*arguments)) == "cutline: 'a.json' exists already: pass --force, or another path.\n"
    assert (tmp_path / "a.json").read_text() == "old"
    assert cutline(*arguments, "--force").code == 0
    assert (tmp_path / "a.json").read_text() != "old"
