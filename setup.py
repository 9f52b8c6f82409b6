"""pip install . : CMake builds the extension, then its folder is the package.

INGOT_BUILD=folder takes the package from a CMake build that is there; CMAKE_ARGS are for CMake.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = os.path.dirname(os.path.abspath(__file__))


def version():
    with open(os.path.join(ROOT, "include/ingot/version.h"), encoding="utf-8") as f:
        return ".".join(re.findall(r"define INGOT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", f.read()))


class Build(build_ext):
    def run(self):
        made = os.environ.get("INGOT_BUILD")
        if not made:
            made = os.path.abspath(self.build_temp)
            launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            subprocess.check_call(["cmake", "-S", ROOT, "-B", made, "-DCMAKE_BUILD_TYPE=Release",
                                   # a wheel is for other machines, too: without this one's instructions and MPI
                                   "-DINGOT_NATIVE=OFF", "-DINGOT_MPI=OFF",
                                   f"-DINGOT_PYTHON_PROGRAM={sys.executable}", *launcher,
                                   *shlex.split(os.environ.get("CMAKE_ARGS", ""))])
            subprocess.check_call(["cmake", "--build", made, "--target", "ingot_python",
                                   "-j", str(os.cpu_count() or 1)])
        if not os.path.exists(os.path.join(made, "python", "ingot", "_ingot.abi3.so")):
            sys.exit(f"{made}: the extension was not built: python3-cffi and python3-dev are needed")
        target = os.path.join(self.build_lib, "ingot")
        if self.inplace:
            sys.exit("an editable installation is not possible: use PYTHONPATH=build/python")
        # installed, not copied: in a build folder libraries are searched for in folders of this machine
        with tempfile.TemporaryDirectory() as folder:
            for part in ("python", "web"):
                subprocess.check_call(["cmake", "--install", made, "--component", part, "--prefix", folder])
            for found, folders, names in os.walk(folder):
                if "_ingot.abi3.so" in names:
                    shutil.copytree(found, target, dirs_exist_ok=True)
                if "web" in folders:  # what pages are turned and zoomed with
                    shutil.copytree(os.path.join(found, "web"), os.path.join(target, "web"), dirs_exist_ok=True)
        shutil.copytree(os.path.join(ROOT, "materials"), os.path.join(target, "materials"), dirs_exist_ok=True)

    def get_outputs(self):
        return [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(self.build_lib, "ingot"))
                for name in names]


# the sources are CMake's business; the name makes setuptools call Build
setup(version=version(), packages=[], py_modules=[], ext_modules=[Extension("ingot._ingot", sources=[])],
      cmdclass={"build_ext": Build},
      options={"bdist_wheel": {"py_limited_api": "cp39"}})  # one wheel for every Python from 3.9 on
