/* What the kernels of the stress room see: plain data, device pointers, passed by value. All in
   double precision: the state is what a build leaves behind. */
#ifndef IG_STRESS_KERNEL_H
#define IG_STRESS_KERNEL_H

#include "assembly/scatter.h"
#include "kern/motion.h"

/* A point's state, and what it keeps of the law's derivative. Strains are tensor components, xx yy
   zz xy yz zx. */
enum {
  IG_STATE_PLASTIC = 0,    /* 6: plastic strain, a deviator */
  IG_STATE_BACK = 6,       /* 6: strain-like variable of the back stress, X = 2/3 C(T) of it */
  IG_STATE_REFERENCE = 12, /* 6: strain less thermal strain at birth, or when history was wiped */
  IG_STATE_P = 18,         /* accumulated plastic strain */
  IG_STATES = 19,
  IG_SLOPE_BULK = 0, /* K */
  IG_SLOPE_SHEAR,    /* 2 G theta */
  IG_SLOPE_ALONG,    /* what is taken off along n */
  IG_SLOPE_N,        /* 6: unit tensor of the flow */
  IG_SLOPES = 9,
  IG_PAST_STRAIN = 0, /* 6: elastic strain at the last equilibrium, for the energies */
  IG_PAST_BULK = 6,
  IG_PAST_SHEAR,
  IG_PASTS,
  IG_ENERGIES = 5,     /* of an element: see ig_stress_energy */
  IG_STRESS_TILE = 32, /* elements side by side */
  /* stress 6, von Mises, plastic strain, temperature, elastic strain 6: means over points */
  IG_STRESS_REPORT = 15,
  IG_STRESS_POINTS = 56 /* stress 6 at each of 8 points, then their plastic strains */
};

/* Tables over temperature are rows of two common arrays. */
typedef struct {
  ig_history young, poisson, strain, yield, hardening, kinematic;
  double anneal;                           /* above it there is no history; huge: never */
  double recover, recovered;               /* hardening is lost between these; huge: never */
  double young_least, yield_least;         /* floors */
  double hardening_least;                  /* as a share of E */
  double creep, creep_power, creep_energy; /* Norton: rate = creep q^power exp(-energy / R T) */
  int plastic;
} ig_stress_law;

typedef struct {
  ig_scatter_view scatter;
  const double *x;        /* nodes x 3 */
  const double *T;        /* nodes */
  const double *warmer;   /* elements: temperature above that of the nodes */
  const double *share;    /* elements: of the inherent strain */
  const uint8_t *alive;   /* elements */
  const uint8_t *law;     /* elements: which of `laws` */
  const uint16_t *which;  /* elements: which inherent strain; 0: none */
  const double *inherent; /* x 4: strain that grows at birth, xx yy zz xy */
  const ig_stress_law *laws;
  const double *row_x, *row_y;
  double *state; /* tiles */
  float *slope;  /* tiles: half the traffic of a product; forces never see the rounding */
  float *past;   /* tiles */
  double *grown; /* elements x 4: thermal and inherent strain at the last equilibrium */
  double *turn;  /* elements x 9: rotations at the last forces, by rows; NULL: they are small */
  double *slots; /* gather: 3 each */
  double dt;     /* of the step, for creep */
} ig_stress_args;

IG_HD int64_t ig_stress_at(int64_t e, int count, int k, int q) {
  return ((e / IG_STRESS_TILE * count + k) * 8 + q) * IG_STRESS_TILE + e % IG_STRESS_TILE;
}

#endif
