# Spack recipe. With this file as packages/ingot/package.py of a repository of packages, from a checkout:
#   spack dev-build ingot@0.2.0
# or from an archive of the source, which lies in the folder where Spack is called:
#   git archive --prefix=ingot-0.2.0/ -o ingot-0.2.0.tar.gz HEAD && spack install --no-checksum ingot@0.2.0
import os

from spack.package import *


class Ingot(CMakePackage, CudaPackage):
    """Finite elements for parts that are designed, printed and broken: thermal and powder-bed
    analysis, residual stress, topology optimisation, fracture and dynamics, on CPUs and GPUs."""

    manual_download = True
    url = f"file://{os.getcwd()}/ingot-0.2.0.tar.gz"

    license("MIT")

    version("0.2.0")

    variant("mpi", default=True, description="Runs on the processes of an MPI job")
    variant("gmsh", default=True, description="Meshes and geometry through Gmsh's library")
    variant("metis", default=True, description="Partitions and orders of equations by METIS")
    variant("python", default=True, description="The Python package")
    variant("shared", default=True, description="A shared library")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("libyaml")
    depends_on("hdf5@1.10: ~mpi")
    depends_on("libpng")
    depends_on("mpi", when="+mpi")
    depends_on("gmsh@4.8:", when="+gmsh")
    depends_on("metis@5:", when="+metis")
    depends_on("python@3.9:", when="+python", type=("build", "run"))
    depends_on("py-cffi@1.15:", when="+python", type=("build", "run"))
    depends_on("py-numpy@1.21:", when="+python", type=("build", "run"))
    depends_on("py-h5py", when="+python", type="run")

    extends("python", when="+python")

    conflicts("%gcc@:11", msg="_Float16 and C11 kernels need GCC 12 or later")

    generator("ninja")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define("INGOT_NATIVE", False),  # Spack's wrappers give the target
            self.define("INGOT_TESTS", False),
            self.define("INGOT_COMMIT", str(spec.version)),
            self.define_from_variant("INGOT_MPI", "mpi"),
            self.define_from_variant("INGOT_GMSH", "gmsh"),
            self.define_from_variant("INGOT_METIS", "metis"),
            self.define_from_variant("INGOT_PYTHON", "python"),
            self.define_from_variant("INGOT_SHARED", "shared"),
            self.define_from_variant("INGOT_CUDA", "cuda"),
        ]
        if spec.satisfies("+python"):
            args.append(self.define("INGOT_PYTHON_PROGRAM", spec["python"].command.path))
            args.append(self.define("INGOT_PYTHON_DIR", python_platlib))
        if spec.satisfies("+cuda") and "none" not in spec.variants["cuda_arch"].value:
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", list(spec.variants["cuda_arch"].value)))
        return args
