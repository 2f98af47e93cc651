"""Can the probabilities be trusted? The verdict, recalibration, and the size of a study that would tell."""

from cutline.calibration.compare_maps import Worth, worth_recalibrating
from cutline.calibration.recalibration import Recalibration, recalibrate
from cutline.calibration.sample_size import Plan, plan
from cutline.calibration.verdict import Calibration, Region, calibration

__all__ = [
    "Calibration",
    "Plan",
    "Recalibration",
    "Region",
    "Worth",
    "calibration",
    "plan",
    "recalibrate",
    "worth_recalibrating",
]
