"""Builds the Python package: CMake compiles the module, and the shipped scenarios lie beside it.

GAUNTLET_BUILD_DIR names a build folder that CMake has configured already, so that little is left to compile; without it the folder is
build-python.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import setuptools
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
OWN = ROOT / "build-python"  # also what setuptools writes, whose own choice is the folder of `make`


class CMakeBuild(build_ext):
    def run(self):
        given = os.environ.get("GAUNTLET_BUILD_DIR")
        folder = pathlib.Path(given) if given else OWN / "cmake"
        if not given:
            subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
                            f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "_gauntlet"], check=True)
        built = folder / "python" / "gauntlet"
        module = built / ("_gauntlet" + sysconfig.get_config_var("EXT_SUFFIX"))
        if not module.exists():
            sys.exit(f"{folder} has no module for this Python ({sys.version.split()[0]}, {sys.executable}); "
                     "configure it with -DPython_EXECUTABLE, or leave GAUNTLET_BUILD_DIR out")
        package = pathlib.Path(self.build_lib) / "gauntlet"
        package.mkdir(parents=True, exist_ok=True)
        shutil.copy(module, package)
        if (built / "gauntlet-flow").exists():
            shutil.copy(built / "gauntlet-flow", package)
        shutil.copytree(ROOT / "scenarios", package / "scenarios", dirs_exist_ok=True)


def version():
    return re.search(r"project\(gauntlet VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


OWN.mkdir(exist_ok=True)
setuptools.setup(
    version=version(),
    ext_modules=[setuptools.Extension("gauntlet._gauntlet", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": str(OWN / "setuptools")}, "egg_info": {"egg_base": str(OWN)}},
)
