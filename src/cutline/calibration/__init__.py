"""Can the probabilities be trusted? The verdict, recalibration, and the size of a study that would tell."""

from cutline.calibration.verdict import Calibration, Region, calibration

__all__ = ["Calibration", "Region", "calibration"]
