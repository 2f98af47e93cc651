"""What is made once for a machine, and when it is made anew."""

import json
import os
import sys

import pytest

import cutline as cl
from cutline.charts.renderer import cache_on_disk, write_spec


class Maker:
    """Makes a content, and counts how often."""

    def __init__(self, content=b"the program\n\n"):
        self.content, self.times = content, 0

    def __call__(self):
        self.times += 1
        return self.content


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTLINE_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def test_it_is_made_once_and_then_read_as_it_was(folder):
    make = Maker()
    assert [cache_on_disk("a-1.js", make) for _ in range(3)] == [make.content] * 3
    assert make.times == 1
    assert [path.name for path in folder.iterdir()] == ["a-1.js"]


def test_another_version_is_made_by_itself(folder):
    assert cache_on_disk("a-1.js", Maker(b"one")) == b"one"
    assert cache_on_disk("a-2.js", Maker(b"two")) == b"two"


@pytest.mark.parametrize("damage", [b"", b"no checksum", b"0" * 64 + b"\nthe program\n\n"])
def test_a_damaged_file_is_made_anew(folder, damage):
    make = Maker()
    cache_on_disk("a-1.js", make)
    (folder / "a-1.js").write_bytes(damage)
    assert cache_on_disk("a-1.js", make) == make.content
    assert make.times == 2
    cache_on_disk("a-1.js", make)
    assert make.times == 2


def test_an_empty_cache_folder_turns_the_cache_off(monkeypatch):
    monkeypatch.setenv("CUTLINE_CACHE", "")
    make = Maker()
    cache_on_disk("a-1.js", make)
    cache_on_disk("a-1.js", make)
    assert make.times == 2


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CUTLINE_CACHE", str(tmp_path / "file" / "kept"))
    make = Maker()
    assert cache_on_disk("a-1.js", make) == cache_on_disk("a-1.js", make) == make.content
    assert make.times == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no such modes here")
def test_a_folder_that_others_can_write_into_is_not_trusted(folder):
    folder.mkdir()
    folder.chmod(0o777)
    make = Maker()
    cache_on_disk("a-1.js", make)
    cache_on_disk("a-1.js", make)
    assert make.times == 2
    assert not list(folder.iterdir())


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these have folders of their own")
def test_without_a_name_it_is_the_cache_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.delenv("CUTLINE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache_on_disk("a-1.js", Maker())
    assert (tmp_path / "cutline" / "a-1.js").exists()
    assert (tmp_path / "cutline").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["\x1b[2J", "\x00", "\u2028", "\ud800", "\x08", "\U000e0041", "\ufffe"])
def test_a_name_that_no_picture_can_hold_is_written_out(name):
    """What draws ended the process at a control character, and refused an expression with a line separator."""
    models = {f"{name} model": [0.9, 0.6, 0.6, 0.2], "😀": [0.1, 0.2, 0.3, 0.4]}
    picture = cl.compare([1, 0, 1, 0], models).chart("roc")

    drawn = picture.render(".svg").decode()
    assert "😀" in drawn
    assert name not in drawn
    assert json.loads(picture.to_json())


def test_a_text_inside_an_expression_stays_the_text_of_the_data():
    text = "ctl\x1b\x9b\u2028\U000e0041\ud800 é😀 C:\\bin\\u001b"
    spec = json.loads(write_spec({"data": text, "expression": f"datum[{json.dumps(text)}]"}))

    assert json.loads(spec["expression"][len("datum[") : -1]) == spec["data"]
    assert write_spec({"a": "é😀 C:\\bin \t\n"}) == json.dumps({"a": "é😀 C:\\bin \t\n"}, separators=(",", ":"))
