/* CUDA's passes: elements in single, particles in single. Bodies and tools compute in double in
   any case, hence the inclusions for f64 before those for f32. */
#include "dynamics/kernels/step_cuda.h"
#include "dynamics/kernels/launch.cuh"

#define IG_DYN_THREADS 128
#define PART float
#define PFN(name) name##_f32
#define VN(name) name##_single
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/kernels/body.inc"
#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/kernels/body.inc"
#include "dynamics/contact/contact.inc"
#include "dynamics/contact/contact_edge.inc"
#include "kern/prec_f32.h"
#include "dynamics/elements/elements.inc"
#include "dynamics/kernels/step_cuda.inc"
