"""A smooth step in place of "a negative is above a positive", summed over all pairs exactly. O(n log n).

With h(t) = max(0, t)^2 and a width m,

    step(t) = [h(m - t) - 2 h(-t) + h(-m - t)] / 2m^2

goes from 1 (t <= -m) to 0 (t >= m) with a continuous slope. Each h is a square, so that sums over the other class are
sums of 1, q and q^2 from some place of its order on.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cutline.training.class_order import Array, cumulated

_PARTS = ((1.0, 1.0), (0.0, -2.0), (-1.0, 1.0))  # shift in widths, and sign


class Steps:
    """All pairs of two sets of scores, p above q or not."""

    def __init__(self, p: Array, q: Array, width: float, weight_p: Array, weight_q: Array) -> None:
        self.width = width
        self.order_p, self.order_q = np.argsort(p), np.argsort(q)
        self.p, self.q = p[self.order_p], q[self.order_q]
        self.weight_p, self.weight_q = weight_p[self.order_p], weight_q[self.order_q]

    @cached_property
    def _first_q(self) -> list[Array]:
        """From where on the q's count for each p, for each part of the step."""
        return [np.searchsorted(self.q, self.p - shift * self.width, "right") for shift, _ in _PARTS]

    @cached_property
    def _last_p(self) -> list[Array]:
        """Up to where the p's count for each q."""
        return [np.searchsorted(self.p, self.q + shift * self.width, "left") for shift, _ in _PARTS]

    def above(self) -> tuple[Array, Array]:
        """For each p, how much weight of the q's is above it, and the derivative by p."""
        w, q = self.weight_q, self.q
        sums = [total[-1] - total for total in (cumulated(w), cumulated(w * q), cumulated(w * q * q))]
        number, slope = np.zeros(len(self.p)), np.zeros(len(self.p))
        for (shift, sign), first in zip(_PARTS, self._first_q, strict=True):
            gap = shift * self.width - self.p
            ones, firsts, squares = (total[first] for total in sums)
            number += sign * (ones * gap * gap + 2 * gap * firsts + squares)
            slope -= 2 * sign * (ones * gap + firsts)
        return self._unsorted(number, self.order_p), self._unsorted(slope, self.order_p)

    def slope_q(self, factor: Array) -> Array:
        """For each q, the derivative by it of the sum over p of factor times step (without the weight of q)."""
        factor = factor[self.order_p]
        ones, firsts = cumulated(factor), cumulated(factor * self.p)
        slope = np.zeros(len(self.q))
        for (shift, sign), last in zip(_PARTS, self._last_p, strict=True):
            slope += 2 * sign * (ones[last] * (shift * self.width + self.q) - firsts[last])
        return self._unsorted(slope, self.order_q)

    def _unsorted(self, values: Array, order: Array) -> Array:
        out = np.empty(len(values))
        out[order] = values / (2 * self.width**2)
        return out
