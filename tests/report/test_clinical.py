"""The clinical validation report: essentials first, every measure with advice, a checklist, nothing from elsewhere."""

import re

import numpy as np
import pytest

import cutline as cl
from cutline.measures import MEASURES
from cutline.report.guidance import CHECKLIST, GUIDES


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    rng = np.random.default_rng(0)
    risk = rng.beta(1, 2, 200).round(2)
    ev = cl.evaluate(rng.random(200) < risk, risk, threshold=0.2, name="<model>", positive=True)
    path = tmp_path_factory.mktemp("clinical") / "validation.html"
    ev.save(path, template="clinical")
    return ev, path.read_text(encoding="utf-8")


def test_the_page_begins_with_the_four_essentials(page):
    ev, text = page

    assert "Validation of &lt;model&gt;" in text
    assert text.count("<figure>") == 4
    assert text.index("The four essentials") < text.index("<figure>") < text.index("All measures")
    assert f"{ev.auc:.4f}" in text


def test_all_measures_have_their_value_and_advice(page):
    _, text = page

    assert len({guide.title.partition(" (")[0] for guide in GUIDES}) == 32  # the AUPRC is computed in two ways
    assert all(guide.measure in MEASURES for guide in GUIDES)
    assert {guide.advice for guide in GUIDES} == {"essential", "useful", "caution", "avoid"}
    for guide in GUIDES:
        assert re.search(rf"{re.escape(guide.title)}</th><td class='n'>[^<]+</td>", text)


def test_as_many_measures_as_in_the_guidance_have_both_properties_and_only_f1_has_none():
    having = {guide.title.partition(" (")[0]: guide.is_proper + guide.has_one_focus for guide in GUIDES}

    assert [list(having.values()).count(number) for number in (2, 1, 0)] == [17, 14, 1]
    assert having["F1"] == 0
    for guide in GUIDES:
        assert (guide.advice in ("essential", "useful")) <= (guide.is_proper and guide.has_one_focus)


def test_what_the_author_must_write_is_said(page):
    _, text = page

    assert text.count("you must write this") == sum(not here for _, here in CHECKLIST)
    assert "sensitivity was" in text


def test_the_page_loads_nothing(page):
    _, text = page

    assert not re.search(r"(src|href)=['\"](?!data:)", text)


def test_other_pages_and_files_are_refused(page, tmp_path):
    ev, _ = page
    with pytest.raises(cl.ParameterError, match="'report', 'tools' or 'clinical'"):
        ev.save(tmp_path / "page.html", template="fancy")
    with pytest.raises(cl.ParameterError, match="page"):
        ev.save(tmp_path / "page.json", template="clinical")
