"""Builds the compiled part of cutline where there is a C compiler.

Without one, or with CUTLINE_COMPILED=0, cutline is Python alone.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "src/cutline/inputs"


class CompiledPart(BuildHookInterface):
    """One module for all versions of Python from 3.11 on (the stable interface), beside its source."""

    PLUGIN_NAME = "custom"

    def initialize(
        self,
        version: str,  # noqa: ARG002
        build_data: dict[str, Any],
    ) -> None:
        """Compile, and say for which platform the wheel then is."""
        if self.target_name != "wheel" or os.environ.get("CUTLINE_COMPILED") == "0":
            return
        try:
            built = _build(Path(self.root))
        except (Exception, SystemExit) as error:  # any: compilers fail in many ways, and none of them matters
            self.app.display_warning(f"The compiled part was not built, so cutline will use numpy alone: {error}")
            return
        build_data["artifacts"].append(f"/{FOLDER}/{built}")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _build(root: Path) -> str:
    """The name of the file that was built."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    flags = ["/O2"] if sys.platform == "win32" else ["-O3"]
    part = Extension("compiled", [str(root / FOLDER / "compiled.c")], extra_compile_args=flags, py_limited_api=True)
    with tempfile.TemporaryDirectory() as folder:
        command = build_ext(Distribution({"name": "cutline", "ext_modules": [part]}))
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        command.run()
        made = Path(command.get_ext_fullpath("compiled"))
        place = root / FOLDER / made.name
        temporary = place.with_name(f"{place.name}.{os.getpid()}")
        temporary.write_bytes(made.read_bytes())
        temporary.replace(place)  # a running cutline keeps the old one
    return made.name
