/* What the kernels of the stress room see: plain data, device pointers, passed by value. All in
   double precision: the state is what a build leaves behind. */
#ifndef IG_STRESS_KERNEL_H
#define IG_STRESS_KERNEL_H

#include "assembly/cluster_sum.h"
#include "assembly/scatter.h"
#include "kern/motion.h"

/* A point's state, and what it keeps of the law's derivative. Strains are tensor components, xx yy
   zz xy yz zx. */
enum {
  IG_STATE_REFERENCE = 0,   /* 6: strain less thermal strain at birth, or when history was wiped */
  IG_STATES_ELASTIC = 6,    /* what follows is there where some material flows */
  IG_STATE_PLASTIC = 6,     /* 6: plastic strain, that of transformations too, a deviator */
  IG_STATE_P = 12,          /* accumulated plastic strain */
  IG_STATES_FLOW = 13,      /* what follows is there where some hardening is kinematic */
  IG_STATE_BACK = 13,       /* 6: strain-like variable of the back stress, X = 2/3 C(T) of it */
  IG_STATES_BACK = 19,      /* what follows is there where some material transforms */
  IG_STATE_MARTENSITE = 19, /* its fraction */
  IG_STATES_PHASE = 20,
  /* The tangent of a point, kept as floats: deviatoric part 2 G theta I - m m^T, see law.inc. */
  IG_SLOPE_SHEAR = 0, /* 2 G theta */
  IG_SLOPES_ELASTIC,
  IG_SLOPE_FLOW = 1, /* 5: xx yy xy yz zx of a deviator m: m (m : strain) is taken off */
  IG_SLOPES_FLOW = 6,
  IG_SLOPES_MOST =
      7,           /* the assumed-strain element keeps the bulk modulus of the point, too, last */
  IG_ENERGIES = 4, /* of an element: see ig_stress_energy */
  IG_GROWN = 12,   /* of an element: thermal strain of its 8 points, inherent strain xx yy zz xy */
  /* of an element that rotates: rotation by rows 9; in the rotated axes, of the seven modes:
     positions 21, forces that leave the change of the rotation out 21 */
  IG_TURNED = 51,
  IG_TURNED_PLACES = 9,
  IG_TURNED_FORCES = 30,
  IG_STRESS_TILE = 32, /* elements side by side */
  IG_STRESS_CLUSTER = IG_CLUSTER_SMALL,
  IG_STRESS_CLUSTER_NODES = IG_CLUSTER_SMALL_NODES,
  /* stress 6, von Mises, plastic strain, temperature, elastic strain 6, martensite: means over
     points */
  IG_STRESS_REPORT = 16,
  IG_STRESS_POINTS = 56 /* stress 6 at each of 8 points, then their plastic strains */
};

/* What a pass computes of each element for the host. */
typedef enum { IG_VALUE_REPORT, IG_VALUE_POINTS, IG_VALUE_STORED, IG_VALUE_ENERGY } ig_stress_value;
IG_HD int ig_stress_value_count(ig_stress_value what) {
  return what == IG_VALUE_REPORT   ? IG_STRESS_REPORT
         : what == IG_VALUE_POINTS ? IG_STRESS_POINTS
         : what == IG_VALUE_STORED ? 1
                                   : IG_ENERGIES;
}

/* In place of a temperature of birth: soft, without thermal strain, until it was above `anneal`. */
#define IG_BORN_SOFT (-1.0)

/* A material over temperature. Tables are rows of the two common arrays row_x (K) and row_y:
   Young's modulus, Poisson's ratio, thermal strain since 0 K or an arbitrary origin (only
   differences count), yield stress, isotropic and kinematic plastic modulus. Units Pa, K. */
typedef struct {
  ig_history young, poisson, strain, yield, hardening, kinematic;
  double anneal;                           /* above it there is no history; huge: never */
  double recover, recovered;               /* hardening is lost between these; huge: never */
  double young_least, yield_least;         /* floors */
  double young_soft;                       /* of what was deposited and has never been solid */
  double hardening_least;                  /* as a share of E */
  double creep, creep_power, creep_energy; /* Norton: rate = creep q^power exp(-energy / R T) */
  int plastic;
  /* What follows is set where `transforms`: strain, yield and hardening above are then those of
     martensite, these of austenite. Elastic values are common to both. */
  ig_history austenite_strain, austenite_yield, austenite_hardening;
  double martensite_start, martensite_rate; /* Koistinen and Marburger, K and 1/K */
  double austenite_start, austenite_end;    /* on heating, K */
  double trip;                              /* 1/Pa: strain per stress of a full transformation */
  int leblond;                              /* its saturation: Leblond's, else Desalos' */
  int transforms;
} ig_stress_law;

/* Everything a kernel reads or writes, device pointers. The struct is made once by
   ig_stress_new; `dt` changes from step to step. */
typedef struct {
  ig_scatter_view scatter;
  ig_cluster_view cluster;     /* assembly `cluster` */
  const ig_clusters *clusters; /* the same on the host */
  const double *x;             /* nodes x 3 */
  const double *T;             /* nodes */
  const double *warmer;        /* elements: temperature above that of the nodes */
  const double *share;         /* elements: of the inherent strain */
  const uint8_t *alive;        /* elements */
  uint8_t *soft;               /* elements: bit q: point q was deposited and never above `anneal` */
  const uint8_t *law;          /* elements: which of `laws` */
  const uint16_t *which;       /* elements: which inherent strain; 0: none */
  const double *inherent;      /* x 4: strain that grows at birth, xx yy zz xy */
  const ig_stress_law *laws;
  const double *row_x, *row_y;
  double *state;      /* tiles */
  float *slope;       /* tiles: half the traffic of a product; forces never see the rounding. In the
                         order of clusters, where there are some */
  float *bulk;        /* elements: mean bulk modulus, for the product of B-bar */
  int states, slopes; /* values of a point in the two */
  /* what a step starts from: the last equilibrium, or what a point was reset to since */
  double *grown;                      /* elements x IG_GROWN: thermal and inherent strain */
  const double *T_past, *warmer_past; /* as T and warmer */
  double
      *alpha; /* elements x 3: those of the last forces, from which the next start; NULL: from 0 */
  double
      *turn; /* elements x IG_TURNED: rotated elements at the last forces; NULL: small rotations */
  double *slots; /* gather, cluster: 3 each */
  double dt;     /* of the step, for creep */
  bool steady;   /* products leave out that the rotations of elements change */
  bool nominal;  /* points that are reset have no stress in the nominal shape */
  bool assumed;  /* element: assumed strain; else mean dilatation (B-bar) */
  bool tet;      /* tetrahedra of ten nodes; else hexahedra */
  bool start;    /* what is born now has been there, cold, before the analysis */
} ig_stress_args;

/* Place of value k (of `count`) of point q of element e in a tiled array: within a tile of
   IG_STRESS_TILE elements the element is the fastest index, so a warp, or a vector loop over
   elements, reads contiguous memory. */
IG_HD int64_t ig_stress_at(int64_t e, int count, int k, int q) {
  return ((e / IG_STRESS_TILE * count + k) * 8 + q) * IG_STRESS_TILE + e % IG_STRESS_TILE;
}
/* Whether some material flows: tangents then have a direction. */
IG_HD bool ig_stress_flows(const ig_stress_args *p) {
  return p->slopes - (p->assumed ? 1 : 0) > IG_SLOPES_ELASTIC;
}
/* Whether some material of the case transforms. */
IG_HD bool ig_stress_transforms(const ig_stress_args *p) {
  return p->states > IG_STATE_MARTENSITE;
}
/* Value k of a point's state; 0 where no material of the case has it. */
IG_HD double ig_stress_state(const ig_stress_args *p, int64_t e, int k, int q) {
  return k < p->states ? p->state[ig_stress_at(e, p->states, k, q)] : 0;
}

#endif
