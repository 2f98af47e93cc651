"""What the tab key offers, asked in the shells themselves, with the script that `--show-completion` prints."""

import os
import shutil
import subprocess
import sys

import pytest

from cutline.cli.main import app, main

# Each line is what a person has typed before the tab key; the words that the shell is to offer stand beside it.
LINES = {
    "cutline s": {"slices", "sql", "study"},  # one of them explains itself with a colon
    "cutline check --requ": {"--require"},  # whose help holds quotes
    "cutline evaluate x.csv --measures auc,kolmogorov": {"auc,kolmogorov_smirnov"},
}

# How a shell is asked what it would offer: each program prints that for a line, then a line with two equals signs.
BASH = """
eval "$(_CUTLINE_COMPLETE=bash_source cutline)"
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
  _cutline_completion cutline
  printf '%s\\n' "${COMPREPLY[@]}" ==
done
"""
# _describe and compadd are zsh's own, and draw on the screen: here they print what they are given.
ZSH = """
compdef() { }
_describe() { print -rl -- ${(P)3} }
compadd() { print -rl -- ${(P)@[-1]} }
eval "$(_CUTLINE_COMPLETE=zsh_source cutline)"
while IFS= read -r line; do words=(${=line}); CURRENT=$#words; _cutline_completion; print '=='; done
"""
FISH = """
cutline --show-completion fish | source
while read --local line; complete --do-complete "$line"; echo ==; end
"""


@pytest.fixture
def completions(tmp_path):
    """Ask a shell what it offers for each line."""
    command = tmp_path / "bin" / "cutline"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cutline "$@"\n')
    command.chmod(0o755)
    (tmp_path / "empty").mkdir()

    def answers(shell, program, lines):
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is not here")
        env = os.environ | {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
        done = subprocess.run(  # noqa: S603
            [shell, "-c", program],
            input="\n".join(lines) + "\n",
            env=env,
            cwd=tmp_path / "empty",
            capture_output=True,
            text=True,
            check=True,
        )
        assert not done.stderr
        return done.stdout.split("==\n")[:-1]

    return answers


@pytest.mark.posix
def test_bash_completes_commands_options_choices_and_names(completions):
    assert [set(found.split()) for found in completions("bash", BASH, LINES)] == list(LINES.values())


def test_zsh_does(completions):
    """Its answer is a word on each line, with its help after a colon."""
    found = completions("zsh", ZSH, LINES)
    assert [{line.partition(":")[0] for line in one.splitlines()} for one in found] == list(LINES.values())


def test_fish_does(completions):
    """Its answer is a word on each line, with its help after a tab."""
    found = completions("fish", FISH, LINES)
    assert [{line.partition("\t")[0] for line in one.splitlines()} for one in found] == list(LINES.values())


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("eva", ["evaluate"]),
        ("evaluate x.csv --family pro", ["probability"]),
        ("measures youden_", ["youden_j", "youden_index"]),
        ("measures zz", []),
        ("chart x.csv precision_recall_", ["precision_recall_readings"]),
        ("chart precision_recall_", ["precision_recall_"]),  # the first argument is a file: the shell offers those
        ("study vo", ["voting"]),
        ("cut x.csv --maximize kap", ["kappa"]),
        ("check x.csv --no-worse auc,log_lo", ["auc,log_loss"]),
        ("why x.csv --measure h_m", ["h_measure"]),
    ],
)
def test_what_is_offered_after_a_line(line, offered, monkeypatch, capsys):
    words = f"cutline {line}"
    monkeypatch.setenv("_CUTLINE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    with pytest.raises(SystemExit) as ended:
        app(prog_name="cutline")
    assert ended.value.code == 0
    assert [line.partition(",")[2] for line in capsys.readouterr().out.split()] == offered


@pytest.mark.posix
@pytest.mark.parametrize(
    ("shell", "place", "settings"),
    [
        ("bash", ".bash_completions/cutline.sh", ".bashrc"),
        ("zsh", ".zfunc/_cutline", ".zshrc"),
        ("fish", ".config/fish/completions/cutline.fish", None),
    ],
)
def test_completion_is_installed_once(shell, place, settings, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    if settings:
        (tmp_path / settings).write_text("alias ll='ls -l'\n")

    assert [main(["--install-completion"]), main(["--install-completion", shell])] == [0, 0]
    assert str(tmp_path / place) in capsys.readouterr().out
    assert "_CUTLINE_COMPLETE" in (tmp_path / place).read_text()
    if settings:
        assert (tmp_path / settings).read_text().startswith("alias ll='ls -l'\n")
        assert (tmp_path / settings).read_text().count("\n") == 2


def test_an_unknown_shell_is_refused(monkeypatch, capsys):
    monkeypatch.setenv("SHELL", "/bin/tcsh")

    assert main(["--show-completion"]) == 2
    assert "pass one of bash, zsh, fish after the option" in capsys.readouterr().err
