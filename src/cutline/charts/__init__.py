"""Charts, drawn from finished curves as Vega-Lite."""

from __future__ import annotations

from cutline.charts.bars_and_densities import list_error_bars
from cutline.charts.chart_kind import ChartKind, Charts, CutPlace, Place, Requires, Shows
from cutline.charts.drawing import CHARTS, PAGE_MEASURES, chart, choose_models
from cutline.charts.layers import AREAS, CUT, Evaluated
from cutline.charts.picture import Picture, move_legends_below
from cutline.charts.renderer import load_program as load_vega
from cutline.charts.theme import DARK, LIGHT, MOST_MODELS, PAGE, PRINT, THEMES, Theme

__all__ = [
    "AREAS",
    "CHARTS",
    "CUT",
    "DARK",
    "LIGHT",
    "MOST_MODELS",
    "PAGE",
    "PAGE_MEASURES",
    "PRINT",
    "THEMES",
    "ChartKind",
    "Charts",
    "CutPlace",
    "Evaluated",
    "Picture",
    "Place",
    "Requires",
    "Shows",
    "Theme",
    "chart",
    "choose_models",
    "list_error_bars",
    "load_vega",
    "move_legends_below",
]
