# ruff: noqa: E501 - sentences in one line
"""The page that takes a file: from a file to a decision, in a browser, with the numbers of the command line."""

import zipfile
from xml.sax.saxutils import escape

import numpy as np
import pytest

import cutline as cl
from cutline import file_page
from cutline.core.errors import ParameterError
from cutline.core.table import format_value
from cutline.results.method_titles import format_method
from workbooks import write_xlsx

pytestmark = pytest.mark.slow


def predictions(n=400, seed=3):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, n)
    scores = (1 / (1 + np.exp(-(random.normal(size=n) + labels - 0.5)))).round(3)
    return labels, scores


def interval(estimate):
    return f"{format_value(estimate.low)} to {format_value(estimate.high)}"


@pytest.fixture
def german(tmp_path):
    """A file as a German spreadsheet saves it: semicolons, decimal commas, Windows-1252, and names with umlauts."""
    labels, scores = predictions()
    rows = [
        f"{i};{'Kündigung' if y else 'bleibt'};{str(s).replace('.', ',')}"
        for i, (y, s) in enumerate(zip(labels, scores, strict=True))
    ]
    path = tmp_path / "kündigungen.csv"
    path.write_bytes("\r\n".join(["Kunde;Ergebnis;Score", *rows, ""]).encode("cp1252"))
    return path


def test_a_file_with_decimal_commas_leads_to_the_numbers_of_the_command_line(opened, german):
    page, (labels, scores) = opened(), predictions()
    page.tab.set_input_files("#file", german)
    page.tab.select_option("#label", "Ergebnis")
    page.tab.wait_for_selector("#positive-choice", state="visible")
    assert "Which class is positive" in page.text("#question")
    page.tab.select_option("#positive", "Kündigung")
    page.wait_for_numbers()

    assert page.text("#reading").startswith("Columns are separated by semicolons. The file is not UTF-8")
    assert "Column 'Score' is written with decimal commas" in page.text("#reading")
    ev = cl.evaluate(labels, scores, positive=1)
    by_influence = dict.fromkeys(("brier", "log_loss", "average_precision"), "influence_student")
    for name, method in {"auc": "auto", **by_influence}.items():
        estimate = ev.estimate(name, method=method)
        assert page.measure(name) == (format_value(estimate.value), interval(estimate))
        assert page.tab.text_content(f'[data-measure="{name}"] .method') == format_method(estimate.method)
    for name in ("rmse", "ks"):
        assert page.measure(name) == (format_value(ev.value(name)), "by resampling only")
    for name in ("recall", "precision", "specificity", "accuracy"):
        estimate = ev.estimate(name)
        assert page.tab.text_content(f'[data-row="{name}"] .value') == format_value(estimate.value)
        assert page.tab.text_content(f'[data-row="{name}"] .interval') == interval(estimate)
    assert page.text("#cell-tp") == str(ev.at(threshold=0.5).tp)
    assert page.errors == []


def test_the_cut_follows_quota_costs_and_promises(opened, tmp_path):
    labels, scores = predictions()
    path = tmp_path / "p.csv"
    path.write_text("y,p\n" + "".join(f"{y},{s}\n" for y, s in zip(labels, scores, strict=True)))
    page, ev = opened(), cl.evaluate(labels, scores, positive=1)
    page.give(path)
    page.tab.fill("#quota", "60")
    page.tab.press("#quota", "Enter")
    assert page.text("#cell-flagged") == "60"
    page.tab.fill("#cost-fn", "5")
    page.tab.click("#go-cheapest")
    cheapest = cl.choose_cut(ev, cost_fp=1, cost_fn=5)
    assert float(page.tab.input_value("#threshold")) == cheapest.threshold

    page.wait_for_promises()
    page.tab.fill("#want-recall", "80")
    page.tab.press("#want-recall", "Enter")
    found = cl.choose_cut(ev, "recall >= 0.8", after_looking=True)
    assert page.text("#promise-statement") == found.statement
    page.tab.click("#want-clear")
    page.tab.fill("#threshold", "0.5")
    page.tab.press("#threshold", "Enter")
    assert page.text("#promise-statement") == cl.cut_at(ev, threshold=0.5).statement
    with page.tab.expect_download() as saved:
        page.tab.click("#promise-save")
    assert cl.load(saved.value.path()).threshold == 0.5


def test_gains_are_those_of_the_command(opened, tmp_path):
    labels, scores = predictions(seed=8)
    path = tmp_path / "p.csv"
    path.write_text("y,p\n" + "".join(f"{y},{s}\n" for y, s in zip(labels, scores, strict=True)))
    page = opened()
    page.give(path)
    from cutline.curves.gains import gains

    table = gains(cl.rank(labels, scores, positive=1))
    cells = page.tab.eval_on_selector_all(
        "#gains-rows tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    assert [row[4] for row in cells] == [format_value(float(x)) for x in table["cumulated_gain"]]
    assert [row[5] for row in cells] == [format_value(float(x)) for x in table["cumulated_lift"]]


def test_columns_can_be_pasted_from_a_spreadsheet_without_names(opened):
    page = opened()
    page.tab.fill("#paste", "1\t90%\n0\t10%\n1\t40 %\n0\t35%\n1\t80%\n0\t20%")
    page.tab.click("#paste-go")
    page.wait_for_numbers()

    assert page.measure("auc")[0] == "1.0000"
    ev = cl.evaluate([1, 0, 1, 0, 1, 0], [0.9, 0.1, 0.4, 0.35, 0.8, 0.2])
    assert page.measure("auc")[1] == interval(ev.estimate("auc"))
    assert page.text("#few").startswith(ev.estimate("auc").notes[-1])
    assert page.measure("average_precision") == ("1.0000", "these cases tell no spread")
    assert "Column 'column 2' is written in percent: 90% is read as 0.9." in page.text("#reading")
    assert "The first row holds numbers" in page.text("#reading")


def test_the_examples_are_inside(opened):
    page = opened()
    page.tab.click("#example-ten_cases")
    page.wait_for_numbers()
    assert page.measure("auc")[0] == "0.8000"
    assert page.tab.is_visible("#few")  # of ten cases
    page.tab.click("#example-tumours")
    page.wait_for_numbers(1)
    assert page.measure("auc") == ("0.8382", "0.8032 to 0.8680")
    assert not page.tab.is_visible("#few")
    assert "569 cases, 212 of them 'malignant'" in page.text("#summary")
    assert page.errors == []


def test_nothing_is_asked_of_a_network_and_nothing_stands_in_the_address(opened, page_file):
    page = opened()
    page.tab.click("#example-tumours")
    page.wait_for_numbers()
    page.tab.fill("#quota", "100")
    page.tab.press("#quota", "Enter")
    page.tab.wait_for_timeout(400)  # after which a report would have written the cut into its address

    assert page.tab.url == page_file.as_uri()
    assert [url for url in page.requests if not url.startswith(("file:", "blob:", "data:"))] == []
    refused = page.tab.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"
    assert any("Content Security Policy" in error for error in page.errors)


def test_the_whole_way_with_the_mouse(opened, german):
    page = opened()
    content = german.read_bytes()
    transfer = page.tab.evaluate_handle(
        """([bytes, name]) => { const made = new DataTransfer();
        made.items.add(new File([new Uint8Array(bytes)], name)); return made; }""",
        [list(content), "kunden.csv"],
    )
    for event in ("dragover", "drop"):
        page.tab.dispatch_event("#drop-zone", event, {"dataTransfer": transfer})
    page.tab.select_option("#label", "Ergebnis")
    page.tab.wait_for_selector("#positive-choice", state="visible")
    page.tab.select_option("#positive", "Kündigung")
    page.wait_for_numbers()
    slider = page.tab.locator("#slider")
    slider.click(position={"x": 0.2 * slider.bounding_box()["width"], "y": 10})

    assert 60 < int(page.text("#cell-flagged")) < 110  # about a fifth of 400
    page.tab.click("#theme")
    assert page.tab.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.errors == []


def test_the_whole_way_with_the_keyboard_alone(opened):
    page = opened()
    press = page.tab.keyboard.press

    def reach(name):
        for _ in range(60):
            press("Tab")
            if page.tab.evaluate("document.activeElement.id") == name:
                return
        raise AssertionError(f"{name} cannot be reached")

    reach("paste")
    page.tab.keyboard.insert_text("outcome;risk\nbad;0,9\ngood;0,2\nbad;0,6\ngood;0,7\n")
    reach("paste-go")
    press("Enter")
    page.tab.wait_for_selector("#columns", state="visible")
    reach("score")
    press("ArrowDown")
    press("ArrowDown")
    assert page.tab.input_value("#score") == "risk"
    page.tab.wait_for_selector("#positive-choice", state="visible")
    reach("positive")
    press("b")
    page.wait_for_numbers()
    assert page.tab.evaluate("document.activeElement.id") == "h-result"
    reach("slider")
    press("ArrowRight")
    assert page.text("#cell-flagged") == "4"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits_a_phone(opened, axe, scheme):
    page = opened(390, 844, color_scheme=scheme)
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 390
    page.tab.click("#example-tumours")
    page.wait_for_promises()
    page.tab.eval_on_selector_all("details.fold", "all => all.forEach(one => one.open = true)")
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 390
    found = page.tab.evaluate(f"(() => {{ {axe}; return axe.run(document) }})()")["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


# ---------------------------------------------------------------------- files that cannot be evaluated

REFUSED = {
    "empty": (b"", "is empty: choose a file with a header and rows."),
    "blank": (b"\n \n", "has no header: choose a file with a header and rows."),
    "header": (b"y,p\n", "has columns but no rows: choose a file with at least one case."),
    "binary": (b"\x7fELF\x00\x01\x02", "is a binary file, because it holds NUL bytes: choose a CSV file."),
    "workbook": (b"PK\x03\x04rest", "cannot be read as an Excel workbook: save the sheet as CSV, or copy its columns and paste them here."),
    "gzip": (b"\x1f\x8b\x08rest", "is a gzip file: unpack it first."),
    "ragged": (b"y,p\n1,0.9\n0,0.4,7\n", "has 3 fields in line 3 but 2 in its header: make all rows of equal length."),
    "quote": (b'y,p\n1,0.9\n0,"0.4\n1,3', "has a quote in line 3 that does not end: close it, or double it inside the text."),
    "twice": (b"y,y\n1,0.9\n", "has several columns called 'y': give each its own name."),
    "text": (b"y,p\n1,0.9\n0,high\n", "The score (column 'p') holds text, 'high', in row 2 below the header: choose a column of numbers."),
    "thousands": (b"y;p\n1;1.5\n0;1,234.5\n", "The score (column 'p') holds text, '1,234.5', in row 2 below the header: write numbers without separators of thousands."),
    "missing": (b"y,p\n1,0.9\n0,\n1,NA\n", "The score (column 'p') holds 2 missing values, the first in row 2 below the header: fill them, or leave out rows with missing values."),
    "three": (b"y,p\na,0.9\nb,0.4\nc,0.1\n", "The label (column 'y') holds 3 different values, 'a', 'b', 'c': choose a column with two classes."),
    "one": (b"y,p\n1,0.9\n1,0.4\n", "All 2 cases are positive: choose a file with cases of both classes."),
    "wide": (b",".join(b"c%d" % i for i in range(100_000)) + b"\n" + b",".join([b"1"] * 100_000) + b"\n", "has 100,000 columns, of which this page reads 50,000: leave columns out."),
    "late": (b"y,p\n" + b"1,0.5\n" * 60_000 + b"0,0.\xe9\n", "is not UTF-8 text, though its beginning is: save it in UTF-8."),
}  # fmt: skip


def test_what_cannot_be_evaluated_is_refused_in_a_sentence(opened, tmp_path):
    page = opened()
    for name, (content, sentence) in REFUSED.items():
        path = tmp_path / f"{name}.csv"
        path.write_bytes(content)
        expected = sentence if sentence[0].isupper() else f"{name}.csv {sentence}"
        assert page.refusal(path) == expected
    assert page.errors == []


def packed(path, parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def by_excel(path, rows):
    """A workbook as Excel writes it: deflated, with shared strings, some of them rich, and a first sheet without cells."""
    texts = list(dict.fromkeys(cell for row in rows for cell in row if isinstance(cell, str)))
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

    def cell(place, value):
        if isinstance(value, str):
            return f'<c r="{place}" s="1" t="s"><v>{texts.index(value)}</v></c>'
        return f'<c r="{place}"/>' if value is None else f'<c r="{place}"><v>{value!r}</v></c>'

    body = "".join(
        f'<row r="{r}" spans="1:4">{"".join(cell(f"{column}{r}", value) for column, value in zip("BCD", row, strict=True))}</row>'
        for r, row in enumerate(rows, 3)
    )
    shared = "".join(
        f"<si><r><t>{escape(text[:1])}</t></r><r><rPr/><t xml:space='preserve'>{escape(text[1:])}</t></r></si>"
        for text in texts
    )
    links = "".join(
        f'<Relationship Id="r{i}" Type="{kind}/worksheet" Target="/xl/worksheets/sheet{i}.xml"/>' for i in (1, 2)
    )
    return packed(path, {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="w" Type="{kind}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{kind}"><sheets><sheet name="Empty" sheetId="1" r:id="r1"/><sheet name="Q&amp;A" sheetId="2" r:id="r2"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{links}<Relationship Id="s" Type="{kind}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/sharedStrings.xml": f"<sst {main}>{shared}</sst>",
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData/></worksheet>",
        "xl/worksheets/sheet2.xml": f'<worksheet {main}><cols><col min="1" max="2"/></cols><sheetData><row r="1"/>{body}</sheetData></worksheet>',
    })  # fmt: skip


def test_workbooks_are_read_as_the_command_line_reads_them(opened, tmp_path):
    pytest.importorskip("python_calamine")
    labels, scores = predictions(150, 5)
    rows = [
        ("who; when", "Bought", "score"),
        *((f'a "b"\t{i}', "yes" if y else "no", float(s)) for i, (y, s) in enumerate(zip(labels, scores, strict=True))),
    ]
    page = opened()
    for path in (write_xlsx(tmp_path / "stored.xlsx", rows), by_excel(tmp_path / "shared.xlsx", rows)):
        before = page.evaluations
        page.tab.set_input_files("#file", path)
        page.tab.wait_for_selector("#positive-choice", state="visible")
        page.tab.select_option("#positive", "yes")
        page.wait_for_numbers(before)
        ev = cl.evaluate("Bought", "score", data=path, positive="yes")
        assert page.measure("auc") == (format_value(ev.value("auc")), interval(ev.estimate("auc")))
        assert page.text("#cell-tp") == str(ev.counts.tp)
    assert page.text("#reading") == "Sheet 'Q&A' was read; the workbook has 2."
    assert page.errors == []


def test_workbooks_that_are_none_or_far_too_large_are_refused(opened, tmp_path):
    page = opened()
    sheet = {"[Content_Types].xml": "<Types/>", "xl/worksheets/sheet1.xml": b"0" * 200_000_000}
    assert "bomb.xlsx would unpack to 200,000,008 bytes" in page.refusal(packed(tmp_path / "bomb.xlsx", sheet))
    assert "cannot be read as an Excel workbook" in page.refusal(packed(tmp_path / "zip.xlsx", {"notes.txt": "y,p"}))
    whole = write_xlsx(tmp_path / "whole.xlsx", [("y", "p"), (1, 0.5), (0, 0.2)]).read_bytes()
    for cut in range(100, len(whole), 150):
        (tmp_path / "cut.xlsx").write_bytes(whole[:cut])
        assert "cannot be read as an Excel workbook" in page.refusal(tmp_path / "cut.xlsx")
    assert page.errors == []


def test_rows_with_missing_values_are_left_out_on_request(opened, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("y,p\n1,0.9\n0,\n1,0.4\n,0.2\n0,0.3\n")
    page = opened()
    assert "missing" in page.refusal(path)
    page.tab.check("#drop")
    page.wait_for_numbers()
    assert "2 rows with missing values were left out." in page.text("#summary")
    assert page.measure("auc")[0] == "1.0000"


def test_markup_in_names_is_shown_and_never_run(opened, tmp_path):
    path = tmp_path / "<img src=x onerror=alert(1)>.csv"
    path.write_text('"<b>y</b>","<script>p</script>"\n<i>yes</i>,0.9\n<i>no</i>,0.4\n')
    page = opened()
    page.tab.set_input_files("#file", path)
    page.tab.select_option("#label", "<b>y</b>")
    page.tab.select_option("#score", "<script>p</script>")
    page.tab.wait_for_selector("#positive-choice", state="visible")
    page.tab.select_option("#positive", "<i>yes</i>")
    page.wait_for_numbers()
    assert page.text("#class-positive") == "<i>yes</i> (positive)"
    assert page.tab.query_selector("main img, main i, main script") is None
    assert page.errors == []


def test_a_file_that_was_changed_can_be_chosen_again(opened, tmp_path):
    """A browser tells of a choice only where the field changes: it must be empty before the same name is chosen."""
    path = tmp_path / "predictions.csv"
    path.write_text("y,p\n1,0.9\n0,0.4\n1,0.6\n0,0.3\n")
    page = opened()
    page.give(path)
    assert page.measure("auc")[0] == "1.0000"
    path.write_text("y,p\n1,0.1\n0,0.4\n1,0.6\n0,0.3\n")
    with page.tab.expect_file_chooser() as chooser:
        page.tab.click("#file")
    assert page.tab.input_value("#file") == ""
    before = page.evaluations
    chooser.value.set_files(path)
    page.wait_for_numbers(before)
    assert page.measure("auc")[0] == "0.5000"


def test_other_encodings_and_line_ends_are_read(opened, tmp_path):
    page = opened()
    text = "y\tp\r1\t0.9\r0\t0.4\r1\t0.6\r"
    for i, content in enumerate(
        (text.encode("utf-16"), text.encode("utf-16-be").join((b"\xfe\xff", b"")), text.encode("utf-8-sig"))
    ):
        path = tmp_path / f"{i}.txt"
        path.write_bytes(content)
        page.give(path)
        assert page.measure("auc")[0] == "1.0000"


def test_scores_that_are_not_probabilities_have_no_brier_score(opened, tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("y,p\n1,700\n0,400\n1,650\n0,300\n")
    page = opened()
    page.give(path)
    assert page.measure("brier") == ("undefined", "the scores are not probabilities of the positive class, from 0 to 1")
    assert page.tab.input_value("#threshold") == "650"  # the command line's default
    page.tab.select_option("#direction", "lower")
    page.wait_for_numbers(1)
    assert page.measure("auc")[0] == "0.0000"


def test_many_rows_are_evaluated(opened, tmp_path):
    labels, scores = predictions(100_000)
    path = tmp_path / "long.csv"
    path.write_text("y,p\n" + "".join(f"{y},{s}\n" for y, s in zip(labels.tolist(), scores.tolist(), strict=True)))
    page = opened()
    page.give(path)
    assert page.measure("auc")[0] == format_value(cl.auc(labels, scores))


def test_the_page_is_not_written_over(tmp_path):
    path = tmp_path / "cutline.html"
    path.write_text("mine")
    with pytest.raises(ParameterError):
        file_page.save(path)
    assert path.read_text() == "mine"


def test_an_order_that_may_be_reversed_is_said_in_the_first_sentence(opened, tmp_path):
    labels, scores = predictions()
    for name, turned in (("right", scores), ("wrong", 1 - np.asarray(scores))):
        path = tmp_path / f"{name}.csv"
        path.write_text("y,p\n" + "".join(f"{y},{s}\n" for y, s in zip(labels, turned, strict=True)))
        page = opened()
        page.give(path)
        assert ("the order may be reversed" in page.text("#headline")) == (name == "wrong")
