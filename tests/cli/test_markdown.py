"""The results of a gate as Markdown."""

from cutline.cli.check import GateOutcome, Result
from cutline.cli.check import make_markdown as document


def test_what_failed_comes_first_and_marks_in_names_are_text():
    results = (Result("auc >= 0.5", True, 0.8), Result("a|b_c <script> >= 1", False, 0.25, 0.1, 0.4, "value is 0.25"))
    text = document(GateOutcome("x.csv", results, 0.95)).decode()
    lines = text.splitlines()
    assert lines[:3] == ["### cutline check: x.csv", "", "1 of 2 requirements failed."]
    assert lines[4].count("|") == lines[5].count("|") == 6
    assert lines[6] == r"| **failed** | a\|b\_c &lt;script&gt; &gt;= 1 | 0.2500 | [0.1000, 0.4000] | value is 0.25 |"
    assert lines[7].startswith("| passed | auc &gt;= 0.5 | 0.8000 |")


def test_the_command_writes_it_and_replaces_nothing_without_force(cutline, ten):
    assert cutline("check", ten, "--require", "auc >= 0.5", "--markdown", "gate.md").code == 0
    assert cutline("check", ten, "--require", "auc >= 0.5", "--markdown", "gate.md").code == 2
    assert cutline("check", ten, "--require", "auc >= 0.9", "--markdown", "gate.md", "--force").code == 1


def test_a_dash_prints_it_instead_of_the_table_and_writes_no_file(cutline, ten, tmp_path):
    done = cutline("check", ten, "--require", "auc >= 0.9", "--markdown", "-")
    assert done.code == 1
    assert done.out.startswith("### cutline check: ")
    assert done.out.splitlines()[6].startswith("| **failed** | auc &gt;= 0.9 | 0.8000 |")
    assert not (tmp_path / "-").exists()

    refused = cutline("check", ten, "--require", "auc >= 0.9", "--markdown", "-", "--json")
    assert (refused.code, refused.err) == (
        2,
        "cutline: --json and --markdown - both write to standard output: pass one of them.\n",
    )
