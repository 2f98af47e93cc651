"""Monitoring: whether a model has become worse since its release, valid at any number of looks."""

from cutline.monitoring.monitors import Alarm, Monitor, monitor

__all__ = ["Alarm", "Monitor", "monitor"]
