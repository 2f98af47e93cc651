"""The chart of a quota in each period: what every quota brings, beside a random and a perfect order."""

from __future__ import annotations

from collections.abc import Mapping

import cutline.charts.vega_lite as alt
from cutline.charts.layers import Frame, Series, axes, layered, line_layers, rows
from cutline.charts.picture import Picture, inline
from cutline.charts.theme import DASHES, DOTTED, themed
from cutline.core.array_ops import Array

_TITLES = {"hit_rate": "Hit rate", "qrecall": "Qrecall"}


def quota_chart(
    columns: Mapping[str, Array],
    measure: str,
    by: str,
    subtitle: str,
    *,
    quota: int | None,
    level: float,
    theme: str,
) -> Picture:
    """Draw the pooled measure over the quota per period, with its band.

    Args:
        columns: The columns of the curve: quota, the measure, its limits, a random order and the optimum.
        measure: The measure.
        by: What the periods are called.
        subtitle: What was evaluated, in words.
        quota: The quota that was evaluated, which is marked; None where the periods have several.
        level: The level of the band.
        theme: "light", "dark" or "print".
    """
    chosen, x, title = themed(theme), columns["quota"].astype(float), _TITLES[measure]
    frame = Frame(
        x=f"Quota per {by}",
        y=f"{title}, pooled",
        x_domain=(1.0, float(x.max())),
        y_domain=(0.0, 1.0),
        title=f"{title} of a quota in each {by}",
        subtitle=[subtitle, f"Shaded: {100 * level:g} % interval of each quota, between periods"],
        clip=True,
    )
    series = [
        Series(f"{title}, pooled", {"x": x, "y": columns[measure]}, chosen.colour(0), DASHES[0]),
        Series("perfect order", {"x": x, "y": columns["optimum"]}, chosen.reference, DASHES[1], 1.5),
        Series("random order", {"x": x, "y": columns["random_order"]}, chosen.reference, DOTTED, 1.5),
    ]
    band = alt.Chart(inline(list(rows({"x": x, "y": columns["low"], "y2": columns["high"]}))))
    band = band.mark_area(opacity=0.2, line=False, color=chosen.colour(0), clip=True)
    layers = [band.encode(**axes(frame), y2=alt.Y2("y2:Q")), *line_layers(series, frame)]
    if quota is not None:
        rule = alt.Chart(inline([{"x": float(quota), "name": f"quota {quota}"}]))
        rule = rule.mark_rule(color=chosen.text, strokeDash=[4, 3])
        layers.append(rule.encode(x=alt.X("x:Q"), tooltip=[alt.Tooltip("name:N", title="Line")]))
    made = layered(layers, frame)
    made.config = alt.Config(**chosen.config())
    return Picture(f"quota_periods_{measure}", made)
