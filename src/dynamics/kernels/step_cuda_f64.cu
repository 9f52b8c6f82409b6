/* CUDA's passes: elements in double, particles in double. */
#include "dynamics/kernels/step_cuda.h"
#include "dynamics/kernels/launch.cuh"

#define IG_DYN_THREADS 128
#define PART double
#define PFN(name) name##_f64
#define VN(name) name##_double
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/kernels/particle.inc"
#include "dynamics/kernels/body.inc"
#include "dynamics/contact/contact.inc"
#include "dynamics/contact/contact_edge.inc"
#include "kern/prec_f64.h"
#include "dynamics/elements/elements.inc"
#include "dynamics/kernels/step_cuda.inc"
