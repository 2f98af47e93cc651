"""Pictures as files: whole, offline, and by the suffix."""

import json
from html.parser import HTMLParser

import pytest

import cutline as cl
from cutline.charts.picture import SUFFIXES, Picture, squeezed
from sources import BERRAR_LABELS, BERRAR_SCORES

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


def test_a_picture_that_cannot_be_made_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "roc.png"
    path.write_text("old")
    monkeypatch.setattr(Picture, "render", lambda *_, **__: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        PICTURE.save(path)
    assert path.read_text() == "old"


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))

    with pytest.raises(OSError, match="full"):
        PICTURE.save(tmp_path / "roc.json")
    assert list(tmp_path.iterdir()) == []


def test_the_scale_is_the_number_of_dots_to_a_pixel():
    def width(png):
        return int.from_bytes(png[16:20], "big")

    assert width(PICTURE.render(".png", scale=2)) == pytest.approx(2 * width(PICTURE.render(".png", scale=1)), abs=2)


def test_squeezing_again_changes_nothing():
    png = PICTURE.render(".png", scale=1)

    assert squeezed(png) == png
    assert len(png) < 60_000


def test_a_picture_shows_itself_in_a_notebook():
    assert "vega-lite" in str(PICTURE._repr_mimebundle_())
    assert repr(PICTURE) == "Picture of roc: .save(path) writes .png, .svg, .pdf, .html, .json"
