"""Tables: aligned in a terminal, escaped in a notebook, plain in JSON, at home in three data frame libraries."""

import json
import math
import sys

import numpy as np
import pytest

from cutline import CutlineError, ParameterError, Table
from cutline.core.table import format_value, to_json_value

TABLE = Table(
    ("name", "value", "note"), (("a", 0.5, ""), ("long name", math.nan, "<b>"), ("c", 12, None)), title="Three"
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5000"),
        (0.0, "0.0000"),
        (-0.0, "0.0000"),
        (1 / 3, "0.3333"),
        (-1 / 3, "-0.3333"),
        (0.00012345, "0.000123"),
        (1e-9, "1e-09"),
        (999.5, "999.5000"),
        (12345.678, "12345.7"),
        (-1e12, "-1e+12"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "undefined"),
        (np.float64(0.25), "0.2500"),
        (7, "7"),
        (True, "True"),
        ("text", "text"),
        (None, ""),
    ],
)
def test_a_value_is_shown_as_people_read_it(value, text):
    assert format_value(value) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_what_is_not_a_finite_number_is_nothing_in_json(value):
    assert to_json_value(value) is None


@pytest.mark.parametrize("value", [0.5, 0, "nan", None, True, 10**30])
def test_everything_else_stays_as_it_is(value):
    assert to_json_value(value) is value


def test_the_columns_are_aligned_and_numbers_to_the_right():
    table = Table(("name", "value"), (("a", 1.5), ("long name", 22.25), ("b", 1234.5)), title="Title")

    assert repr(table).splitlines() == [
        "Title",
        "name         value",
        "---------  -------",
        "a           1.5000",
        "long name  22.2500",
        "b           1234.5",
    ]


def test_what_is_undefined_is_a_number_without_a_value():
    assert repr(TABLE).splitlines()[3:] == ["a             0.5000", "long name  undefined  <b>", "c                 12"]


def test_a_column_with_a_word_is_to_the_left():
    assert repr(Table(("k", "value"), ((1, 0.5), (22, "none")))).splitlines()[2:] == [" 1  0.5000", "22  none"]


def test_a_table_without_rows_still_has_its_heads():
    assert repr(Table(("a", "bc"), ())).splitlines() == ["a  bc", "-  --"]
    assert Table(("a",), ()).to_dict() == []
    assert len(Table(("a",), ())) == 0


def test_rows_are_dictionaries():
    assert len(TABLE) == 3
    assert next(iter(TABLE)) == {"name": "a", "value": 0.5, "note": ""}
    assert json.loads(json.dumps(TABLE.to_dict(), allow_nan=False))[1] == {
        "name": "long name",
        "value": None,
        "note": "<b>",
    }


def test_html_is_escaped_everywhere():
    html = Table(("<i>",), (("<b>",),), title="<u>")._repr_html_()

    for tag in ("<i>", "<b>", "<u>"):
        assert tag not in html
    for text in ("&lt;i&gt;", "&lt;b&gt;", "&lt;u&gt;"):
        assert text in html


def test_html_has_a_row_for_each_row():
    html = TABLE._repr_html_()

    assert html.count("<tr>") == 1 + 3
    assert html.count("<td") == 3 * 3
    assert html.count("<th scope='col'") == 3
    assert "<caption>Three</caption>" in html
    assert "<caption>" not in Table(("a",), ())._repr_html_()


def test_numbers_are_to_the_right_in_html_too():
    html = TABLE._repr_html_()

    assert html.count("<td style='text-align: right'>") == 3
    assert html.count("<th scope='col' style='text-align: right'>") == 1  # the name of a column stands over its numbers
    for cell in ("0.5000", "undefined", "12"):
        assert f"<td style='text-align: right'>{cell}</td>" in html
    for cell in ("a", "&lt;b&gt;", ""):
        assert f"<td>{cell}</td>" in html


def test_hidden_columns_are_converted_but_not_printed():
    table = Table(("name", "secret", "value"), (("a", "x", 0.5), ("b", "y", 1.5)), hidden=("secret",))

    assert repr(table).splitlines() == ["name   value", "----  ------", "a     0.5000", "b     1.5000"]
    assert "secret" not in table._repr_html_()
    assert "<td>x</td>" not in table._repr_html_()
    assert [row["secret"] for row in table] == [row["secret"] for row in table.to_dict()] == ["x", "y"]
    assert table.to_frame()["secret"].tolist() == ["x", "y"]


def test_columns_without_a_word_are_not_printed():
    table = Table(("name", "empty", "none", "half"), (("a", "", None, ""), ("b", "", None, "x")))

    assert repr(table).splitlines() == ["name  half", "----  ----", "a", "b     x"]
    assert table._repr_html_().count("<th scope='col'") == 2
    assert set(table.to_dict()[0]) == {"name", "empty", "none", "half"}
    assert "undefined" in repr(Table(("value",), ((math.nan,),)))  # what is undefined is not empty


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_holds_the_columns(backend):
    frame = Table(("name", "value"), (("a", 0.5), ("b", math.nan))).to_frame(backend)
    columns = frame.column_names if backend == "pyarrow" else list(frame.columns)
    values = np.asarray(frame["value"].to_numpy())

    assert columns == ["name", "value"]
    assert len(frame) == 2
    np.testing.assert_array_equal(values, [0.5, math.nan])


def test_an_unknown_backend_is_refused():
    with pytest.raises(CutlineError, match="backend"):
        TABLE.to_frame("excel")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_library_that_is_not_there_is_named(backend, monkeypatch):
    monkeypatch.setitem(sys.modules, backend, None)

    with pytest.raises(ParameterError, match=f"{backend} is not installed: install {backend}"):
        TABLE.to_frame(backend)


@pytest.mark.parametrize(
    ("number", "text"),
    [(6.65e-05, "0.0000665"), (-1.41e-05, "-0.0000141"), (0.000167, "0.000167"), (9.996e-05, "0.0001"),
     (1e-6, "0.000001"), (9.99e-7, "9.99e-07"), (0.0009996, "0.001")],
)  # fmt: skip
def test_small_numbers_have_no_power_of_ten(number, text):
    assert format_value(number) == text
