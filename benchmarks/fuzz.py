"""Hostile files, options and arguments: what the command and the package do with them, against an independent reader.

    python benchmarks/fuzz.py --files 20000 --calls 100000          # what `make fuzz` runs
    python benchmarks/fuzz.py --files 1 --first 4711 --keep out     # one seed again, its file kept

Every input follows from its seed. Files run through the command in worker processes that take many seeds each, so that
a crash or a hang costs one worker and is counted; a run with exit code 0 is checked against rows that Python's own csv
and json modules and pyarrow read. Prints inputs tried, refusals, tracebacks, crashes, hangs and misreadings, and ends
with exit code 1 unless the last four are 0.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
import gzip
import io
import json
import math
import os
import random
import selectors
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HANG = 20  # seconds for one input
BAD = ("traceback", "crash", "hang", "misread")  # how an input must not end
TABLES = ("csv", "json", "parquet", "arrow")

# ---------------------------------------------------------------------- files


def table(dice: random.Random) -> dict[str, list]:
    """Labels, scores, weights, groups and ids, of ordinary and of odd kinds."""
    n = dice.choice((1, 3, 10, 40, 40))
    kinds = {
        "labels": [
            lambda: dice.randint(0, 1),
            lambda: dice.choice((True, False)),
            lambda: dice.choice(("yes", "no")),
            lambda: dice.choice((-1, 1)),
            lambda: dice.choice((0, 1, None)),
            lambda: dice.choice((0, 1, 2)),
            lambda: dice.choice(("", "=1+1", "\x1b[2J", "é")),
        ],
        "scores": [
            dice.random,
            lambda: round(dice.random(), 1),
            lambda: dice.gauss(0, 1e3),
            lambda: dice.choice((0.0, -0.0, 1.0)),
            lambda: dice.choice((1e308, -1e308, 5e-324, math.inf, -math.inf)),
            lambda: dice.choice((0.5, None, 0.25)),
            lambda: dice.choice((0.5, math.nan)),
            lambda: dice.choice((2**53, 2**60, 1)),
            lambda: dice.choice((0.5, "x", "1_000", "0,5", "+-1")),
        ],
    }
    usual = 0 if dice.random() < 0.75 else None
    label = kinds["labels"][dice.randrange(len(kinds["labels"])) if usual is None else usual]
    score = kinds["scores"][dice.randrange(len(kinds["scores"])) if dice.random() < 0.3 else dice.randrange(2)]
    rows = {"y": [label() for _ in range(n)], "p": [score() for _ in range(n)]}
    if dice.random() < 0.4:
        rows["w"] = [dice.choice((1, 2, 0, 0.5, 1e-9, 1e-200, 1e200, -1, None)) for _ in range(n)]
    if dice.random() < 0.4:
        odd = dice.choice(("a", 1, None, [1], {"a": 1}, b"x"))
        rows["g"] = [f"g{dice.randrange(4)}" for _ in range(n)] if dice.random() < 0.7 else [odd] * n
    if dice.random() < 0.2:
        rows[dice.choice(("P", "p ", "", "Y", "a,b", 'a"b', "a\nb"))] = list(range(n))
    return rows


def written(dice: random.Random, kind: str, rows: dict[str, list]) -> bytes:
    """A table as a file of a kind; values that the kind cannot hold become text."""
    if kind == "csv":
        out = io.StringIO()
        writer = csv.writer(out, delimiter=dice.choice(",,,;\t|"), lineterminator=dice.choice(("\n", "\n", "\r\n")))
        writer.writerow(rows)
        writer.writerows(zip(*[["" if v is None else v for v in column] for column in rows.values()], strict=True))
        return out.getvalue().encode()
    if kind == "json":
        lines = [dict(zip(rows, row, strict=True)) for row in zip(*rows.values(), strict=True)]
        return "".join(json.dumps(line, default=str) + "\n" for line in lines).encode()
    import pyarrow as pa
    from pyarrow import ipc, parquet

    columns = {}
    for name, values in rows.items():
        try:
            columns[name] = pa.array(values)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            columns[name] = pa.array([None if value is None else str(value) for value in values])
        if name == "y" and pa.types.is_string(columns[name].type) and dice.random() < 0.3:
            columns[name] = columns[name].dictionary_encode()
    made, out = pa.table(columns), io.BytesIO()
    if kind == "parquet":
        parquet.write_table(made, out)
    else:
        options = ipc.IpcWriteOptions(compression=dice.choice((None, None, "lz4")))
        opened = dice.choice((ipc.new_file, ipc.new_stream))
        with opened(out, made.schema, options=options) as writer:
            writer.write_table(made, max_chunksize=17)
    return out.getvalue()


def mutated(dice: random.Random, kind: str, content: bytes) -> bytes:
    """The file, damaged in one of many ways, or left alone."""
    bad = bytearray(content)
    way = dice.randrange(10)
    is_binary = kind in ("parquet", "arrow")
    if way < 3 or not bad:
        return content
    if way < 6 or (is_binary and way < 9):
        for _ in range(dice.choice((1, 2, 4, 8) if is_binary else (1, 1, 2, 8))):
            bad[dice.randrange(len(bad))] ^= 1 << dice.randrange(8)
    elif way == 6:
        del bad[dice.randrange(len(bad)) :]
    elif way == 7:
        at = dice.randrange(len(bad))
        bad[at:at] = dice.choice((b"\0", b"\xff", b'"', b",", b"\n", b"\r", b"{", b"NaN", b"\xef\xbb\xbf", b"'", b"\\"))
    elif way == 8:
        at, size = dice.randrange(len(bad)), dice.randrange(64)
        del bad[at : at + size]
    else:
        lines = content.split(b"\n")
        dice.shuffle(lines) if kind in ("csv", "json") else None
        return b"\n".join(lines)
    return bytes(bad)


def case(seed: int) -> tuple[str, bytes, list[str]]:
    """The name of a file, its bytes, and the arguments of the command."""
    dice = random.Random(seed)  # noqa: S311 - not for secrets
    kind = dice.choice(TABLES)
    rows = table(dice)
    if kind in ("parquet", "arrow") and dice.random() < 0.4:  # offsets of text are what damage breaks first
        rows["y"] = [dice.choice(("yes", "no")) for _ in rows["y"]]
    content = mutated(dice, kind, written(dice, kind, rows))
    name = f"f.{'jsonl' if kind == 'json' else kind}"
    if kind in ("csv", "json") and dice.random() < 0.1:
        content, name = gzip.compress(content), name + ".gz"
        content = mutated(dice, kind, content)
    arguments = ["--label", "y", "--score", "p"]
    for option, column in (("--weight", "w"), ("--group", "g"), ("--id", "g")):
        if column in rows and dice.random() < 0.3:
            arguments += [option, column]
    if "yes" in rows["y"] and dice.random() < 0.9:
        arguments += ["--positive", "yes"]
    more = [
        ["--positive", dice.choice(("1", "yes", "true", "True", "", "\x9b", "é", "None"))],
        ["--missing", "drop"],
        ["--lower-is-positive"],
        ["--id", "y"],
        ["--level", dice.choice(("0.9", "nan", "95", "0", "1e-9", "inf"))],
        ["--quota", dice.choice(("1", "3", "0", "nan", "-1", "1e9"))],
        ["--share", dice.choice(("0.1", "1", "nan", "0"))],
        ["--threshold", dice.choice(("0", "nan", "inf", "-inf", "1e308"))],
        ["--seed", dice.choice(("7", "-1", "99999999999999999999"))],
        ["--measures", dice.choice(("auc,mcc", "f_beta@beta=2", "recall@", "auc.low", ",", "f_beta@beta=nan"))],
        ["--format", dice.choice(TABLES)],
    ]
    for option in more:
        if dice.random() < 0.04:
            arguments += option
    return name, content, [*arguments, "--resamples", dice.choice(("0", "20", "20")), "--json", "--quiet"]


# ---------------------------------------------------------------------- the independent reader

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")


def oracle(path: Path) -> list[tuple[object, object]] | None:
    """The labels and scores of a file as plain Python reads them; None where it is not sure."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    name = path.name.removesuffix(".gz")
    if name.endswith(".csv"):
        text = content.decode("utf-8-sig")
        if "\0" in text or '"' in text or "\r" in text.replace("\r\n", ""):
            return None
        lines = [line for line in text.split("\n") if line.strip()]
        delimiters = [mark for mark in ",;\t|" if mark in lines[0]]
        if len(delimiters) != 1:
            return None
        header, *rows = (line.rstrip("\r").split(delimiters[0]) for line in lines)
        if any(len(row) != len(header) for row in rows) or header.count("y") != 1 or header.count("p") != 1:
            return None
        y, p = header.index("y"), header.index("p")
        return [(row[y], None if row[p].strip() in MISSING else float(row[p])) for row in rows]
    if name.endswith(".jsonl"):
        rows = [json.loads(line) for line in content.decode("utf-8-sig").splitlines() if line.strip()]
        return [(row.get("y"), row.get("p")) for row in rows]
    import pyarrow as pa
    from pyarrow import ipc, parquet

    if name.endswith(".parquet"):
        read = parquet.read_table(pa.BufferReader(content))
    else:
        opened = ipc.open_stream if content[:4] == b"\xff\xff\xff\xff" else ipc.open_file
        read = opened(pa.BufferReader(content)).read_all()
    read.validate(full=True)
    return list(zip(read.column("y").to_pylist(), read.column("p").to_pylist(), strict=True))


def expected(path: Path, arguments: list[str]) -> dict[str, float] | None:
    """How many positives and negatives there are and the AUC, by counting pairs; None where that is not simple."""
    if {"--weight", "--format", "--positive", "--quota", "--share"} & {*arguments}:
        return None
    try:
        rows = oracle(path)
    except Exception:  # what it cannot read, it cannot judge
        return None
    if rows is None:
        return None
    if "--missing" in arguments:
        rows = [row for row in rows if not any(v is None or v != v or v in MISSING for v in row)]
    positive = {1, "1", "true", "True"}
    negative = {0, -1, "0", "-1", "false", "False"}
    if not rows or any(label not in positive | negative or not isinstance(score, int | float) for label, score in rows):
        return None
    high = [score for label, score in rows if label in positive]
    low = [score for label, score in rows if label not in positive]
    if not high or not low:
        return None
    if "--lower-is-positive" in arguments:
        high, low = [-s for s in high], [-s for s in low]
    wins = sum((a > b) + 0.5 * (a == b) for a in high for b in low)
    return {"positives": len(high), "negatives": len(low), "auc": wins / len(high) / len(low)}


def judged(path: Path, arguments: list[str], out: str) -> str:
    """Whether what the command printed is what the independent reader counts."""
    document = json.loads(out)
    wanted = expected(path, arguments)
    if wanted is None:
        return "read"
    text = json.dumps(document)
    found = [row for row in _dicts(document) if row.get("measure") == "auc" and "value" in row]
    if found and found[0]["value"] is not None and abs(found[0]["value"] - wanted["auc"]) > 1e-9:
        return "misread"
    for what in ("positives", "negatives"):
        counts = [row[what] for row in _dicts(document) if isinstance(row.get(what), int | float)]
        if counts and wanted[what] not in counts:
            return "misread"
    return "checked" if found or '"positives"' in text else "read"


def _dicts(document: object) -> list[dict]:
    if isinstance(document, dict):
        return [document, *(found for value in document.values() for found in _dicts(value))]
    return [found for value in document for found in _dicts(value)] if isinstance(document, list) else []


# ---------------------------------------------------------------------- calls


def values() -> list:
    """What people pass by mistake, and what they mean."""
    import numpy as np
    import pandas as pd

    labels, scores = [1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]
    return [
        labels, scores, np.array(labels), np.array(scores), pd.Series(scores), tuple(labels), None, 0, 1, -1,
        0.5, 2, 1e308, math.nan, math.inf, True, "auc", "f1", "roc", "y", "", "x" * 50, b"y", [], {}, {"a": scores},
        {"a": 1}, {"a": scores, "b": labels},
        [None] * 4, ["a", "b", "a", "b"], [[1], [0], [1], [0]], np.ones((4, 2)), np.array([]), object(), 1j,
        pd.DataFrame({"y": labels, "p": scores}), {"y": labels, "p": scores}, np.array(["a"] * 4), [1, 0, 2, 0],
        range(4),
        Path("no/such.csv"), {1, 0}, np.float32(0.5), np.array(0.5), 10**400, -(10**30), "0.5", [math.nan] * 4,
        np.array(["2020-01-01"] * 4, dtype="M8[D]"), [True, False, True, False], [2**70] * 4, [1, "a", None, 0.5],
    ]  # fmt: skip


def call(seed: int) -> tuple[str, object]:
    """One call with random arguments, by its name."""
    import cutline as cl

    dice = random.Random(-seed - 1)  # noqa: S311
    pool = values()
    any_of = lambda: dice.choice(pool)  # noqa: E731
    labels = lambda: [1, 0, 1, 0] if dice.random() < 0.6 else any_of()  # noqa: E731
    scores = lambda: [0.9, 0.6, 0.7, 0.2] if dice.random() < 0.6 else any_of()  # noqa: E731
    ev = cl.evaluate([1, 0, 1, 0, 1], [0.9, 0.6, 0.6, 0.2, 0.7])
    cmp = cl.compare([1, 0, 1, 0], {"a": [0.9, 0.6, 0.6, 0.2], "b": [0.1, 0.2, 0.3, 0.4]})

    def options(*names):
        return {name: any_of() for name in names if dice.random() < 0.35}

    how = ("weights", "positive", "missing", "higher_is_positive", "data")
    targets = {
        "rank": lambda: cl.rank(labels(), scores(), **options(*how)),
        "evaluate": lambda: cl.evaluate(labels(), scores(), **options(*how, "threshold", "name", "groups")),
        "compare": lambda: cl.compare(labels(), {"a": scores(), "b": scores()}, **options(*how, "threshold", "groups")),
        "compare of anything": lambda: cl.compare(any_of(), any_of()),
        "auc": lambda: cl.auc(labels(), scores(), **options("positive", "weights")),
        "f_beta": lambda: cl.f_beta(labels(), scores(), **options("beta", "threshold", "positive")),
        "hit_rate": lambda: cl.hit_rate(labels(), scores(), **options("quota", "share")),
        "value": lambda: ev.value(any_of(), **options("beta", "quota", "threshold")),
        "estimate": lambda: ev.estimate(
            dice.choice(("auc", "f1", any_of())), resamples=20, **options("level", "method", "seed", "quota")
        ),
        "at": lambda: ev.at(**options("threshold", "quota", "share")),
        "curve": lambda: ev.curve(any_of()),
        "summary": lambda: ev.summary(any_of(), **options("level", "quota", "share", "seed")),
        "scorer": lambda: cl.scorer(any_of(), **options("threshold", "positive", "beta")),
        "one_vs_rest": lambda: cl.one_vs_rest(any_of(), any_of(), **options("classes")),
        "MEASURES": lambda: cl.MEASURES[any_of()],
        "Counts": lambda: cl.Counts(any_of(), any_of(), 1, 2),
        "difference": lambda: cmp.difference(
            dice.choice(("auc", any_of())), resamples=20, **options("a", "b", "level")
        ),
        "test": lambda: cmp.test(dice.choice(("auc", any_of())), **options("method", "level")),
        "dominance": lambda: cmp.dominance(any_of()),
        "search": lambda: cl.MEASURES.search(any_of(), **options("family", "needs")),
        "save": lambda: ev.save(any_of()),
        "to_frame": lambda: ev.summary(["auc"]).to_frame(any_of()),
        "check_proper": lambda: cl.check_proper(any_of(), **options("grid", "reward")),
        "advise": lambda: cl.advise(any_of()),
    }
    name = dice.choice([*targets])
    return name, targets[name]


# ---------------------------------------------------------------------- workers


def run_file(seed: int, folder: Path) -> tuple[str, str]:
    """What the command does with the file of a seed: the outcome, and what it said."""
    from cutline.cli.main import main

    name, content, arguments = case(seed)
    path = folder / name
    path.write_bytes(content)
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        code = main(["evaluate", str(path), *arguments])
    if code in (0, 1):
        return judged(path, arguments, out.getvalue()), said.getvalue()
    if code == 2 and said.getvalue().count("\n") == 1 and said.getvalue().isprintable() is False:
        return "refused", said.getvalue()
    return "traceback", f"exit code {code}: {said.getvalue()}"


def run_call(seed: int) -> tuple[str, str]:
    """What a call does: a result, a refusal, or an error that is no sentence."""
    from cutline import CutlineError

    name, made = call(seed)
    try:
        made()
    except CutlineError as refusal:
        return "refused", str(refusal)
    except Exception as error:
        return "traceback", f"{name}: {type(error).__name__}: {error}"
    return "read", name


def work(kind: str) -> None:
    """Take seeds from standard input, and answer each with a line of JSON."""
    import warnings

    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line in sys.stdin:
            seed = int(line)
            try:
                outcome, said = run_file(seed, Path(folder)) if kind == "files" else run_call(seed)
            except Exception as error:
                outcome, said = "traceback", f"{type(error).__name__}: {error}"
            answers.write(json.dumps([seed, outcome, said[:300]]) + "\n")


class Worker:
    """A process that takes one seed after the other, started anew when it dies."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.process: subprocess.Popen | None = None

    def __call__(self, seed: int) -> tuple[str, str]:
        if self.process is None:
            command = [sys.executable, __file__, "--worker", self.kind]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            self.process = subprocess.Popen(command, text=True, bufsize=1, **pipes)
        self.process.stdin.write(f"{seed}\n")
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            if not ready.select(HANG):
                self.stop()
                return "hang", f"no answer in {HANG} s"
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            self.stop()
            return "crash", f"the process ended with {code}"
        _, outcome, said = json.loads(line)
        return outcome, said

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()
            self.process = None


def fuzz(kind: str, seeds: range) -> tuple[collections.Counter, list[tuple[int, str, str]]]:
    """How the inputs of the seeds ended, and those that ended badly."""
    worker, outcomes, failures = Worker(kind), collections.Counter(), []
    for seed in seeds:
        outcome, said = worker(seed)
        outcomes[outcome] += 1
        if outcome in BAD:
            failures.append((seed, outcome, said))
    worker.stop()
    return outcomes, failures


def report(kind: str, outcomes: collections.Counter, failures: list[tuple[int, str, str]]) -> None:
    read = outcomes["read"] + outcomes["checked"]
    bad = ", ".join(f"{outcomes[what]} {what}" for what in BAD)
    checked = f" ({outcomes['checked']} checked against the independent reader)" if kind == "files" else ""
    print(f"{kind}: {sum(outcomes.values())} tried, {read} read{checked}, {outcomes['refused']} refused, {bad}")
    alike = collections.defaultdict(list)
    for seed, outcome, said in failures:
        alike[outcome, said.strip()[:110]].append(seed)
    for (outcome, said), seeds in sorted(alike.items(), key=lambda item: -len(item[1]))[:60]:
        print(f"  {len(seeds)} x {outcome}, first seed {seeds[0]}: {said}")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--files", type=int, default=0)
    options.add_argument("--calls", type=int, default=0)
    options.add_argument("--first", type=int, default=0, help="the first seed")
    options.add_argument("--keep", type=Path, help="write the file of the first seed here")
    options.add_argument("--worker", choices=("files", "calls"), help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.worker:
        work(asked.worker)
        return 0
    if asked.keep:
        name, content, arguments = case(asked.first)
        asked.keep.mkdir(exist_ok=True)
        (asked.keep / name).write_bytes(content)
        print("cutline evaluate", asked.keep / name, *map(repr, arguments))
    started, bad = time.monotonic(), 0
    for kind in ("files", "calls"):
        if count := getattr(asked, kind):
            outcomes, failures = fuzz(kind, range(asked.first, asked.first + count))
            report(kind, outcomes, failures)
            bad += len(failures)
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
