"""The chart of a plan: what a study of each size would reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cutline.charts.vega_lite as alt
from cutline.charts.layers import WIDTH
from cutline.charts.picture import Picture, inline
from cutline.charts.theme import DASHES, themed


def plan_chart(
    sizes: Sequence[int],
    reached: Mapping[str, Sequence[float]],
    target: Mapping[str, float],
    cases: int,
    statement: str,
    theme: str = "light",
) -> Picture:
    """Draw the width of each interval, and each power, over the number of cases, with the targets and the plan.

    Args:
        sizes: The numbers of cases.
        reached: What each criterion has at them.
        target: The value that each criterion must reach.
        cases: The planned number.
        statement: The plan in words.
        theme: "light", "dark" or "print".
    """
    chosen, names = themed(theme), list(reached)
    rows = [
        {"n": n, "y": y, "series": f"{name} (wanted: {target[name]:g})"}
        for name in names
        for n, y in zip(sizes, reached[name], strict=True)
    ]
    points = [{"n": cases, "y": target[name], "series": f"{name} (wanted: {target[name]:g})"} for name in names]
    labels = [f"{name} (wanted: {target[name]:g})" for name in names]
    x = alt.X("n:Q", title="Cases", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(format=",.0f", tickCount=6))
    y = alt.Y("y:Q", title="Width of the interval, or power")
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=labels, range=[chosen.colour(i) for i in range(len(labels))]),
        legend=alt.Legend(
            title=None, orient="bottom", direction="vertical", labelLimit=420, symbolType="stroke", symbolSize=500
        ),
    )
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=labels, range=[list(d) for d in DASHES[: len(labels)]]))
    layers = [
        alt.Chart(inline(rows)).mark_line(clip=True).encode(x=x, y=y, color=colour, strokeDash=dash),
        alt.Chart(inline([{"n": cases}])).mark_rule(color=chosen.text, strokeDash=[4, 3]).encode(x=alt.X("n:Q")),
        alt.Chart(inline(points)).mark_rule(strokeWidth=0.6).encode(y=alt.Y("y:Q"), color=colour),
    ]
    half = statement.find(":") + 1
    title = alt.TitleParams(f"A study of {cases:,} cases", subtitle=[statement[:half], statement[half:].strip()])
    chart = alt.LayerChart(layer=layers, title=title, width=WIDTH, height=WIDTH * 3 // 4)
    chart.config = alt.Config(**chosen.config())
    return Picture("plan", chart)
