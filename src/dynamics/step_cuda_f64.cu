/* CUDA's passes: elements in double, particles in double. */
#include "dynamics/step_cuda.h"
#include "dynamics/launch.cuh"

#define IG_DYN_THREADS 128
#define PART double
#define PFN(name) name##_f64
#define VN(name) name##_double
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/particle.inc"
#include "dynamics/body.inc"
#include "dynamics/contact.inc"
#include "dynamics/contact_edge.inc"
#include "kern/prec_f64.h"
#include "dynamics/elements.inc"
#include "dynamics/step_cuda.inc"
