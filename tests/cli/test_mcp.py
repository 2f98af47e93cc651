"""The tools of the Model Context Protocol, asked with the client of its own package, over a real process."""

import asyncio
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import cutline as cl
from cutline.cli.mcp import TOOLS, Tools
from cutline.core.errors import CutlineError

mcp = pytest.importorskip("mcp")

ROWS = "y,p,q\n" + "\n".join(f"{i % 3 == 0:d},{(i * 37 % 101) / 101:.4f},{(i * 53 % 97) / 97:.4f}" for i in range(120))


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "predictions.csv").write_text(ROWS + "\n")
    (tmp_path / "secret.csv").write_text(ROWS + "\n")
    return folder


def ask(root, *calls):
    """What the server answers to some calls, in a process of its own."""

    async def talk():
        command = [sys.executable, "-m", "cutline", "mcp", "--root", str(root)]
        where = mcp.StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        from mcp.client.stdio import stdio_client

        async with stdio_client(where) as streams, mcp.ClientSession(*streams) as session:
            await session.initialize()
            tools = await session.list_tools()
            return [tool.name for tool in tools.tools], [await session.call_tool(name, said) for name, said in calls]

    with ThreadPoolExecutor(1) as thread:  # where no other test's loop is running, as that of a browser
        return thread.submit(lambda: asyncio.run(talk())).result()


def text(answer):
    return answer.content[0].text


def test_a_client_gets_the_json_of_the_command_line(root, cutline):
    path = root / "predictions.csv"
    names, answers = ask(
        root,
        ("evaluate", {"file": "predictions.csv", "label": "y", "score": "p", "seed": 3}),
        ("check", {"file": "predictions.csv", "label": "y", "score": "p", "require": ["auc >= 0.99"]}),
        ("measures", {"name": "mcc"}),
        ("advise", {"goal": "quota", "quota_known": True}),
        ("choose_cut", {"file": "predictions.csv", "label": "y", "score": "p", "require": ["recall >= 0.8"]}),
        ("evaluate", {"file": "../secret.csv"}),
    )
    assert sorted(names) == sorted(TOOLS)
    expected = [
        cutline("evaluate", path, "--label", "y", "--score", "p", "--seed", "3", "--json"),
        cutline("check", path, "--label", "y", "--score", "p", "--require", "auc >= 0.99", "--json"),
        cutline("measures", "mcc", "--json"),
        cutline("advise", "--goal", "quota", "--quota-known", "--json"),
        cutline("cut", path, "--label", "y", "--score", "p", "--require", "recall >= 0.8", "--json"),
    ]
    for answer, run in zip(answers, expected, strict=False):
        assert json.loads(text(answer)) == json.loads(run.out)
    assert answers[-1].is_error
    assert "outside the folder" in text(answers[-1])


def test_the_tools_compare_models_as_the_command_does(root, cutline):
    found = Tools(root).compare(["predictions.csv"], ["p", "q"], "y", measures="auc,brier_score", resamples=0)
    run = cutline(
        "compare", root / "predictions.csv", "--label", "y", "--score", "p", "--score", "q", "--measures",
        "auc,brier_score", "--resamples", "0", "--json",
    )  # fmt: skip
    assert found == json.loads(run.out)


@pytest.mark.posix
@pytest.mark.parametrize(
    "path", ["../secret.csv", "/etc/passwd", "link.csv", "folder", "none.csv", "-", "a\0b", "*.csv"]
)
def test_nothing_outside_the_folder_is_read(root, path):
    (root / "link.csv").symlink_to(root.parent / "secret.csv")
    (root / "folder").mkdir()
    with pytest.raises(CutlineError):
        Tools(root).evaluate(path)


def test_a_cut_outside_the_folder_is_not_read_either(root):
    cl.choose_cut(cl.evaluate([0, 1] * 40, list(range(80))), "fpr <= 0.5").save(root.parent / "cut.json")
    with pytest.raises(CutlineError, match="outside the folder"):
        Tools(root).check("predictions.csv", cut="../cut.json")


def test_the_root_must_be_a_folder():
    with pytest.raises(CutlineError, match="not a folder"):
        Tools(Path("nowhere"))
