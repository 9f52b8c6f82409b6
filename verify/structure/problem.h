/* Cases of the structure room on meshes made in C: for verification.

   A problem is a mesh of mapped grids and a case given key by key, as a user writes it; it runs by
   the public interface on a context of its own, on the CPU. */
#ifndef IG_STRUCTURE_PROBLEM_H
#define IG_STRUCTURE_PROBLEM_H

#include "core/ctx.h"
#include <ingot/sim.h>

/* From a, b, c in 0 to 1 to a place. */
typedef void ig_structure_place(const double at[3], double x[3]);

/* A grid of n[0] x n[1] x n[2] cells of hex8 or hex20, or of n[0] x n[1] quad4 or quad8 at c = 0.
   All elements are the set `all`, nodes around c = 0 of a solid `rim`, elements of the grid `grid`,
   sides of the grid sets a0 a1 b0 b1 c0 c1 (faces of solids, nodes of shells), with `prefix`
   before. */
typedef struct {
  ig_elem_type type;
  int n[3];
  ig_structure_place *place;
  const char *prefix;
} ig_structure_grid;

typedef struct {
  const char *key, *value;
} ig_structure_entry;

enum {
  IG_PROBLEM_POINTS = 8,
  IG_PROBLEM_REGIONS = 4,
  IG_PROBLEM_KEYS = 16,
  IG_PROBLEM_MODES = 12,
  IG_PROBLEM_LIMITS = 2
};

/* Filled by the caller as far as `set`; lists end with a NULL. */
typedef struct {
  ig_structure_grid grid[2];
  /* node sets of one node each: the nearest node, or one of its own where `loose` */
  struct {
    const char *name;
    double x[3];
    bool loose;
  } point[IG_PROBLEM_POINTS];
  /* node sets by their places */
  struct {
    const char *name;
    bool (*holds)(const double x[3]);
  } region[IG_PROBLEM_REGIONS];
  /* temperatures that nodes come to, from 0; NULL: none. Takes the place of `temperatures` */
  double (*warm)(const double x[3]);
  ig_structure_entry set[IG_PROBLEM_KEYS];
  /* results: displacements and forces of elements on nodes, nodes x 3; mean stresses of elements,
     elements x 6; stresses at nodes of solids, or of shells at their top, and those at the bottom,
     nodes x 6; temperatures of nodes; modes and limit loads of the summary */
  ig_mesh *mesh;
  double *u, *force, *stress, *node_stress[2], *T;
  double mode[IG_PROBLEM_MODES];
  double limit[IG_PROBLEM_LIMITS];
} ig_structure_problem;

/* Runs it to the end. Free with ig_structure_problem_free in any case. */
IG_MUST_CHECK ig_status ig_structure_problem_run(ig_ctx *cx, ig_structure_problem *q);
void ig_structure_problem_free(ig_structure_problem *q);
/* The node next to a place. */
ig_lid ig_structure_problem_node(const ig_structure_problem *q, const double x[3]);
/* Displacement of the node next to a place along d. */
double ig_structure_problem_moved(const ig_structure_problem *q, const double x[3], int d);
/* The centre of an element. */
void ig_structure_problem_centre(const ig_structure_problem *q, ig_lid element, double x[3]);

#endif
