"""How often monitoring raises a false alarm, and how late a true one, beside looking every day at an ordinary test.

    python benchmarks/monitoring.py                        # every part, about ten minutes
    python benchmarks/monitoring.py shares --runs 200      # one part, fewer runs
    python benchmarks/monitoring.py table                  # the tables of docs/monitoring.md from the stored results
    python benchmarks/monitoring.py speed --runs 1000      # a thousand daily ranking files of 100,000 distinct scores

Each part adds its rows to benchmarks/monitoring_results.json. Samples are drawn as counts, all runs at once.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri
from scipy.stats import beta

import cutline as cl
from cutline.core.ranking import Ranking
from cutline.inference import delong, drift, sequential

RESULTS = Path(__file__).with_name("monitoring_results.json")
ALPHA = 0.05
CHUNK = 100  # runs at once
RELEASE, DAYS = 0.4, 0.6  # how alpha is divided between the release sample and the days


def first_alarm(crossed):
    """Return the period of each run's first alarm, counted from 1; infinity without one."""
    return np.where(crossed.any(1), crossed.argmax(1) + 1.0, np.inf)


def row(part, what, alarms, naive=None, target=None):
    """Return one row of the results: shares of runs with an alarm, and the median time until it."""
    median = float(np.median(alarms))
    return {
        "part": part,
        "what": what,
        "runs": len(alarms),
        "alarm": float(np.isfinite(alarms).mean()),
        "median": median if np.isfinite(median) else None,
        "naive": None if naive is None else float(np.isfinite(naive).mean()),
        "target": target,
    }


def in_chunks(runs, simulate):
    """Run a simulation in chunks and put the results side by side."""
    parts = [simulate(min(CHUNK, runs - start)) for start in range(0, runs, CHUNK)]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


# ---- shares at a cut


def share_runs(rng, runs, p, per_period, periods, promised=None, limit=1 / ALPHA):
    """Return first alarms of the e-process, of its two-sided sequence and of a daily z test."""
    promised = p if promised is None else promised

    def simulate(size):
        s = rng.binomial(per_period, p, size=(size, periods)).cumsum(1)
        n = per_period * np.arange(1, periods + 1)
        below = sequential.log_evidence_below(s, n, np.broadcast_to(promised, (size,))[:, None])
        against = sequential.log_evidence_against(s, n, p)
        at = np.broadcast_to(promised, (size,))[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (s / n - at) / np.sqrt(at * (1 - at) / n)
        return (
            first_alarm(below >= np.log(limit)),
            first_alarm(against >= np.log(limit)),
            first_alarm(z < ndtri(ALPHA)),
        )

    return in_chunks(runs, simulate)


def shares(runs):
    rng = np.random.default_rng(1)
    for p in (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99):
        for per_period in (1, 10, 100):
            below, sequence, naive = share_runs(rng, runs, p, per_period, 1000)
            yield row("shares", f"share {p}, {per_period} a period: below", below, naive, 0.055)
            yield row("shares", f"share {p}, {per_period} a period: sequence", sequence, None, 0.055)


def year(runs):
    """A year of 20 labelled positives a day, against a promise of 0.8 and against a release sample."""
    rng = np.random.default_rng(2)
    for p in (0.8, 0.75, 0.7):
        below, _, naive = share_runs(rng, runs, p, 20, 365, promised=0.8)
        yield row("year", f"recall {p}, promised 0.8", below, naive)
    for n0 in (500, 2000):
        for p in (0.8, 0.7):
            x = rng.binomial(n0, 0.8, size=runs)
            low = beta.ppf(RELEASE * ALPHA, x, n0 - x + 1)
            s = rng.binomial(20, p, size=(runs, 365)).cumsum(1)
            n = 20 * np.arange(1, 366)
            evidence = sequential.log_evidence_below(s, n, low[:, None])
            pooled = (s + x[:, None]) / (n + n0)
            z = (s / n - (x / n0)[:, None]) / np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / n0))
            alarms = first_alarm(evidence >= -np.log(DAYS * ALPHA))
            yield row("year", f"recall {p}, release 0.8 on {n0} positives", alarms, first_alarm(z < ndtri(ALPHA)))


def detector(runs):
    """The Shiryaev-Roberts detector: delays after 100 good days, and the mean time to a false alarm."""
    rng = np.random.default_rng(3)
    for p in (0.75, 0.7, 0.6):
        s = rng.binomial(20, np.r_[np.full(100, 0.8), np.full(265, p)], size=(runs, 365))
        path = sequential.compute_shiryaev_roberts(sequential.log_ratios_below(s.T, 20, 0.8)).T
        crossed = path >= np.log(7300)
        delays = first_alarm(crossed[:, 100:])[~crossed[:, :100].any(1)]
        ever = first_alarm(
            (sequential.log_evidence_below(s.cumsum(1), 20 * np.arange(1, 366), 0.8))[:, 100:] >= np.log(20)
        )
        yield row("detector", f"recall 0.8, {p} from day 101, mean time 7300 days", delays)
        yield row("detector", f"recall 0.8, {p} from day 101, ever-alarm for comparison", ever)
    few = max(runs // 4, 50)
    s = rng.binomial(20, 0.8, size=(8000, few))
    alarms = first_alarm(np.log(1000) <= sequential.compute_shiryaev_roberts(sequential.log_ratios_below(s, 20, 0.8)).T)
    yield row("detector", "no change, mean time 1000 days", alarms) | {"mean": float(np.minimum(alarms, 8000).mean())}


# ---- calibration


def calibration_runs(rng, runs, per_period, periods, shift=0.0):
    """Return first alarms of the mixture and of a daily z test; log odds of the outcome are shifted."""
    p = np.linspace(0.025, 0.975, 20)
    weight = beta.pdf(p, 1, 3)
    true = expit(logit(p) + shift)
    terms = np.stack(
        [
            [sequential.compute_calibration_terms(p[k : k + 1], y, 1 - y) for k in range(20)]
            for y in np.eye(2, dtype=int)[:, :1]
        ]
    )
    gains = sequential.compute_calibration_bets(terms)  # outcome (1, 0), cell, bet

    def simulate(size):
        n = rng.multinomial(per_period, weight / weight.sum(), size=(size, periods))
        positives = rng.binomial(n, true)
        steps = positives @ gains[0] + (n - positives) @ gains[1]
        evidence = sequential.compute_log_mean(steps.cumsum(1), sequential.weight_calibration_bets())
        excess = (positives - n * p).sum(-1).cumsum(1)
        z = excess / np.sqrt(np.maximum((n * p * (1 - p)).sum(-1).cumsum(1), 1e-9))
        return first_alarm(evidence >= -np.log(ALPHA)), first_alarm(np.abs(z) > ndtri(1 - ALPHA / 2))

    return in_chunks(runs, simulate)


def calibration(runs):
    rng = np.random.default_rng(4)
    for per_period in (1, 10, 100):
        alarms, naive = calibration_runs(rng, runs, per_period, 1000)
        yield row("calibration", f"calibrated, {per_period} a period", alarms, naive, 0.055)
    for shift in (0.0, 0.2, 0.5):
        alarms, naive = calibration_runs(rng, runs, 50, 200, shift)
        yield row("calibration", f"50 a day, 200 days, log odds shifted by {shift}", alarms, naive)


# ---- AUC


def normal_cells(cells, mean, spread):
    """Return the probabilities of the cells of a fine grid, descending, for a normal score."""
    edges = np.linspace(8, -7, cells + 1)
    return -np.diff(ndtr((edges - mean) / spread)) / (ndtr((8 - mean) / spread) - ndtr((-7 - mean) / spread))


def auc_runs(rng, runs, per_day, prevalence, separation, spread=1.0, days=100, start=20, wrong=10):
    """Return first misses of the sequence and of daily 95 % intervals, for a fixed number of each class a day."""
    cells = 150
    w1, w0 = normal_cells(cells, separation, spread), normal_cells(cells, 0.0, 1.0)
    truth = w1 @ (w0[::-1].cumsum()[::-1] - w0 / 2)
    pos = np.zeros((runs, cells), dtype=np.int64)
    neg = np.zeros_like(pos)
    score = np.arange(cells, 0, -1.0)
    missed, naive = np.zeros((runs, days), dtype=bool), np.zeros((runs, days), dtype=bool)
    for day in range(days):
        positives = rng.binomial(per_day, prevalence, size=runs)
        pos += rng.multinomial(positives, w1)
        neg += rng.multinomial(per_day - positives, w0)
        ranking = Ranking(score, pos.copy(), neg.copy(), pos.copy(), neg.copy())
        with np.errstate(divide="ignore", invalid="ignore"):
            area = np.asarray(ranking.pairs.concordant + ranking.pairs.tied / 2) / ranking.pairs.every
            error = np.sqrt(delong.compute_variance(ranking)) / (area * (1 - area))
            distance = np.abs(logit(area) - logit(truth))
        smaller = np.minimum(pos.sum(1), neg.sum(1))
        ready = (smaller >= start) & (smaller * np.minimum(area, 1 - area) >= wrong)
        t = per_day * (day + 1)
        width = np.sqrt(t) * error * sequential.compute_half_width(t, ALPHA, tightest_at=30 * per_day)
        missed[:, day] = ready & (distance > width)
        naive[:, day] = ready & (distance > ndtri(1 - ALPHA / 2) * error)
    return first_alarm(missed), first_alarm(naive)


def auc(runs):
    rng = np.random.default_rng(5)
    for title, separation, spread in (
        ("0.76", 1.0, 1.0),
        ("0.98", 2.9, 1.0),
        ("0.83, wide positives", 2.0, 2.0),
        ("0.89, narrow positives", 1.4, 0.5),
    ):
        for prevalence, per_day in (
            (0.5, 40),
            (0.5, 400),
            (0.2, 100),
            (0.05, 100),
            (0.05, 400),
            (0.02, 100),
            (0.02, 1000),
        ):
            missed, naive = auc_runs(rng, runs, per_day, prevalence, separation, spread)
            yield row("auc", f"AUC {title}, prevalence {prevalence}, {per_day} a day", missed, naive, 0.06)


def start(runs):
    """What the rule for the start is worth: the same sequences from 20 cases of each class, errors or not."""
    rng = np.random.default_rng(6)
    for prevalence, per_day in ((0.05, 100), (0.02, 100)):
        for wrong in (0, 5, 10, 20):
            missed, naive = auc_runs(rng, runs, per_day, prevalence, 2.9, wrong=wrong)
            yield row(
                "start", f"AUC 0.98, prevalence {prevalence}, {per_day} a day, {wrong} expected errors", missed, naive
            )


# ---- drift of scores


def psi(runs):
    rng = np.random.default_rng(7)
    for n, m, bins in ((1000, 1000, 10), (10_000, 500, 10), (10_000, 500, 20), (300, 300, 10), (100_000, 100_000, 10)):
        p = np.full(bins, 1 / bins)
        values = np.array(
            [
                drift.compute_psi(*pair)
                for pair in zip(rng.multinomial(n, p, runs), rng.multinomial(m, p, runs), strict=True)
            ]
        )
        critical = drift.find_critical_psi(n, m, bins, 0.95)
        rule = np.where(values > 0.1, 1.0, np.inf)
        yield row(
            "psi", f"no drift, {n} and {m} cases, {bins} bins", np.where(values > critical, 1.0, np.inf), rule
        ) | {"critical": critical}


PARTS = {
    "shares": shares,
    "year": year,
    "detector": detector,
    "calibration": calibration,
    "auc": auc,
    "start": start,
    "psi": psi,
}


def speed(days, cases=100_000):
    """Time the monitor of daily ranking files with distinct scores, from reading them to the saved state."""
    rng = np.random.default_rng(8)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{i:04d}.ranking") for i in range(days + 1)]
        for path in paths:
            p = rng.random(cases)
            cl.rank((rng.random(cases) < p).astype(int), p, positive=1).save(path)
        start, work = time.perf_counter(), time.process_time()
        watched = cl.monitor(paths[0], paths[1:])
        alarms = len(watched.alarms)
        watched.save(Path(folder, "monitor.json"))
        wall, work = time.perf_counter() - start, time.process_time() - work
        size = Path(folder, "monitor.json").stat().st_size / 1e6
    print(f"{days} days of {cases:,} distinct scores: {wall:.1f} s, {work:.1f} s of processor time")
    print(f"{alarms} alarms, state of {size:.1f} MB")


def run(name, runs):
    """Run one part and store its rows in the place of its former ones."""
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    fresh = []
    for result in PARTS[name](runs):
        fresh.append(result)
        print(line(result), flush=True)
    rest = [old for old in stored if old["part"] != name]
    RESULTS.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in rest + fresh) + "\n]\n")


def line(entry):
    """Return a row of a Markdown table."""
    share = f"{entry['alarm']:.1%}"
    naive = "" if entry["naive"] is None else f"{entry['naive']:.1%}"
    median = "" if entry["median"] is None else f"{entry['median']:.0f}"
    return f"| {entry['what']} | {entry['runs']:,} | {share} | {naive} | {median} |"


def table():
    """Print all stored rows."""
    for part in PARTS:
        print(f"\n### {part}\n\n| setting | runs | alarm | daily test | median period |\n|---|---|---|---|---|")
        for entry in json.loads(RESULTS.read_text()):
            if entry["part"] == part:
                print(line(entry))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"some of {', '.join(PARTS)}, or table")
    parser.add_argument("--runs", type=int, default=2000)
    options = parser.parse_args()
    if options.parts == ["table"]:
        table()
        return
    if options.parts == ["speed"]:
        speed(options.runs)
        return
    for name in options.parts or PARTS:
        run(name, options.runs)


if __name__ == "__main__":
    main()
