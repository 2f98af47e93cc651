"""The example data are those of the sources: they give the numbers that the texts print."""

import pytest

import cutline as cl
from cutline.examples import DESCRIPTIONS, load


def test_every_example_loads_and_says_in_a_line_what_it_is():
    for name, description in DESCRIPTIONS.items():
        example = load(name)
        assert repr(example).startswith(f"Example: {description}; ")
        assert len(repr(example)) < 200
        assert {len(column) for column in example.scores.values()} <= {len(example.labels)}


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("berrar_figure_2", "ten_cases"),
        ("murphy_table_1", "murphy_nine_cases"),
        ("murphy_table_2", "murphy_nine_cases"),
        ("murphy_table_4", "murphy_hard_classifiers"),
        ("arbel_table_2", "arbel_ten_cases"),
        ("arbel_table_3", "arbel_perfect_order"),
        ("arbel_table_5", "arbel_ten_cases"),
    ],
)
def test_an_example_is_found_by_its_place_in_the_text(place, name):
    assert load(place) == load(name)


def test_an_unknown_example_is_refused_with_those_there_are():
    with pytest.raises(cl.UnknownNameError, match="choose one of ten_cases, murphy_nine_cases"):
        load("iris")


def evaluated(name, model):
    example = load(name)
    return cl.evaluate(example.labels, example.scores[model], positive=example.positive)


def test_berrars_ten_cases():
    assert evaluated("ten_cases", "score").average_precision == pytest.approx(0.835, abs=5e-4)


def test_murphys_two_classifiers():
    """Table 1 is separated without error at 0.5; Table 2 by no threshold."""
    assert evaluated("murphy_nine_cases", "classifier 1").accuracy == 1
    second = evaluated("murphy_nine_cases", "classifier 2")
    assert (second.counts.tp, second.counts.fp) == (4, 1)
    assert max(second.curve("accuracy").y) < 1


def test_murphys_table_5_follows_from_table_4():
    printed = {
        "accuracy": (0.9, 0.9, 0.88),
        "precision": (0.9, 1.0, 1.0),
        "recall": (1.0, 0.888, 0.8667),
        "f1": (0.947, 0.941, 0.9286),
        "mutual_information": (0, 0.1865, 0.1735),
    }
    tables = load("murphy_table_4").tables
    for measure, values in printed.items():
        found = [getattr(table, measure) for table in tables.values()]
        assert found == pytest.approx(values, abs=1e-3), measure


def test_arbel_and_rokachs_tables():
    found = evaluated("arbel_table_2", "score")
    assert found.average_qrecall == pytest.approx(0.893, abs=5e-4)
    assert found.average_hit_rate == pytest.approx(0.747, abs=5e-4)
    assert found.pem == pytest.approx(1.75 / 3, abs=1e-9)  # Table 5: S1 = 1.75, S2 = 0, S3 = 3

    perfect = evaluated("arbel_table_3", "score")
    assert (perfect.average_qrecall, perfect.average_hit_rate, perfect.pem) == (1, 1, 1)


# ---------------------------------------------------------------------- a null model that knows another prevalence

FOUND = (1, 2, 2, 3, 4, 4, 4, 5, 5, 5)  # positives among the first j of Berrar's ten cases


def test_the_gain_over_a_null_model_of_another_prevalence_can_be_counted():
    ev = evaluated("ten_cases", "score")
    expected = sum(found - 0.3 * j for j, found in enumerate(FOUND, start=1)) / 10

    assert ev.average_gain == pytest.approx(0.75)
    assert ev.value("average_gain", prevalence=0.3) == pytest.approx(expected)
    assert ev.value("average_gain", prevalence=0.5) == pytest.approx(ev.average_gain)
    curve = ev.curve("gain", prevalence=0.3)
    assert curve.beside["baseline"].y.tolist() == pytest.approx([0, 3])
    assert curve.values["average_gain"] == pytest.approx(expected)


def test_the_lift_over_a_null_model_of_another_prevalence_can_be_counted():
    ev = evaluated("ten_cases", "score")
    lifts = [found / j / 0.25 for j, found in enumerate(FOUND, start=1)]

    assert ev.value("average_lift", prevalence=0.25) == pytest.approx(sum(lifts) / 10)
    curve = ev.curve("lift", prevalence=0.25)
    assert curve.y[1:].tolist() == pytest.approx(lifts)
    assert curve.beside["baseline"].y[-1] == 1  # the null model's own
    assert ev.curve("lift").y[1:].tolist() == pytest.approx([lift / 2 for lift in lifts])


def test_the_interval_of_a_gain_moves_with_the_null_model():
    ev = evaluated("ten_cases", "score")
    usual, other = ev.estimate("average_gain"), ev.estimate("average_gain", prevalence=0.3)

    shift = 11 / 2 * (0.5 - 0.3)
    assert other.value - usual.value == pytest.approx(shift)
    # The prevalence of the data varies, that of the null model does not, so that the interval is wider besides.
    assert other.low < usual.low + shift
    assert other.high > usual.high + shift


@pytest.mark.parametrize("name", ["average_gain", "average_lift", "lift"])
def test_the_contract_holds_with_a_null_model(name):
    cl.check_measure(cl.MEASURES[name].with_(prevalence=0.3))
