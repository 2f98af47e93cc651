"""The local web app: a file in, the report, a cut with a promise and the flagged file out. Nothing leaves the machine.

`server` answers the browser and computes nothing; `worker` is the process of a page that does the work; `jobs` are
what it can do; `access` decides who is answered at all.
"""
