/* CUDA's passes: elements in single, particles in single. Bodies and tools compute in double in
   any case, hence the inclusions for f64 before those for f32. */
#include "dynamics/step_cuda.h"
#include "dynamics/launch.cuh"

#define IG_DYN_THREADS 128
#define PART float
#define PFN(name) name##_f32
#define VN(name) name##_single
#include "kern/prec_f64.h"
#include "assembly/scatter.inc"
#include "dynamics/particle.inc"
#include "dynamics/body.inc"
#include "kern/prec_f32.h"
#include "assembly/scatter.inc"
#include "dynamics/particle.inc"
#include "dynamics/body.inc"
#include "dynamics/contact.inc"
#include "dynamics/contact_edge.inc"
#include "kern/prec_f32.h"
#include "dynamics/elements.inc"
#include "dynamics/step_cuda.inc"
