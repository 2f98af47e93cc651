"""monitor(): whether a model has become worse since its release, from daily rankings, however often one looks.

A `Monitor` keeps what adds up of each day, so its state can be saved, resumed and merged, and everything it says is a
function of the releases, the settings and the days in the order of their names.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cutline.core import atomic_write
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.messages import Argument, Text, join_with_and
from cutline.core.public import public
from cutline.core.table import ShownAsTable, Table, format_value, to_json_value
from cutline.core.validation import (
    LEVEL,
    check_choice,
    check_level,
    check_text,
    check_type,
    check_whole,
    format_count,
    is_among,
    to_json_label,
)
from cutline.measures import MEASURES
from cutline.monitoring.periods import (
    ALARMS,
    CALIBRATION,
    PSI,
    MonitorSettings,
    Period,
    Release,
    as_ranking,
    check_matures,
    check_measures,
    check_worse_by,
    choose_threshold,
    compute_checksum,
    format_day,
    make_period,
    make_release,
    name_days,
    parse_day,
)
from cutline.monitoring.tracks import OF_DAYS, Track, make_track

if TYPE_CHECKING:
    from cutline.charts import Picture

SCHEMA = "cutline/monitor/1"
RUN_LENGTH = 3650  # days between false alarms: ten years
SMALLEST_TWIN = 20  # cases from which on two days with the same cases are taken for one
COLUMNS = ("day", "measure", "cases", "positives", "value", "cumulated", "low", "high", "release", "limit", "evidence",
           "alarm_at", "alarm", "status")  # fmt: skip


@public
def monitor(
    release: Any,
    days: Any = (),
    *,
    measures: str | Iterable[str] | None = None,
    cut: Any = None,
    worse_by: float | Mapping[str, float] | None = None,
    level: float = LEVEL,
    alarm: str = "ever",
    run_length: int = RUN_LENGTH,
    matures: Any = None,
    model: str | None = None,
) -> Monitor:
    """Watch a model since its release: an alarm when it has become worse, valid however often one looks.

    Args:
        release: The test set of the release: a ranking, an evaluation, or the path of a ranking file.
        days: Pairs of a name (best a date such as "2026-11-01") and a ranking, an evaluation, a path, or labels and
            scores; a mapping of these; or paths of ranking files, whose names are the days.
        measures: What is watched: measures by name, "calibration" and "psi"; recall, AUC and, for probabilities,
            calibration when None.
        cut: The cut for measures of one cut: a threshold, a `Cut` or the path of its file; that of the release's
            evaluation when None.
        worse_by: By how much a measure may be worse than at release before it counts: one number, or one for each
            measure by name.
        level: The probability that there is never a false alarm, for all days and measures together.
        alarm: "ever" for that guarantee; "every" for a detector of late changes, whose false alarms are at least
            `run_length` days apart on average.
        run_length: The mean number of days between false alarms, for `alarm="every"`.
        matures: How many days old a day must be for its labels to be complete; younger days wait. A number; the delays
            of labels in days, of which the 99 % quantile is taken; or a pair of these delays and of the ages of the
            cases that have no label yet, which makes it Kaplan and Meier's quantile.
        model: The version of the model; days of another one are refused.
    """
    first, named = as_ranking(release, "release")
    if first is None:
        raise InputError("has no cases", "pass the test set of the release", argument="release")
    chosen = check_measures(measures, first)
    settings = MonitorSettings(
        chosen,
        choose_threshold(cut, release, first),
        check_level(level),
        check_choice(alarm, "alarm", ALARMS),
        check_whole(run_length, "run_length", 2),
        check_worse_by(worse_by, chosen),
        None if matures is None else check_matures(matures),
        named if model is None else check_text(model, "model", "v3"),
    )
    return Monitor(settings, (make_release(first, settings, since="", why="start"),)).resume(days)


class Alarm(NamedTuple):
    """A day on which a measure is worse than at release."""

    day: str
    measure: str
    value: float  # of all days since the release
    release: float | None
    acknowledged: str | None  # why, where somebody did

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {name: to_json_value(value) for name, value in self._asdict().items()}


class Acknowledgement(NamedTuple):
    """Reason why an alarm was acknowledged, and the last day known then, after which the detector restarts."""

    why: str
    until: str


@public
@dataclass(eq=False, repr=False)
class Monitor(ShownAsTable):
    """A model since its release: each day, the days so far with their confidence sequence, and alarms.

    `table` has a row for each day and measure; `alarms` lists what has become worse, `verdict` says it in a sentence.
    """

    settings: MonitorSettings
    releases: tuple[Release, ...]
    days: tuple[Period, ...] = ()
    acknowledged: Mapping[tuple[str, str], Acknowledgement] = field(default_factory=dict)  # by day and measure

    def _change(self, **fields: Any) -> Monitor:
        """Replace some fields and forget what was computed from them."""
        for name in ("tracks", "alarms", "table", "labels"):
            self.__dict__.pop(name, None)
        self.__dict__.update(fields)
        return self

    # ------------------------------------------------------------------ days

    def update(self, day: Any, content: Any, *, model: str | None = None) -> Monitor:
        """Add a day.

        Args:
            day: Its name, best a date such as "2026-11-02".
            content: Its ranking, evaluation or path, or its labels and scores.
            model: The version of the model that scored it, if it is known.
        """
        name = format_day(day)
        old = self._find_day(name)
        if old is not None and not old.waiting:
            raise InputError(f"The day {name} is recorded already", "pass each day once, or merge its rankings before")
        return self._with_days([(name, content)], model=model)

    def resume(self, days: Any, *, model: str | None = None) -> Monitor:
        """Add the days that are not recorded yet; recorded days must be unchanged.

        Args:
            days: As in `monitor`.
            model: The version of the model that scored them, if it is known.
        """
        return self._with_days(name_days(days), model=model)

    def _find_day(self, name: str) -> Period | None:
        return next((day for day in self.days if day.name == name), None)

    def _with_days(self, pairs: list[tuple[str, Any]], model: str | None = None) -> Monitor:
        """Add days, in the order of their names; all of them or none."""
        model = None if model is None else check_text(model, "model", "v3")
        known = {day.name: day for day in self.days}
        newest = max([*known, *(name for name, _ in pairs)], default="")
        by_content = {day.checksum: day.name for day in self.days if day.cases >= SMALLEST_TWIN}
        with ThreadPoolExecutor(min(len(pairs), os.cpu_count() or 1) or 1) as pool:
            recorded = list(pool.map(lambda pair: self._record_day(pair[0], pair[1], newest, model), pairs))
        for day in recorded:
            name, old = day.name, known.get(day.name)
            if old is not None and not old.waiting:
                if day.checksum != old.checksum:
                    raise InputError(
                        f"The day {name} has other cases than when it was recorded", "restore its file, or start anew"
                    )
                continue
            twin = by_content.get(day.checksum, name)
            if twin != name:
                raise InputError(f"The days {twin} and {name} hold the same cases", "pass each day once")
            if day.cases >= SMALLEST_TWIN:
                by_content[day.checksum] = name
            known[name] = day
        return self._change(days=tuple(known[name] for name in sorted(known)))

    def _record_day(self, name: str, content: Any, newest: str, model: str | None) -> Period:
        """Return the record of a day, if it fits the release."""
        try:
            ranking, named = as_ranking(content, name)
        except InputError as error:
            raise error if str(error).startswith((name, "There is no file")) else error.about(f"Day {name}") from None
        version, watched = model or named, self.settings.model
        if version is not None and watched is not None and version != watched:
            raise InputError(
                f"{name} was scored by the model {version!r}, and {watched!r} is watched",
                "start a new monitor for it, or replace the release (rebaseline)",
            )
        if ranking is None:
            return Period(name, "")
        release = self._find_release(name)
        is_same_label = to_json_label(ranking.positive) == release.positive
        if ranking.higher_is_positive != release.higher_is_positive or not is_same_label:
            raise InputError(
                f"{name} has the positive label {ranking.positive!r} or the direction of another model",
                Text("rank it with the same ", Argument("positive"), " and direction as the release"),
            )
        if self._is_waiting(name, newest):
            return Period(name, compute_checksum(ranking), int(ranking.total), 0, int(ranking.dropped), waiting=True)
        return make_period(name, ranking, release, self.settings)

    def _is_waiting(self, name: str, newest: str) -> bool:
        """Whether a day is too young for its labels to be complete."""
        if self.settings.matures is None:
            return False
        return (parse_day(newest) - parse_day(name)).days < self.settings.matures

    def _find_release(self, name: str) -> Release:
        """Return the release that a day is compared with."""
        return [release for release in self.releases if release.since < name or not release.since][-1]

    def merge(self, other: Monitor) -> Monitor:
        """Return a monitor that also has the days of another machine, with bit-identical results.

        Args:
            other: A monitor with the same release and settings.
        """
        if not isinstance(other, Monitor):
            raise InputError(f"is {shorten_repr(other)}", "pass a monitor", argument="other")
        self._check_same(other)
        days = {day.name: day for day in self.days}
        for day in other.days:
            mine = days.get(day.name)
            if mine is None or mine.waiting:
                days[day.name] = day
            elif not day.waiting and day.checksum != mine.checksum:
                raise InputError(
                    f"The two monitors have different cases for {day.name}", "find out which ones are right"
                )
        acknowledged = {**self.acknowledged, **other.acknowledged}
        merged = tuple(days[name] for name in sorted(days))
        return replace(self, days=merged, acknowledged=dict(sorted(acknowledged.items())))

    def __add__(self, other: Monitor) -> Monitor:
        return self.merge(other)

    def _check_same(self, other: Monitor) -> None:
        """Raise if two monitors do not watch the same thing in the same way."""
        mine, others = self.settings.to_dict(), other.settings.to_dict()
        for name, value in mine.items():
            if others[name] != value:
                raise InputError(
                    f"The two monitors differ in {name} ({shorten_repr(value)} and {shorten_repr(others[name])})",
                    "merge those that were started alike",
                )
        if [r.to_dict() for r in self.releases] != [r.to_dict() for r in other.releases]:
            raise InputError("The two monitors have different releases", "merge those that were started alike")

    def check_started_with(
        self,
        release: Any,
        *,
        cut: Any = None,
        measures: Any = None,
        worse_by: Any = None,
        model: str | None = None,
    ) -> None:
        """Raise if this monitor was started with other arguments than the given ones; None is not compared.

        Args:
            release: The release sample.
            cut: The cut.
            measures: The watched measures.
            worse_by: The tolerated loss.
            model: The version of the model.
        """
        model = None if model is None else check_text(model, "model", "v3")
        ranking, _ = as_ranking(release, "release")
        if ranking is None or compute_checksum(ranking) != self.releases[-1].period.checksum:
            raise InputError("The monitor was started with another release", "replace the release (rebaseline)")
        settings = self.settings
        if cut is not None and (threshold := choose_threshold(cut, None, ranking)) != settings.threshold:
            raise InputError(
                f"The monitor was started at the cut {settings.threshold:g}, not {threshold:g}",
                "keep the cut, or start a new monitor",
            )
        if measures is not None and set(check_measures(measures, ranking)) != set(settings.measures):
            raise InputError(
                f"The monitor watches {join_with_and(list(settings.measures))}", "start a new one for others"
            )
        if worse_by is not None and check_worse_by(worse_by, settings.measures) != settings.worse_by:
            raise InputError("The monitor was started with another tolerated loss", "keep it, or start a new monitor")
        if model is not None and settings.model is not None and model != settings.model:
            raise InputError(
                f"The monitor watches the model {settings.model!r}, not {model!r}",
                "start a new monitor for it, or replace the release (rebaseline)",
            )

    # ------------------------------------------------------------------ decisions on record

    def acknowledge(self, day: Any, why: str, *, measure: str | None = None) -> Monitor:
        """Acknowledge the alarms of a day, with a reason that is stored.

        Args:
            day: The day of the alarm.
            why: The reason.
            measure: The measure, where only its alarm is meant.
        """
        name, why = format_day(day), check_text(why, "why", "a campaign, known").strip()
        measure = None if measure is None else check_text(measure, "measure", "auc")
        matching = [a for a in self.alarms if a.day == name and measure in (None, a.measure)]
        if not matching:
            known = join_with_and([f"{a.measure} on {a.day}" for a in self.alarms]) or "none"
            raise ParameterError(f"There is no such alarm on {name}", f"the alarms are: {known}")
        if not why:
            raise ParameterError("is empty", "say why the alarm is acknowledged", argument="why")
        added = {(a.day, a.measure): Acknowledgement(why, until=self.days[-1].name) for a in matching}
        return self._change(acknowledged=dict(sorted({**self.acknowledged, **added}.items())))

    def rebaseline(self, release: Any, why: str, *, model: str | None = None) -> Monitor:
        """Compare the days to come with another release, which settles the alarms about the old one.

        The old release, its days and its alarms stay on record.

        Args:
            release: The test set of the new release.
            why: The reason, which is stored.
            model: The version of the new model, if it has one.
        """
        why = check_text(why, "why", "retrained on November").strip()
        model = None if model is None else check_text(model, "model", "v3")
        if not why:
            raise ParameterError("is empty", "say why the release is replaced", argument="why")
        ranking, named = as_ranking(release, "release")
        if ranking is None:
            raise InputError("has no cases", "pass the test set of the release", argument="release")
        since = max([day.name for day in self.days], default="")
        fresh = make_release(ranking, self.settings, since=since, why=why)
        earlier = self.releases if since and self.releases[-1].since != since else self.releases[:-1]
        settings = replace(self.settings, model=model or named or self.settings.model)
        return self._change(settings=settings, releases=(*earlier, fresh))

    # ------------------------------------------------------------------ what it says

    @cached_property
    def tracks(self) -> tuple[tuple[Release, tuple[Period, ...], tuple[Track, ...]], ...]:
        """Return each release with the days that count since, and the tracks of the measures."""
        result = []
        for release in self.releases:
            days = tuple(d for d in self.days if not d.waiting and self._find_release(d.name) is release)
            result.append(
                (
                    release,
                    days,
                    tuple(
                        make_track(m, days, release, self.settings, self._find_restarts(m, days))
                        for m in self.settings.measures
                    ),
                )
            )
        return tuple(result)

    @cached_property
    def alarms(self) -> tuple[Alarm, ...]:
        """Return the alarms in the order of the days."""
        alarms = [
            Alarm(
                days[i].name,
                line.measure,
                float(line.cumulated[i]),
                None if math.isnan(line.release) else line.release,
                self._explain_settlement(days[i].name, line.measure, release),
            )
            for release, days, tracks in self.tracks
            for line in tracks
            for i in line.alarms
        ]
        return tuple(sorted(alarms, key=lambda alarm: (alarm.day, alarm.measure)))

    def _explain_settlement(self, day: str, measure: str, release: Release) -> str | None:
        """Return why an alarm is settled: it was acknowledged, or the release that it is about was replaced."""
        acknowledged = self.acknowledged.get((day, measure))
        if acknowledged is not None:
            return acknowledged.why
        later = self.releases[self.releases.index(release) + 1 :]
        return f"release replaced: {later[0].why}" if later else None

    def _find_restarts(self, measure: str, days: tuple[Period, ...]) -> dict[int, int]:
        """Return, for the day of each acknowledged alarm, the day on which its detector restarts."""
        names = [day.name for day in days]
        return {
            names.index(day): bisect_right(names, acknowledged.until)
            for (day, name), acknowledged in self.acknowledged.items()
            if name == measure and day in names
        }

    @property
    def open_alarms(self) -> tuple[Alarm, ...]:
        """Return the alarms that are not acknowledged."""
        return tuple(alarm for alarm in self.alarms if alarm.acknowledged is None)

    @property
    def passed(self) -> bool:
        """Whether every alarm is acknowledged."""
        return not self.open_alarms

    @cached_property
    def table(self) -> Table:
        """Return a row for each day and measure."""
        rows: list[tuple[Any, ...]] = []
        for _, days, tracks in self.tracks:
            for i, day in enumerate(days):
                for line in tracks:
                    evidence = float(line.evidence[i])
                    rows.append((
                        day.name, line.measure, day.cases, day.positives,
                        *(_convert_nan(column[i]) for column in (line.value, line.cumulated, line.low, line.high)),
                        _convert_nan(line.release), _convert_nan(np.broadcast_to(line.limit, len(days))[i]),
                        None if math.isnan(evidence) else math.exp(min(evidence, 700.0)),
                        None if math.isnan(evidence) else math.exp(line.alarm_at),
                        "alarm" if i in line.alarms else "", line.status[i],
                    ))  # fmt: skip
        rows += [
            (d.name, "", d.cases, None, *[None] * 8, "", self._describe_waiting(d)) for d in self.days if d.waiting
        ]
        rows.sort(key=lambda row: row[0])
        return Table(COLUMNS, tuple(rows), title=self.title, below=(self.verdict, *self.notes))

    @cached_property
    def labels(self) -> Table:
        """Return a row for each day: its cases, how many of them are labelled, and whether it is used or waits."""
        rows = [
            (d.name, d.cases + d.unlabelled, d.cases, self._describe_waiting(d) if d.waiting else "used")
            for d in self.days
        ]
        return Table(("day", "cases", "labelled", "status"), tuple(rows))

    def _describe_waiting(self, day: Period) -> str:
        newest = max(d.name for d in self.days)
        if self._is_waiting(day.name, newest):
            return f"waits until it is {format_count(self.settings.matures or 0, 'day')} old"
        return "mature: pass it again with its labels"

    @property
    def title(self) -> str:
        """Return the watched measures, in one line."""
        model = f" of {self.settings.model}" if self.settings.model else ""
        days = [day.name for day in self.days]
        span = f", {days[0]}" if days else ""
        span += f" to {days[-1]}" if len(days) > 1 else ""
        return f"Monitoring{model}: {format_count(len(days), 'day')}{span}"

    @property
    def verdict(self) -> str:
        """Whether the model has become worse, in a sentence or two."""
        used = [day for day in self.days if not day.waiting]
        if not used:
            return "No day has been recorded yet." if not self.days else "All days wait for their labels."
        promise = self._describe_promise()
        if not self.alarms:
            return f"No alarm in {format_count(len(used), 'day')}. {promise}"
        parts = [_describe_alarm(alarm) for alarm in self.open_alarms]
        settled = len(self.alarms) - len(parts)
        known = f" {format_count(settled, 'alarm')} acknowledged." if settled else ""
        if not parts:
            return f"No open alarm in {format_count(len(used), 'day')}.{known} {promise}"
        return f"Alarm: {'; '.join(parts)}.{known} {promise}"

    def _describe_promise(self) -> str:
        count = len(self.settings.measures)
        shared = "" if count == 1 else f", divided evenly between {count} measures"
        if self.settings.alarm == "ever":
            return (
                f"Without a change, the probability of ever raising an alarm is at most "
                f"{100 * (1 - self.settings.level):g} %{shared}."
            )
        return (
            f"Without a change, false alarms are at least {self.settings.run_length:,} days apart on average{shared}."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes on the numbers."""
        notes = []
        used = [day for day in self.days if not day.waiting]
        for days, lack in (
            ([d.name for d in used if not d.cases], "no cases, which changes nothing"),
            ([d.name for d in used if d.cases and not d.positives], "no positives, so that only negatives count"),
        ):
            if days:
                named = join_with_and([*days[:3], *([f"{len(days) - 3} more days"] if len(days) > 3 else [])])
                notes.append(f"{named} {'has' if len(days) == 1 else 'have'} {lack}.")
        waiting = [d for d in self.days if d.waiting]
        if waiting:
            notes.append(f"{format_count(len(waiting), 'day')} not used, because the labels are not complete yet.")
        notes += [f"Since {r.since}: another release ({r.why})." for r in self.releases if r.since]
        notes.append(
            "Cases are assumed to be independent; if groups of cases span several days, the guarantee is lost."
        )
        return tuple(notes)

    def chart(self, measure: str | None = None, *, theme: str = "light") -> Picture:
        """Return the chart of a measure: each day, the days so far with their sequence, the release, and alarms.

        Args:
            measure: One that is watched; the first when None.
            theme: "light", "dark" or "print".
        """
        name = self.settings.measures[0] if measure is None else check_text(measure, "measure", "auc")
        name = MEASURES[name].name if name not in (CALIBRATION, PSI) and name in MEASURES else name
        if name not in self.settings.measures:
            raise ParameterError(
                f"{measure} is not watched", f"choose one of {', '.join(self.settings.measures)}", argument="measure"
            )
        rows = [row for row in self.table if row["measure"] == name]
        from cutline.charts.periods import draw_monitoring

        return draw_monitoring(rows, measure_title(name), self.describe_band(name), theme)

    def describe_band(self, measure: str) -> str:
        """Describe the band that the chart of a measure shows around its values.

        Args:
            measure: One that is watched.
        """
        if is_among(measure, [PSI]):
            return "The limit is what chance does not exceed on any day"
        level = 100 * (1 - OF_DAYS * self.settings.alpha)
        return f"Band: {level:.3g} % confidence sequence, valid on all days together"

    # ------------------------------------------------------------------ files

    def state(self) -> dict[str, Any]:
        """Return the state of the monitor, ready for JSON, as `cl.load` reads it."""
        acknowledged = [
            {"day": day, "measure": m} | entry._asdict() for (day, m), entry in sorted(self.acknowledged.items())
        ]
        content = {
            "schema": SCHEMA,
            "settings": self.settings.to_dict(),
            "releases": [release.to_dict() for release in self.releases],
            "days": [day.to_dict() for day in self.days],
            "acknowledged": acknowledged,
        }
        return content | {"sha256": _compute_fingerprint(content)}

    @classmethod
    def from_state(cls, document: Mapping[str, Any], title: str = "The state") -> Monitor:
        """Return the monitor that a state describes.

        Args:
            document: What `state` returned.
            title: The name of the file in error messages.
        """
        if not isinstance(document, Mapping):
            raise InputError(f"is {shorten_repr(document)}", "pass what state() returned", argument="document")
        content = {name: value for name, value in document.items() if name != "sha256"}
        if not is_among(document.get("sha256"), [_compute_fingerprint(content)]):
            raise InputError(f"{title} was altered: its contents do not match its checksum. Restore it.")
        try:
            return cls._of_document(document)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, MemoryError, zlib.error) as error:
            what = f"it has no {error}" if isinstance(error, KeyError) else f"{error!s:.80}".removesuffix(".")
            raise InputError(f"{title} is not the state of a monitor ({what}). Restore it.") from None

    @classmethod
    def _of_document(cls, document: Mapping[str, Any]) -> Monitor:
        """Return the monitor of a state with a right checksum, which says who wrote it, not what it holds."""
        names = ("day", "measure", "why", "until")
        entries = [
            [check_type(entry[name], str) for name in names] for entry in check_type(document["acknowledged"], list)
        ]
        settings = MonitorSettings.from_dict(document["settings"])
        releases = tuple(Release.from_dict(entry) for entry in check_type(document["releases"], list))
        days = tuple(Period.from_dict(entry) for entry in check_type(document["days"], list))
        if [day.name for day in days] != sorted({day.name for day in days}):
            raise ValueError("its days are not distinct and in order")
        since = [release.since for release in releases]
        if since[:1] != [""] or since != sorted({*since}):
            raise ValueError("its releases are not distinct and in order")
        monitor = cls(settings, releases, days, {(day, name): Acknowledgement(*rest) for day, name, *rest in entries})
        periods = [(one.period, one) for one in releases] + [(day, monitor._find_release(day.name)) for day in days]
        if not all(period.has_sums_of(settings, release) for period, release in periods):
            raise ValueError("a day or a release lacks its sums")
        return monitor

    def to_dict(self) -> dict[str, Any]:
        """Return what it says, ready for JSON: the verdict, the alarms, the table and the use of labels."""
        return {
            "schema": "cutline/monitoring/1",
            "verdict": self.verdict,
            "passed": self.passed,
            "settings": self.settings.to_dict(),
            "alarms": [alarm.to_dict() for alarm in self.alarms],
            "days": self.table.to_dict(),
            "labels": self.labels.to_dict(),
            "notes": list(self.notes),
        }

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
        """Write the state (.json), the page (.html) or the table (.csv), by the suffix; the write is atomic.

        Args:
            path: Where to write.
            overwrite: Whether a file that exists is replaced.
        """
        contents = {
            ".json": lambda: json.dumps(self.state(), allow_nan=False, separators=(",", ":")) + "\n",
            ".html": lambda: import_module("cutline.report.monitor_page").render_monitor_page(self),
            ".csv": self.table.to_csv,
        }
        return atomic_write.save(path, "monitor.json", contents, overwrite=overwrite)

    def __repr__(self) -> str:
        last = [row for row in self.table.rows if row[0] == (self.table.rows[-1][0] if self.table.rows else "")]
        return repr(
            Table(
                COLUMNS,
                tuple(last),
                title=self.title,
                hidden=("status",),
                below=(self.verdict, "more: .table, .chart(), .save()"),
            )
        )


def _compute_fingerprint(content: Mapping[str, Any]) -> str:
    try:
        return hashlib.sha256(json.dumps(content, sort_keys=True, allow_nan=False).encode()).hexdigest()
    except (TypeError, ValueError):  # of what no state holds
        return ""


def _convert_nan(value: float) -> float | None:
    number = float(value)
    return None if math.isnan(number) else number


def measure_title(name: str) -> str:
    """Return the title of a watched measure in tables and charts."""
    own = {CALIBRATION: "Observed minus predicted rate", PSI: "Population stability index"}
    return own.get(name) or MEASURES[name].title


def _describe_alarm(alarm: Alarm) -> str:
    """Describe an alarm in a sentence."""
    if alarm.measure == CALIBRATION:
        return f"on {alarm.day} the probabilities were shown to be wrong (observed minus predicted {alarm.value:+.4f})"
    if alarm.measure == PSI:
        return f"on {alarm.day} the distribution of scores had changed (PSI {format_value(alarm.value)})"
    at = "" if alarm.release is None else f" against {format_value(alarm.release)} at release"
    return f"on {alarm.day} {alarm.measure} was shown to be worse: {format_value(alarm.value)}{at}"
