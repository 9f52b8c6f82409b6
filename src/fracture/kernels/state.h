/* The state of a fracture run as kernels see it, and the kernels by name.

   Tables (ne: bulk elements; their number never changes):
     conn  node of local node a of element e         at a * ne + e    "slot"
     opp   what is across face f of element e        at e * faces + f "facet"
           a bulk element; ne + c: cohesive element c; -1: nothing; -2 - k: load k
     coh   the two facets of cohesive element c      at 2 c, 2 c + 1  (the lower element's first)
     list  the slots of node n                       from node[n].first, node[n].used of them
   Face f of an element is the one opposite corner f. Cohesive elements hold no nodes: they are read
   through their bulk elements, so nothing in them is put right when a corner splits later.

   When a node splits, its slots are sorted by connected component inside the stretch of `list` they
   already have; each copy of the node owns a part of it. So the table that gathers forces, masses
   and stresses follows the mesh without ever being rebuilt.

   Example: two triangles, ne = 2, element 0 with nodes 0 1 2, element 1 with nodes 2 1 3:

        conn = 0 2 | 1 1 | 2 3         corner by corner: node of corner a at a * 2 + e
        opp  = 1 -1 -1 | -1 -1 0       face f is opposite corner f: face 0 of element 0 is 1-2,
                                       face 2 of element 1 is 2-1
        list = 0 | 2 3 | 4 1 | 5       slots a * 2 + e of nodes 0, 1, 2, 3

   If the facet between them opens, cohesive element 0 has coh = 0, 5 (facets 0 * 3 + 0 and 1 * 3
   + 2), both entries of opp become ne + 0 = 2, and nodes 1 and 2 split, since each has two
   components. */
#ifndef IG_FRAC_STATE_H
#define IG_FRAC_STATE_H

#include "assembly/cluster.h"
#include "contact/explicit/buckets.h"
#include "core/ctx.h"
#include "kern/fault.h"
#include "kern/motion.h"
#include "material/cohesive.h"

IG_C_BEGIN

enum {
  IG_FRAC_MATERIALS = 16,
  IG_FRAC_LAWS = 64,
  IG_FRAC_MOTIONS = 32,
  IG_FRAC_LOADS = 32,
  IG_FRAC_CHUNK = 64,
  IG_FRAC_APART = 128, /* nodes that a block of threads takes apart at a time */
  /* of a cluster, at most: elements, a thread each on a GPU; nodes */
  IG_FRAC_PATCH = 128,
  IG_FRAC_PATCH_NODES = 300,
  IG_FRAC_LOOSE = 0xffff /* a corner whose node is in no cluster */
};

/* Pa and kg/m^3. Plane stress and plane strain differ in c11 and c12 (ig_frac_elastic_of). */
typedef struct {
  double c11, c12, mu, rho; /* sigma_ii = c11 e_ii + c12 (the others), sigma_ij = 2 mu e_ij */
} ig_frac_elastic;

/* How a component is led; what pushes on a face. Both are times their history. `given`, `support`:
   the value in the case, the number there of the support it is from; -1: held still. */
typedef struct {
  int kind; /* ig_move */
  ig_history history;
  double value, given;
  int support;
} ig_frac_motion;
typedef struct {
  ig_history history;
  int pressure;    /* along the inward normal, value[0] */
  double value[3]; /* else a traction */
} ig_frac_load;

/* What a node is besides its motion; moved as one. */
typedef struct {
  int32_t first, used; /* its stretch of `list` */
  int32_t bc;          /* row of bc_row, -1 free */
  int32_t origin;      /* the node of the mesh it was split from */
} __attribute__((aligned(16))) ig_frac_node;

/* What only the device knows between two looks of the host. */
typedef struct {
  int64_t step;
  int32_t nodes, cohesive;
  int32_t broken;  /* facets marked by the last check */
  int32_t touched; /* nodes they have */
  int32_t full;    /* a table is full: nothing moves until the host has grown it */
  int32_t ticket;  /* blocks that are done (CUDA) */
} ig_frac_count;

enum {
  IG_FRAC_FACET_MAX,
  IG_FRAC_FACET_MEAN,
  IG_FRAC_EFFECTIVE_MEAN,
  IG_FRAC_PRINCIPAL_MAX,
  IG_FRAC_PRINCIPAL_MEAN,
  IG_FRAC_PRINCIPAL_BEST
};
#define IG_FRAC_CRITERION_CHOICES                                                                  \
  "facet_max|facet_mean|effective_mean|principal_max|principal_mean|principal_best"

/* A marked facet becomes a cohesive element, a free surface, a cohesive element without traction,
   whose sides press and rub only, or one without any state, where there is no mechanics. */
typedef enum { IG_FRAC_HOLD, IG_FRAC_CUT, IG_FRAC_BROKEN, IG_FRAC_BARE } ig_frac_opening;

/* Figures for history. */
enum {
  IG_FRAC_KINETIC,
  IG_FRAC_STRAIN,
  IG_FRAC_EXTERNAL,
  IG_FRAC_COHESIVE_WORK, /* done on cohesive elements */
  IG_FRAC_RETURNED,      /* by those that have given more than they got */
  IG_FRAC_RECOVERABLE,
  IG_FRAC_CONTACT,
  IG_FRAC_OPENED,  /* length or area of the facets opened */
  IG_FRAC_FAILED,  /* and of those that have lost all traction */
  IG_FRAC_SURFACE, /* energy taken by surfaces that press on each other; part of COHESIVE_WORK */
  IG_FRAC_TURNED,  /* elements that have turned too far for small rotations */
  IG_FRAC_FIGURES
};
/* What they are added up from: rows of elements, of nodes, of loaded faces, of cohesive elements.
   Each is a sum of its own, so that rows of one kind can be added up alone. The last of
   elements, and the last two of nodes, are there with rigid contact and contact of surfaces alone.
 */
enum {
  IG_FRAC_ROW_STRAIN,
  IG_FRAC_ROW_TURNED,
  IG_FRAC_ROW_IMPACT,
  IG_FRAC_BULK_ROW,
  IG_FRAC_ROW_KINETIC = 0,
  IG_FRAC_ROW_EXTERNAL,
  IG_FRAC_ROW_SURFACE,
  IG_FRAC_ROW_HELD,
  IG_FRAC_NODE_ROW,
  IG_FRAC_LOAD_ROW = 1,
  IG_FRAC_ROW_WORK = 0,
  IG_FRAC_ROW_RETURNED,
  IG_FRAC_ROW_RECOVERABLE,
  IG_FRAC_ROW_CONTACT,
  IG_FRAC_ROW_OPENED,
  IG_FRAC_ROW_FAILED,
  IG_FRAC_CRACK_ROW,
  /* where those of each kind begin in a row of sums */
  IG_FRAC_BULK_SUMS = 0,
  IG_FRAC_NODE_SUMS = IG_FRAC_BULK_SUMS + IG_FRAC_BULK_ROW,
  IG_FRAC_LOAD_SUMS = IG_FRAC_NODE_SUMS + IG_FRAC_NODE_ROW,
  IG_FRAC_CRACK_SUMS = IG_FRAC_LOAD_SUMS + IG_FRAC_LOAD_ROW,
  IG_FRAC_SUMS = IG_FRAC_CRACK_SUMS + IG_FRAC_CRACK_ROW
};

/* On ranks contact is computed on a copy of the surfaces near a rank's own (part_surface.c): what
   its nodes and elements have of the rank's part, and give back. */
typedef struct {
  const int32_t *node, *element; /* of the copy: number in the part */
  const uint32_t *worn;          /* of the part, as below: */
  void *u, *v, *mass, *gap, *force;
  double *work;
  int64_t *part; /* in numbers of the whole */
} ig_frac_lent;

/* Contact between surfaces (surface.inc). */
typedef struct {
  int on;          /* 0: nobody asked for it; `overlap` then says whether bodies do */
  ig_buckets bins; /* of facets; chain: faces x ne */
  double cell;     /* edge of a cell, m */
  int32_t *hit;    /* faces x ne: the first node that presses on it, -1 */
  uint8_t *skin;   /* node_max: on a free surface; up between `link` and `react` only */
  int32_t *after;  /* node_max: the next node that presses on the same facet */
  int64_t *part;   /* node_max: what it presses on, facet x parts + part, -1 */
  void *mass;      /* node_max: least mass of its contact so far */
  void *gap;       /* node_max: how deep it is there, below 0 */
  void *push;      /* node_max x dim x 2: the force it gets there, shares of the part's nodes */
  void *force;     /* node_max x dim: all a node gets */
  double *work;    /* node_max x 2: done by it so far; energy held by the node's contact */
  double *depth;   /* node_max: how far inside another's element, where there is no contact */
  /* ne, on ranks: bit 2 f: facet f is free, 2 f + 1: it keeps its own two sides apart; of a part,
     whoever has a copy of its elements is told; in a copy they are all it knows of that */
  uint32_t *worn;
  const ig_frac_lent *lent; /* NULL: this is no copy */
} ig_frac_surface;

/* The mesh as it is now; see above. */
typedef struct {
  int32_t *conn, *opp, *coh, *list;
  ig_frac_node *node;    /* node_max */
  uint8_t *turn;         /* coh: how the upper facet's corners are turned (3D) */
  const uint8_t *mat;    /* ne */
  uint8_t *attach;       /* ne: some face carries a force */
  const int32_t *order;  /* color: elements by color */
  const int32_t *number; /* ne, of a part: the element's number in the whole; NULL: this is it */
} ig_frac_topology;

/* When facets open, and what they then hold. */
typedef struct {
  ig_cohesive law;          /* where laws differ: of the least strengths */
  const ig_cohesive *laws;  /* all there are, where facets have their own */
  const uint8_t *facet_law; /* faces x ne: which of them; NULL: `law` for all */
  double threshold;         /* facets open at this share of their strength */
  int criterion, hold;      /* hold: a new facet starts with the traction it carried */
  int opening;              /* what marked facets become (ig_frac_opening) */
  double penalty;           /* N/m^3, 0: as stiff as the step allows */
  double weibull;           /* modulus of the strength's scatter, 0: none */
  uint64_t seed;
} ig_frac_zone;

/* Motions and loads. */
typedef struct {
  ig_frac_motion motion[IG_FRAC_MOTIONS];
  ig_frac_load load[IG_FRAC_LOADS];
  const double *history_x, *history_y; /* rows of all histories */
  const int32_t *bc_row;               /* rows of 3: motion of each component, -1 free */
  int32_t loads_on;                    /* loaded faces */
  const int32_t *load_face; /* loads_on x 3: facet, load, next load of this facet or -1 */
  void *face_force;         /* loads_on x facet nodes x dim */
  double *face_work;        /* loads_on x 2: work, displacement work is conjugate to */
} ig_frac_drive;

/* u, v: m, m/s, v half a step behind; f: N, sums of assembly `atomic` and `color`; minv: 1/kg, 0
   for a node without elements. */
typedef struct {
  void *x, *u, *v, *f, *minv; /* node_max x dim (minv: x 1) */
  double *work;               /* node_max: external work of prescribed motion */
  double *shown;              /* node_max x dim x 2: velocity, force of supports; for probes */
  void *share; /* node_max: averaged stress as a share of the strength (0: known to be less) */
} ig_frac_nodal;

/* Of elements: masses in kg, stresses in Pa in the element's frame. */
typedef struct {
  void *mass;     /* ne */
  void *force;    /* slots x dim (gather) */
  void *contact;  /* slots x dim: contact forces (rigid contact) */
  double *impact; /* ne: work of those */
  void *stress;   /* ne x corners x stresses */
  void *residual; /* ne x stresses: stress without strain, at the start; NULL: none */
  void *share;    /* ne: the most of them, as a share of the strength */
} ig_frac_bulk;

/* Cohesive elements. */
typedef struct {
  void *state;     /* coh_max x points x state */
  void *force;     /* coh_max x facet nodes x dim */
  void *stiffness; /* coh_max */
  void *strength;  /* coh_max: factor of the law's */
  double *work;    /* coh_max */
} ig_frac_crack;

/* Assembly `cluster` (assembly/cluster.h), as the mesh was when the first step began. A node that
   splits leaves the clusters, and its copies never enter them: `loose` nodes are summed from slots
   of their corners, as by gather. So clusters follow the cracks at the cost of the nodes on them,
   and the set of detached nodes depends only on the current mesh, not on its history. */
typedef struct {
  ig_cluster_view of;  /* `local`, `node` and `border` of it change: */
  uint16_t *local;     /* corner: place in the cluster, or IG_FRAC_LOOSE */
  int32_t *node;       /* places: node n, -1 - n where that is loose */
  int32_t *border;     /* border: the same */
  int32_t *where;      /* nodes of then: number in the border, -1 inside a cluster, -2 loose */
  const int32_t *rank; /* ne: the element's number in the order of clusters; NULL: none yet */
  const int32_t *home; /* ne: first place of the element's cluster */
  int32_t planned;     /* nodes of then */
  int32_t *loose;      /* node_max: those nodes, in any order */
  int32_t *looses;     /* how many */
  void *slots;         /* the view's slots x dim */
} ig_frac_patches;

/* Insertion. */
typedef struct {
  uint8_t *mark;    /* faces x ne: facets to open, at the lower element */
  int32_t *opened;  /* facets marked, in order */
  uint8_t *touch;   /* node_max: nodes of facets that open */
  int32_t *touched; /* node_max: those nodes, in order */
  int32_t *extra;   /* node_max: copies each of them needs, then those of all up to it */
  /* slots / IG_FRAC_APART + 2, CUDA: blocks that are done, then sums so far, by tiles; 0 between
     passes */
  uint64_t *chain;
} ig_frac_grow;

/* Passed by value to kernels: sizes and device pointers, no ownership. void pointers are to float
   or double. */
typedef struct {
  const int32_t *pick; /* items run over are numbers in here; NULL: plain numbers */
  int32_t ne, node_max, coh_max;
  int32_t bare;   /* of a part: nodes of the mesh whose elements here have all become a copy's */
  uint64_t magic; /* 2^64 / ne, rounded up: divides by it */
  int how;        /* ig_assembly */
  int materials, rotation; /* rotation: 1 finite */
  ig_frac_elastic elastic[IG_FRAC_MATERIALS];
  double thickness, dt;
  ig_frac_zone zone;
  ig_frac_surface surface;
  ig_frac_drive drive;
  ig_frac_topology topo;
  ig_frac_nodal nodal;
  ig_frac_bulk bulk;
  ig_frac_crack crack;
  ig_frac_patches patch;
  ig_frac_grow grow;
  double *part;  /* chunks x IG_FRAC_SUMS; or items x their row */
  double *limit; /* ne: largest eigenvalue of an element, for the critical step */
  ig_frac_count *count;
  ig_fault *fault;
} ig_frac_state;

/* k / ne, exact for 32 bits: slots and facets are taken apart often. (magic is 0 for one element.)
 */
IG_HD uint32_t ig_frac_divide(uint64_t magic, uint32_t k) {
#ifdef __CUDA_ARCH__
  return magic ? (uint32_t)__umul64hi(magic, k) : k;
#else
  return magic ? (uint32_t)(((unsigned __int128)magic * k) >> 64) : k;
#endif
}

/* name, what it runs over. Each is one function of one item, the same for all backends. */
#define IG_FRAC_ITEMS(X)                                                                           \
  X(load)     /* force of a loaded face */                                                         \
  X(wipe)     /* contact of surfaces: an empty bucket */                                           \
  X(link)     /* a free facet into its bucket */                                                   \
  X(press)    /* the facet a node presses on */                                                    \
  X(react)    /* all that contact brings on a node */                                              \
  X(wear)     /* ranks: which facets of an element are free */                                     \
  X(see)      /* of a copied element, from the part */                                             \
  X(borrow)   /* motion of a copied node, from the part */                                         \
  X(repay)    /* what contact brings on it, to the part */                                         \
  X(overlap)  /* how far a node is inside another's element */                                     \
  X(cohesive) /* traction and force of a cohesive element */                                       \
  X(element)  /* internal force, and the forces of the facets attached to it */                    \
  X(contact)  /* an element's share of rigid contact */                                            \
  X(node)     /* sum of forces, Newmark update */                                                  \
  X(total)    /* sum of a node's element forces, for the balance at the start */                   \
  X(border)   /* forces of a node that several clusters have, or none */                           \
  X(move)     /* the same, and its Newmark update */                                               \
  X(advance)  /* one item: the step is done */                                                     \
  X(stress)   /* stress at an element's corners */                                                 \
  X(average)  /* averaged stress of a node against the strength */                                 \
  X(check)    /* a facet against its strength */                                                   \
  X(mark)     /* a facet is to open */                                                             \
  X(unmark)   /* it is not */                                                                      \
  X(capacity) /* one item: is there space for what was marked */                                   \
  X(open)     /* a marked facet becomes a cohesive element */                                      \
  X(state)    /* a point of a new cohesive element */                                              \
  X(part)     /* components of a touched node's elements */                                        \
  X(split)    /* copies of a node that came apart */                                               \
  X(settle)   /* one item: new counts */                                                           \
  X(weigh)    /* an element's mass */                                                              \
  X(mass)     /* a node's mass */                                                                  \
  X(figures)  /* a chunk's sums of rows */                                                         \
  X(bulk_row) /* what an element adds to figures */                                                \
  X(node_row)                                                                                      \
  X(crack_row)                                                                                     \
  X(show)     /* a node's velocity and what its supports push it with, for probes */               \
  X(critical) /* an element's largest eigenvalue */

typedef enum {
#define X(name) IG_FRAC_##name,
  IG_FRAC_ITEMS(X)
#undef X
      IG_FRAC_ITEM_KINDS,
  /* a thread (on a GPU: a block) an item: the elements of a cluster and the forces on its inner
     nodes; the same and their Newmark update */
  IG_FRAC_patch = IG_FRAC_ITEM_KINDS,
  IG_FRAC_patch_move
} ig_frac_item;

/* Sizes that depend on the element type.

   points: of a facet; state: numbers per point, 3 dim + 2 (opening, traction, two largest
   separations, offset). */
typedef struct {
  int dim, nodes, corners, faces, face_nodes, points, stresses, state;
} ig_frac_shape;
extern const ig_frac_shape ig_frac_shapes[4]; /* tri3 tri6 tet4 tet10 */
enum { IG_FRAC_TRI3, IG_FRAC_TRI6, IG_FRAC_TET4, IG_FRAC_TET10 };

/* The drivers of one backend. `kind` is IG_FRAC_TRI3…, `wide` 1 for double precision. */
typedef struct {
  /* runs an item over [begin, begin + n); n < 0: over all there are, at most -n */
  ig_status (*run)(ig_ctx *cx, int kind, int wide, ig_frac_item item, const ig_frac_state *s,
                   int64_t begin, int64_t n);
  /* the numbers of the flags that are up, in order, and how many; n flags at most. On a GPU flags
     of touched nodes are taken down here, on a CPU by `part` */
  ig_status (*compact)(ig_ctx *cx, const ig_frac_state *s, uint8_t *flag, int64_t n, int32_t *list,
                       int32_t *found);
  /* takes the touched nodes apart: `part`, running sums of `extra`, `split` */
  ig_status (*apart)(ig_ctx *cx, int kind, int wide, const ig_frac_state *s);
} ig_frac_ops;
const ig_frac_ops *ig_frac_ops_of(ig_ctx *cx);

IG_C_END
#endif
