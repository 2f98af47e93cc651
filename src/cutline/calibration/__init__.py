"""Can the probabilities be trusted? The verdict, recalibration, and the size of a study that would tell."""

from cutline.calibration.planning import Plan, plan
from cutline.calibration.recalibration import Recalibration, recalibrate
from cutline.calibration.verdict import Calibration, Region, calibration
from cutline.calibration.worth import Worth, worth_recalibrating

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
