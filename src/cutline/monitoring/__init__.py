"""Monitoring: whether a model has become worse since its release, looked at as often as one likes."""

from cutline.monitoring.monitors import Alarm, Monitor, monitor

__all__ = ["Alarm", "Monitor", "monitor"]
