"""plan(): numbers that can be worked out by hand or are printed elsewhere, and simulated studies of that size."""

import inspect
import json
import math
from dataclasses import fields

import numpy as np
import pytest
from scipy.stats import norm

import cutline as cl
from cutline.calibration.sample_size import Risks, compute_exact_width, compute_hanley_mcneil_variance
from cutline.cli.plan import StudyOptions

Z = norm.ppf(0.975)


def test_the_ratio_needs_what_its_standard_error_says():
    found = cl.plan(0.1, oe_width=0.2)
    error = math.asinh(0.1) / Z

    assert found.cases == math.ceil(0.9 / 0.1 / error**2)
    assert found.binding.criterion == "width of the O:E ratio"
    assert found.needs[0].reached <= 0.2


def test_the_slope_needs_what_sampsizeval_documents():
    """Prevalence 0.1, AUC 0.75, a standard error of 0.1: 1536 cases, for log odds with these moments."""
    spread = math.sqrt(2) * norm.ppf(0.75)
    top, low = (math.log(0.1 / 0.9) + sign * spread**2 / 2 for sign in (1, -1))
    moments = 0.1 * top + 0.9 * low, math.sqrt(spread**2 + 0.09 * (top - low) ** 2)

    assert cl.plan(0.1, slope_width=2 * Z * 0.1, log_odds=moments).cases == 1536
    assert cl.plan(0.1, slope_width=2 * Z * 0.1, auc=0.75).cases == pytest.approx(1536, rel=0.02)


def test_the_variance_of_the_auc_is_that_of_hanley_and_mcneil():
    q1, q2 = 0.8 / 1.2, 2 * 0.64 / 1.8
    assert compute_hanley_mcneil_variance(0.8, 30, 50) == pytest.approx(
        (0.16 + 29 * (q1 - 0.64) + 49 * (q2 - 0.64)) / 1500
    )


def test_the_exact_width_is_a_mean_over_all_counts():
    from cutline.inference.single.reference import clopper_pearson

    widths = [(lambda limits: limits.high - limits.low)(clopper_pearson(k, 12, 0.95)) for k in range(13)]
    weights = [math.comb(12, k) * 0.7**k * 0.3 ** (12 - k) for k in range(13)]

    assert compute_exact_width(0.7, 12, 0.95) == pytest.approx(np.dot(widths, weights), abs=1e-6)


def test_risks_have_the_prevalence_and_the_auc_that_were_asked_for():
    labels, risks = Risks.of(0.2, 0.8).draw(200_000, np.random.default_rng(0))

    assert labels.mean() == pytest.approx(0.2, abs=0.003)
    assert cl.auc(labels, risks) == pytest.approx(0.8, abs=0.004)


def simulated(name, found, studies=60, **parameters):
    risks, rng, widths = Risks.of(0.2, 0.8), np.random.default_rng(1), []
    for _ in range(studies):
        estimate = cl.evaluate(*risks.draw(found.cases, rng)).estimate(name, **parameters)
        widths.append(estimate.high - estimate.low)
    return np.mean(widths)


@pytest.mark.parametrize(
    ("measure", "wanted", "options"),
    [
        ("oe_ratio", {"oe_width": 0.4}, {"method": "log"}),
        ("calibration_slope", {"slope_width": 0.5}, {}),
        ("calibration_intercept", {"intercept_width": 0.5}, {}),
        ("recall", {"recall_width": 0.15, "threshold": 0.2}, {"threshold": 0.2, "method": "clopper_pearson"}),
        ("specificity", {"specificity_width": 0.06, "threshold": 0.2}, {"threshold": 0.2, "method": "clopper_pearson"}),
    ],
)
def test_studies_of_the_planned_size_have_the_wanted_width(measure, wanted, options):
    found = cl.plan(0.2, auc=0.8, **wanted)
    [width] = (value for name, value in wanted.items() if name.endswith("width"))

    assert simulated(measure, found, **options) == pytest.approx(width, rel=0.08)


@pytest.mark.parametrize(("auc_method", "method"), [("hanley_mcneil", "delong"), ("newcombe", "newcombe")])
def test_exponential_scores_have_the_planned_width_of_the_auc(auc_method, method):
    found = cl.plan(0.2, auc=0.8, auc_width=0.1, auc_method=auc_method)
    rng, widths = np.random.default_rng(4), []
    for _ in range(60):
        labels = np.arange(found.cases) < found.positives
        scores = rng.exponential(np.where(labels, 4.0, 1.0))  # an AUC of 4 / (4 + 1)
        estimate = cl.evaluate(labels, scores).estimate("auc", method=method)
        widths.append(estimate.high - estimate.low)

    assert np.mean(widths) == pytest.approx(0.1, rel=0.06)


def test_the_net_benefit_varies_as_planned():
    found = cl.plan(0.2, auc=0.8, threshold=0.2, net_benefit_width=0.3)
    risks, rng = Risks.of(0.2, 0.8), np.random.default_rng(2)
    values = [cl.standardised_net_benefit(*risks.draw(found.cases, rng), threshold=0.2) for _ in range(400)]

    assert 2 * Z * np.std(values) == pytest.approx(0.3, rel=0.12)


def test_mcnemars_test_has_the_planned_power():
    found = cl.plan(0.5, discordant=(0.12, 0.06))
    rng, wins = np.random.default_rng(3), 0
    for _ in range(1000):
        one, two, _ = rng.multinomial(found.cases, [0.12, 0.06, 0.82])
        wins += abs(one - two) / math.sqrt(one + two) > Z
    assert wins / 1000 == pytest.approx(0.8, abs=0.04)


def test_the_difference_of_two_aucs_is_found_as_often_as_planned():
    found = cl.plan(0.3, auc=0.8, other_auc=0.85, correlation=0.63)
    rng, labels = np.random.default_rng(1), np.arange(found.cases) < round(0.3 * found.cases)
    differences = []
    for _ in range(400):
        # Exponential scores, as Hanley and McNeil suppose; with this correlation of theirs, that of the AUCs is 0.63.
        one, other = rng.standard_normal((2, found.cases))
        normal = one, 0.7 * one + math.sqrt(1 - 0.7**2) * other
        areas = [
            cl.auc(labels, -np.log(norm.sf(z)) * np.where(labels, area / (1 - area), 1))
            for z, area in zip(normal, (0.8, 0.85), strict=True)
        ]
        differences.append(areas[1] - areas[0])

    power = np.mean(np.array(differences) / np.std(differences) > Z)
    assert power == pytest.approx(0.8, abs=0.06)


def test_the_power_of_a_difference_grows_with_the_correlation():
    near, far = (cl.plan(0.3, auc=0.8, other_auc=0.84, correlation=r).cases for r in (0.2, 0.8))
    assert far < near


def test_the_binding_criterion_is_the_largest():
    found = cl.plan(0.1, auc=0.75, auc_width=0.1, oe_width=0.2, slope_width=0.4)

    assert found.cases == max(need.cases for need in found.needs)
    assert found.binding.criterion in found.statement
    assert found.chart().render(".svg").startswith(b"<svg")
    assert found.to_dict()["binding"] == "width of the O:E ratio"


def test_a_plan_without_what_it_needs_is_refused():
    with pytest.raises(cl.ParameterError, match="no criterion"):
        cl.plan(0.1)
    with pytest.raises(cl.ParameterError, match="pass auc="):
        cl.plan(0.1, slope_width=0.2)
    with pytest.raises(cl.ParameterError, match="prevalence"):
        cl.plan(1.5, oe_width=0.2)


def test_the_command_names_its_options(cutline):
    asked = ("plan", "--prevalence", "0.1")

    assert "pass, for example, --auc 0.75 and --auc-width 0.1" in cutline(*asked).stderr
    assert "depends on the AUC: pass --auc," in cutline(*asked, "--slope-width", "0.2").stderr
    assert "--auc is 0.5" in cutline(*asked, "--slope-width", "0.2", "--auc", "0.5").stderr
    assert "pass --threshold," in cutline(*asked, "--recall-width", "0.2", "--auc", "0.7").stderr


def test_the_command_prints_the_plan(cutline):
    ran = cutline("plan", "--prevalence", "0.1", "--oe-width", "0.2")

    assert ran.exit_code == 0
    assert "3,469" in ran.stdout


def test_the_command_takes_every_argument_of_the_plan(cutline):
    spread = ("--log-odds", "-2.5", "0.9")
    ran = cutline("plan", "--prevalence", "0.1", "--slope-width", "0.4", *spread, "--json")

    assert json.loads(ran.stdout)["cases"] == cl.plan(0.1, slope_width=0.4, log_odds=(-2.5, 0.9)).cases
    assert {field.name for field in fields(StudyOptions)} == set(inspect.signature(cl.plan).parameters)


@pytest.mark.parametrize("log_odds", [(1e308, 1.0), (0.0, 1e308), (-500.0, 1.0)])
def test_log_odds_of_no_risk_are_refused(log_odds):
    with pytest.raises(cl.ParameterError, match="at most 100"):
        cl.plan(0.1, slope_width=0.4, auc=0.75, log_odds=log_odds)
