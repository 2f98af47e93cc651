"""The one resampling core: what is drawn, how, and the limits that follow."""
