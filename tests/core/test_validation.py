"""Columns that would be read wrongly are refused, and scores that are equal are one."""

import numpy as np
import pandas as pd
import pytest

import cutline as cl
from cutline import InputError, evaluate, rank

LABELS, SCORES = [1, 0, 1, 0], [0.9, 0.6, 0.7, 0.2]


def test_the_same_index_in_another_order_is_refused():
    labels = pd.Series(LABELS, index=list("abcd"))
    scores = pd.Series(SCORES, index=list("abcd"))

    with pytest.raises(InputError, match=r"labels and scores have the same index in another order: .*scores\.loc\["):
        rank(labels, scores[::-1])
    assert rank(labels, scores[::-1].loc[labels.index]) == rank(LABELS, SCORES)
    with pytest.raises(InputError, match="scores and weights have the same index in another order"):
        rank(LABELS, scores, scores[::-1])


def test_the_same_index_in_another_order_is_refused_wherever_columns_meet():
    y, p, site = pd.Series([1, 1, 0, 0]), pd.Series([0.9, 0.8, 0.2, 0.1]), pd.Series([1, 1, 2, 2])
    matrix = pd.DataFrame({0: 1 - p, 1: p})
    for meet in (
        lambda: cl.compare(y, {"a": p, "b": p[::-1]}),
        lambda: cl.compare(y, {"a": p, "b": 1 - p}, groups=site[::-1]),
        lambda: cl.evaluate(y, p, groups=site[::-1]),
        lambda: cl.evaluate(y, p[::-1], groups=site),
        lambda: cl.evaluate(y, p, strata=site[::-1]),
        lambda: cl.one_vs_rest(y, matrix[::-1]),
        lambda: cl.one_vs_rest(y, matrix, groups=site[::-1]),
    ):
        with pytest.raises(InputError, match="have the same index in another order"):
            meet()
    assert cl.compare(y, {"a": p, "b": 1 - p}, groups=site)["a"].auc == 1


def test_other_indexes_are_positions():
    labels = pd.Series(LABELS, index=[10, 20, 30, 40])

    assert rank(labels, pd.Series(SCORES)) == rank(LABELS, SCORES)
    assert rank(labels, SCORES) == rank(LABELS, SCORES)
    assert rank(pd.Series(LABELS, index=[0, 0, 0, 0]), pd.Series(SCORES)) == rank(LABELS, SCORES)


@pytest.mark.parametrize("scores", [[0.0, -0.0, 0.0, -0.0], [-0.0, 0.0, -0.0, 0.0]])
@pytest.mark.parametrize("higher", [True, False])
def test_the_two_zeros_are_one_score(scores, higher):
    found = rank(LABELS, scores, higher_is_positive=higher).score

    assert found.tolist() == [0.0]
    assert not np.signbit(found).any()


def test_wide_floats_are_read_where_nothing_is_lost():
    wide = np.array(SCORES, dtype=np.longdouble)

    assert rank(LABELS, wide).score.dtype == np.float64
    if np.finfo(np.longdouble).eps < np.finfo(float).eps:
        with pytest.raises(InputError, match="more digits than float64 can"):
            rank(LABELS, wide + np.finfo(np.longdouble).eps / 4)


def test_a_weight_that_is_nothing_beside_the_others_is_refused():
    with pytest.raises(InputError, match=r"weights holds 1e-200, which is nothing .* at position 1: pass 0"):
        rank(LABELS, SCORES, [1, 1e-200, 1, 1])
    small = evaluate([1, 0] * 20, np.arange(40) / 40, np.r_[1e-60, np.ones(39)])
    assert small.estimate("auc", method="bootstrap", resamples=20).value > 0


@pytest.mark.parametrize("groups", [[[1], [2], [3], [4]], np.array([[1], None, {}, b""], dtype=object), object(), 3])
def test_groups_that_are_no_column_are_refused(groups):
    with pytest.raises(InputError, match="groups"):
        evaluate(LABELS, SCORES, groups=groups)


@pytest.mark.parametrize("labels", [[[1], [0], [1, 2], [0]], [{}, {}, {}, {}], [b"a", b"b", b"a", b"b"]])
def test_labels_that_are_no_column_are_refused(labels):
    with pytest.raises(InputError, match="labels"):
        rank(labels, SCORES)


@pytest.mark.parametrize("role", ["groups", "strata"])
@pytest.mark.parametrize("values", [[1, "a", 2, "b"], [object(), object(), object(), object()]])
def test_groups_and_strata_that_cannot_be_compared_are_refused(role, values):
    column = np.array(values, dtype=object)

    with pytest.raises(cl.InputError, match=f"{role} holds values that cannot be compared"):
        cl.evaluate([1, 0, 1, 0], [0.4, 0.2, 0.3, 0.1], **{role: column})


@pytest.mark.filterwarnings("error")
def test_weights_whose_sum_is_infinite_are_refused_without_a_warning(tmp_path):
    (tmp_path / "x.csv").write_text("y,p,w\n1,0.5,1.7e308\n0,0.4,1.7e308\n", encoding="utf-8")

    with pytest.raises(InputError, match="weights add up to inf"):
        evaluate([1, 0], [0.5, 0.4], [1.7e308, 1.7e308])
    with pytest.raises(InputError, match="weights add up to inf"):
        evaluate("y", "p", "w", data=tmp_path / "x.csv")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # older versions of numpy only warn where newer ones refuse
def test_a_list_with_one_number_is_not_that_number():
    lists = pd.Series([np.array([weight]) for weight in (1, 2, 3, 4)])

    with pytest.raises(InputError, match=r"weights holds a ndarray at position 0: pass real numbers"):
        rank(LABELS, SCORES, lists)
