"""The ablation in little: each rule can be switched off and on, and each number that names one has its figures."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from cutline.inference import constants

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import ablation

FIGURES = ablation.read()


@pytest.mark.parametrize("name", ablation.RULES)
def test_a_rule_is_back_after_it_was_switched_off(name):
    rule = ablation.RULES[name]

    def states():
        return [vars(owner)[attribute] for owner, attribute in map(ablation.owner_of, rule.off)]

    before = states()
    with ablation.switched_off(rule):
        assert all(now is not then for now, then in zip(states(), before, strict=True))
    assert all(now is then for now, then in zip(states(), before, strict=True))


def test_every_rule_has_populations_in_which_it_can_fire():
    whole = ablation.development()
    without = [name for name, rule in ablation.RULES.items() if not rule.more and not any(map(rule.where, whole))]
    assert without == []


def test_a_rule_fires_on_some_samples_and_both_intervals_are_counted():
    population = ablation.development()[0]
    made = [ablation.compare(ablation.RULES["two-areas"], population, number)["auc"] for number in range(8)]

    assert any(fired for fired, *_ in made)
    assert all(width_on >= width_off for fired, _, _, width_on, width_off in made if fired)
    assert all(width_on == width_off for fired, _, _, width_on, width_off in made if not fired)


def test_a_cell_that_is_worse_without_a_rule_is_counted():
    cell = {"made": 100, "fired": 50, "on": 96, "off": 90, "fired_on": 48, "fired_off": 42}
    row = ablation.summary({("a", "auc"): {**cell, "width_on": 11.0, "width_off": 10.0}})

    assert (row["worse"], row["better"], row["width"]) == (1, 0, 1.1)
    assert (row["held_with"], row["held_without"], row["others_held"]) == (96.0, 84.0, 96.0)


def test_every_number_that_was_chosen_by_the_ablation_names_a_rule_with_figures():
    named = re.findall(r"benchmarks/ablation\.py\s+([\w-]+)`", Path(constants.__file__).read_text(encoding="utf-8"))

    assert len(named) >= 6
    assert set(named) <= set(FIGURES) <= set(ablation.RULES)
    assert all("development" in FIGURES[name] and np.isfinite(FIGURES[name]["development"]["fired"]) for name in named)


def test_no_number_is_without_a_word_on_where_it_is_from():
    text = Path(constants.__file__).read_text(encoding="utf-8")
    numbers = re.findall(r'^[A-Z_]+ = [^"]+"""(.*?)"""', text, re.MULTILINE | re.DOTALL)

    assert len(numbers) > 30
    assert [
        about for about in numbers if not re.search(r"Source:|Chosen:|A convention|By\s+judgement|root of", about)
    ] == []
