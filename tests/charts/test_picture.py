"""Pictures as files: whole, offline, and by the suffix."""

import base64
import hashlib
import json
import multiprocessing
import os
import re
import struct
from html.parser import HTMLParser

import pytest

import cutline as cl
from cutline.charts.picture import SUFFIXES, Picture, compress_png
from cutline.charts.renderer import measure_svg
from sources import BERRAR_LABELS, BERRAR_SCORES

pytestmark = pytest.mark.slow

PICTURE = cl.evaluate(BERRAR_LABELS, BERRAR_SCORES).chart("roc")
BEGINS = {".png": b"\x89PNG", ".svg": b"<svg", ".pdf": b"%PDF", ".html": b"<!DOCTYPE html>", ".json": b"{"}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_picture_is_saved_as_its_suffix_says(tmp_path, suffix):
    path = PICTURE.save(tmp_path / f"roc{suffix}")

    assert path.read_bytes().lstrip().startswith(BEGINS[suffix])
    assert [file.name for file in tmp_path.iterdir()] == [f"roc{suffix}"]


def test_the_case_of_a_suffix_does_not_matter(tmp_path):
    assert PICTURE.save(str(tmp_path / "ROC.JSON")).is_file()


def test_the_json_is_the_specification(tmp_path):
    assert json.loads(PICTURE.save(tmp_path / "roc.json").read_text()) == PICTURE.to_dict()


class Requests(HTMLParser):
    """What a browser would ask a server for when it opens the page."""

    def __init__(self):
        super().__init__()
        self.asked = []
        self.scripts = 0

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.asked += [value for name, value in attrs if name in ("src", "href", "srcset", "data", "action")]


def test_the_page_asks_no_server_for_anything():
    page = Requests()
    page.feed(PICTURE.to_html())

    assert page.scripts >= 1
    assert page.asked == []
    assert '"url"' not in PICTURE.to_json()


def test_a_page_that_asks_would_be_seen():
    page = Requests()
    page.feed(PICTURE.altair.to_html())

    assert any("jsdelivr" in url for url in page.asked)


def test_the_policy_of_the_page_lets_its_own_programs_run_and_nothing_be_fetched():
    page = PICTURE.to_html()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]

    assert len(scripts) == 2
    assert policy.startswith("default-src 'none'; script-src " + " ".join(f"'sha256-{one}'" for one in hashes))
    assert "unsafe-eval" not in policy
    assert "connect-src" not in policy  # so that nothing may be fetched


def test_a_picture_that_cannot_be_made_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "roc.png"
    path.write_text("old")
    monkeypatch.setattr(Picture, "render", lambda *_, **__: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        PICTURE.save(path)
    assert path.read_text() == "old"


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))

    with pytest.raises(cl.ParameterError, match=r"cannot be written \(full\)"):
        PICTURE.save(tmp_path / "roc.json")
    assert list(tmp_path.iterdir()) == []


def test_the_scale_is_the_number_of_dots_to_a_pixel():
    def width(png):
        return int.from_bytes(png[16:20], "big")

    assert width(PICTURE.render(".png", scale=2)) == pytest.approx(2 * width(PICTURE.render(".png", scale=1)), abs=2)


def chunks(png):
    found, at = {}, 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        found[png[at + 4 : at + 8]] = png[at + 8 : at + 8 + length]
        at += length + 12
    return found


@pytest.mark.parametrize(
    ("asked", "dots"), [({}, 192), ({"dpi": 300}, 300), ({"scale": 1}, 96), ({"dpi": 72}, 72)], ids=str
)
def test_a_png_says_how_many_dots_an_inch_has(asked, dots):
    png = PICTURE.render(".png", **asked)
    across, down, unit = struct.unpack(">IIB", chunks(png)[b"pHYs"])
    width, _ = measure_svg(PICTURE.render(".svg").decode())

    assert unit == 1  # metres
    assert across == down == round(dots / 0.0254)
    assert int.from_bytes(png[16:20], "big") == pytest.approx(width * dots / 96, abs=1)


def test_squeezing_again_changes_nothing():
    png = PICTURE.render(".png", scale=1)

    assert compress_png(png, 96) == png
    assert len(png) < 60_000


def test_a_picture_in_a_notebook_needs_no_network_and_no_program():
    data, about = PICTURE._repr_mimebundle_()

    assert set(data) == {"image/svg+xml", "image/png", "text/plain"}
    assert data["image/svg+xml"].startswith("<svg")
    assert "<script" not in data["image/svg+xml"]
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert about["image/png"]["width"] == measure_svg(data["image/svg+xml"])[0]
    assert not hasattr(PICTURE, "_repr_html_")  # which a notebook would prefer
    assert repr(PICTURE) == "Picture of roc: .save(path) writes .png, .svg, .pdf, .html, .json"


# ---------------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    ("width", "height", "pixels"),
    [
        (500, 400, (500, 400)),
        ("85mm", "90mm", (321.3, 340.2)),
        ("6in", None, (576, None)),
        (None, "300px", (None, 300)),
    ],
)
@pytest.mark.parametrize("name", ["roc", "dominance", "skew"])
def test_the_whole_picture_has_the_size_that_was_asked_for(name, width, height, pixels):
    models = {"a": cl.evaluate([1, 0, 1, 0], [4, 3, 2, 1]), "b": cl.evaluate([1, 0, 1, 0], [4, 1, 2, 3])}
    if name == "skew" and width is not None:
        width, pixels = "200mm", (755.9, pixels[1])  # two charts side by side
    picture = cl.chart(name, models if name == "dominance" else models["a"], width=width, height=height)
    found = measure_svg(picture.render(".svg").decode())

    assert all(
        goal is None or is_now == pytest.approx(goal, abs=1.1) for is_now, goal in zip(found, pixels, strict=True)
    )


@pytest.mark.parametrize("width", ["85mm", 900])
def test_a_width_alone_keeps_the_shape_of_the_axes(width):
    ev = cl.evaluate([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.6, 0.4, 0.3, 0.1])
    usual, narrow = (ev.chart("reliability", band="none", width=one).to_dict()["vconcat"] for one in (None, width))

    assert narrow[0]["width"] != usual[0]["width"]
    assert narrow[0]["height"] / narrow[0]["width"] == pytest.approx(usual[0]["height"] / usual[0]["width"])
    assert narrow[1]["height"] == usual[1]["height"]  # the distribution below it


def test_a_pdf_has_the_size_of_the_picture_on_paper():
    picture = cl.evaluate(BERRAR_LABELS, BERRAR_SCORES).chart("roc", width="100mm", height="80mm")
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", picture.render(".pdf"))

    assert [float(side) * 25.4 / 72 for side in box.groups()] == pytest.approx([100, 80], abs=0.3)


def test_the_legend_of_a_narrow_picture_is_below_it():
    narrow = cl.evaluate(BERRAR_LABELS, BERRAR_SCORES).chart("roc", width=300)

    assert narrow.to_dict()["config"]["legend"]["orient"] == "bottom"
    assert PICTURE.to_dict()["config"]["legend"]["orient"] == "right"


def test_a_title_of_yours_replaces_the_one_of_the_chart():
    ev = cl.evaluate(BERRAR_LABELS, BERRAR_SCORES)

    assert ev.chart("roc", title="Model of May").to_dict()["title"]["text"] == "Model of May"
    assert (
        ev.chart("roc", title="Model of May").to_dict()["title"]["subtitle"] == PICTURE.to_dict()["title"]["subtitle"]
    )


# ---------------------------------------------------------------------- processes


def drawn_in_a_worker(pipe):
    pipe.send(PICTURE.render(".png", scale=1))
    pipe.send(PICTURE.to_html()[:15])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_worker_draws_after_its_parent_has_drawn():
    here = PICTURE.render(".png", scale=1)
    context = multiprocessing.get_context("fork")
    mine, theirs = context.Pipe()
    worker = context.Process(target=drawn_in_a_worker, args=(theirs,), daemon=True)
    worker.start()
    theirs.close()

    try:
        assert mine.poll(120)  # it would wait for ever
        assert mine.recv() == here
        assert mine.poll(120)
        assert mine.recv() == "<!DOCTYPE html>"
    finally:
        worker.kill()
        worker.join()
