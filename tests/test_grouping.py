"""Cases that are grouped in one test: all of them run, and a failure names each case that fails."""

import inspect

import pytest

from grouping import each_case


def test_a_failure_names_each_case_that_fails_and_the_others_run():
    ran = []

    @each_case("number", [1, 2, 3, 4])
    def check(number):
        ran.append(number)
        assert number % 2

    with pytest.raises(BaseExceptionGroup, match=r"2 of 4 cases fail: 2, 4") as caught:
        check()

    assert ran == [1, 2, 3, 4]
    assert [error.__notes__ for error in caught.value.exceptions] == [["The case is 2."], ["The case is 4."]]


def test_an_exception_that_was_expected_and_not_raised_is_a_failure():
    @each_case("text", {"a number": "1", "a word": "x"})
    def check(text):
        with pytest.raises(ValueError, match="invalid"):
            int(text)

    with pytest.raises(BaseExceptionGroup, match=r"1 of 2 cases fail: a number"):
        check()


def test_groups_of_groups_take_every_pair():
    pairs = []

    @each_case("letter", ["a", "b"])
    @each_case(("k", "n"), [(1, 2), (1, 2), (3, 4)])
    def check(letter, k, n, fixture):
        pairs.append((letter, k, n, fixture))

    check(fixture=0)

    assert pairs == [(letter, k, n, 0) for letter in "ab" for k, n in [(1, 2), (1, 2), (3, 4)]]
    assert list(inspect.signature(check).parameters) == ["fixture"]


def test_a_test_is_skipped_if_all_of_its_cases_are():
    @each_case("number", [1, 2])
    def check(number, last):
        if number <= last:
            pytest.skip("too small")

    check(last=1)
    with pytest.raises(pytest.skip.Exception, match="too small"):
        check(last=2)


def test_there_is_at_least_one_case():
    with pytest.raises(ValueError, match="no case of number"):
        each_case("number", [])
