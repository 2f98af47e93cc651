"""The blind test of the ledger: does `why` name the convention behind numbers that real packages print?

    python benchmarks/ledger.py --numbers 300          # asks the packages that are installed
    python benchmarks/ledger.py --numbers 300 --save   # and writes the figures that docs/ledger.md shows
    python benchmarks/ledger.py --blind --save         # numbers of functions that were picked without the table
    python benchmarks/ledger.py --speed                # all single conventions on a million rows

A number is made like this: random cases (with or without ties, weights, rare positives), a random function of a
random package, and half of the time something done to the data before (scores rounded, 32-bit, of the wrong column,
hard labels, rows without weights). It is printed with six digits. An explanation is right when it gives the same number
with all digits that the package has; it is the same when it also names the conventions that were used, and no other.
"""

import argparse
import importlib.util
import json
import math
import time
import warnings
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

import cutline as cl
from cutline.ledger.cases import Material, Rows
from cutline.ledger.quantity import parse_quantity
from cutline.ledger.registry import CONVENTIONS
from cutline.ledger.search import ConventionSearch, find_candidates
from cutline.ledger.tools import TOOLS

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "ledger_results.json"
BLIND = FOLDER / "ledger_blind.json"
# What somebody may have done to the scores or labels before a package saw them.
BEFORE = ("digits_2", "digits_3", "digits_4", "single", "wrong_column", "hard_labels", "unweighted")
SLOW = ("H2O", "Spark ml", "Spark mllib")  # a process for each number


def peers():
    path = FOLDER.parent / "tests" / "oracles" / "ledger_peers.py"
    spec = importlib.util.spec_from_file_location("ledger_peers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def installed(names=None):
    """The packages that can be asked here, by their names in the ledger."""
    found = {}
    for name, (ask, package) in peers().PEERS.items():
        try:
            version(package or "-")
        except (PackageNotFoundError, ValueError):
            continue
        if name not in SLOW and (names is None or name in names):
            found[name] = ask
    return found


def cases(rng):
    n = int(rng.integers(80, 800))
    prevalence = float(rng.choice([0.5, 0.3, 0.1, 0.05]))
    y = (rng.random(n) < prevalence).astype(int)
    y[:4], y[4:8] = 1, 0
    z = rng.normal(size=n) + rng.uniform(0.5, 2) * y + 0.8 * math.log(prevalence / (1 - prevalence))
    s = np.round(1 / (1 + np.exp(-z)), int(rng.choice([3, 6, 15])))
    w = np.round(rng.random(n) * 3 + 0.25, 2) if rng.random() < 0.3 else None
    return y, s, w


def changed(convention, y, s, w):
    """The data as the package gets them, by plain numpy."""
    if convention.startswith("digits_"):
        return y, np.round(s, int(convention[-1])), w
    if convention == "single":
        return y, s.astype(np.float32).astype(float), w
    if convention == "wrong_column":
        return y, 1 - s, w
    if convention == "hard_labels":
        return y, (s >= 0.5).astype(float), w
    return y, s, None


def number(rng, packages):
    """A number with six digits, what it is said to be, all its digits, and the conventions behind it."""
    while True:
        y, s, w = cases(rng)
        name = str(rng.choice(sorted(packages)))
        entry = TOOLS[name].entries[int(rng.integers(len(TOOLS[name].entries)))]
        q = parse_quantity(entry.measure)
        before = str(rng.choice(BEFORE)) if rng.random() < 0.5 else ""
        if (before and not CONVENTIONS[before].applies(q)) or (
            before == "hard_labels" and "hard_labels" in entry.conventions
        ):
            continue
        given = changed(before, y, s, w) if before else (y, s, w)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = float(packages[name](*given)[entry.function])
        if math.isfinite(value) and value not in (0.0, 1.0):
            conventions = {*entry.conventions, *([before] if before else [])}
            if w is not None and entry.weights == "ignored":
                conventions.add("unweighted")
            return (y, s, w), entry, value, conventions, name


def judged(rng, packages, digits=6):
    (y, s, w), entry, value, conventions, name = number(rng, packages)
    text = f"{value:.{digits}f}"
    answer = cl.why(y == 1, s, w, value=text, measure=entry.measure, other=peers().second_model(s), threshold=0.5)
    best = answer.best
    close = 3e-6 if entry.single else 1e-9
    right = best is not None and abs(best.value - value) <= max(close * abs(value), 1e-12)
    return {
        "tool": name,
        "found": best is not None,
        "right": right,
        "same": best is not None and set(best.conventions) == _needed(y, s, w, entry, conventions),
        "several": len(answer.explanations) > 1,
        "certain": answer.is_certain,
    }


def _needed(y, s, w, entry, conventions):
    """The conventions behind a number without those that change nothing on these cases."""
    q, material = (
        parse_quantity(entry.measure),
        Material.of_rows(Rows(y == 1, s, w, other=peers().second_model(s)), 0.5),
    )
    search = ConventionSearch(material)
    kept = [CONVENTIONS[name] for name in CONVENTIONS if name in conventions]
    whole = search.value(q, kept)
    for convention in list(kept):
        rest = [one for one in kept if one is not convention]
        if abs(search.value(q, rest) - whole) <= (1e-6 if entry.single else 1e-9) * abs(whole):
            kept = rest
    return {convention.name for convention in kept}


def figures(rows):
    count, sure = len(rows), [row for row in rows if row["certain"]]
    return {
        "numbers": count,
        "tools": sorted({row["tool"] for row in rows}),
        "right_first": sum(row["right"] for row in rows) / count,
        "same_first": sum(row["same"] for row in rows) / count,
        "unexplained": sum(not row["found"] for row in rows) / count,
        "certain": len(sure) / count,
        "right_when_certain": sum(row["right"] for row in sure) / max(len(sure), 1),
        "certain_with_several": sum(row["certain"] and row["several"] for row in rows),
    }


def blind(count, seed=0, names=None, digits=6):
    rng = np.random.default_rng(seed)
    packages = installed(names)
    return [judged(rng, packages, digits) for _ in range(count)]


def blind_cases(seed):
    """The sets of cases of ledger_blind.json: labels, scores, weights, and the scores of a second model."""
    rng = np.random.default_rng(seed)

    def made(n, prevalence, digits, separation):
        y = (rng.random(n) < prevalence).astype(int)
        z = 1.4 * rng.normal(size=n) + separation * y + math.log(prevalence / (1 - prevalence))
        return y, np.round(1 / (1 + np.exp(-z)), digits)

    a, b, c = made(350, 0.3, 4, 1.3), made(1200, 0.08, 6, 1.8), made(600, 0.4, 2, 1.0)
    weights = np.round(rng.random(350) * 2 + 0.5, 2)
    other = np.clip(np.round(a[1] + rng.normal(size=350) * 0.15, 4), 0.0001, 0.9999)
    log_odds = np.log(b[1] / (1 - b[1]))
    return {
        "A": (*a, None, other),
        "Aw": (*a, weights, None),
        "B": (*b, None, None),
        "Bz": (b[0], log_odds, None, None),
        "C": (*c, None, None),
    }


def frozen():
    """How many of the numbers in ledger_blind.json are explained by what gives them, by round and package."""
    found = {}
    for name, part in json.loads(BLIND.read_text(encoding="utf-8")).items():
        cases, packages = blind_cases(part["seed"]), {}
        for row in part["numbers"]:
            y, s, w, other = cases[row["cases"]]
            threshold = None if row["cases"] == "Bz" or "@threshold" in row["measure"] else 0.5
            tested = other if row["measure"] in ("mcnemar", "delong") else None
            try:
                best = cl.why(
                    y, s, w, value=row["printed"], measure=row["measure"], threshold=threshold, other=tested
                ).best
            except cl.ParameterError:  # no scale has such a number
                best = None
            close = max(3e-6 * abs(row["full"]), 5e-6 if row["package"] == "irrCAC" else 0)  # irrCAC rounds
            counts = packages.setdefault(row["package"], [0, 0])
            counts[0] += 1
            counts[1] += best is not None and abs(best.value - row["full"]) <= close
        found[name] = {"right_when_first_tried": part["right_when_first_tried"], "packages": packages}
    return found


def speed(rows=1_000_000):
    rng = np.random.default_rng(0)
    y = rng.random(rows) < 0.1
    material = Material.of_rows(Rows(y, 1 / (1 + np.exp(-(rng.normal(size=rows) + 1.2 * y - 2.2)))))
    for name in ("auc", "average_precision", "log_loss", "brier", "f1"):
        start, work = time.perf_counter(), time.process_time()
        found = list(find_candidates(ConventionSearch(material), parse_quantity(name), pairs=False))
        took, work = time.perf_counter() - start, time.process_time() - work
        print(f"{name}: {len(found)} single conventions on {rows:,} rows in {took:.2f} s ({work:.2f} s of work)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--numbers", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--blind", action="store_true")
    options = parser.parse_args()
    if options.speed:
        speed()
        return
    if options.blind:
        found = {"blind": frozen()}
    else:
        found = {str(digits): figures(blind(options.numbers, options.seed, digits=digits)) for digits in (6, 4)}
        found["date"] = f"{date.today():%B %Y}"
    print(json.dumps(found, indent=2))
    if options.save:
        found = json.loads(RESULTS.read_text(encoding="utf-8")) | found
        RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
