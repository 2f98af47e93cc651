"""Caveats: a result has at most one warning, and it comes first."""

import copy
import json
import pickle

from cutline.results.notes import Caveat, find_warning, keep_one_warning

WARNING, OTHER = (Caveat(name, f"{name} is wrong.", "below") for name in ("a", "b"))
DETAIL = Caveat("c", "It is wide.", "above")


def test_a_caveat_is_text_that_knows_what_it_says():
    assert json.dumps([WARNING]) == '["a is wrong."]'
    assert (WARNING.is_warning, DETAIL.is_warning) == (True, False)
    for made in (copy.deepcopy(WARNING), pickle.loads(pickle.dumps(WARNING))):  # noqa: S301
        assert (made, made.id, made.direction) == (WARNING, "a", "below")
    filled = Caveat("d", "Only {} of {}.", "below").fill_in(2, "ten")
    assert (filled, filled.is_warning) == ("Only 2 of ten.", True)


def test_only_the_first_warning_stays_and_stands_before_the_details():
    notes = keep_one_warning([DETAIL, "plain", WARNING, OTHER, "plain"])
    assert notes == (WARNING, DETAIL, "plain")
    assert find_warning(notes) is WARNING
    assert find_warning([DETAIL, "plain"]) is None
