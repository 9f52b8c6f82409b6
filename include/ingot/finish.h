/* The finished part of a topology optimisation, analysed as a model of its own. In builds with
   input and output, and with Gmsh. */
#ifndef INGOT_FINISH_H
#define INGOT_FINISH_H

#include <ingot/run.h>

IG_C_BEGIN

typedef struct {
  /* 0: what the section `finish` of the case says */
  double size;     /* edge of the finest mesh's elements, m; 0: 0.7 of the design's */
  int meshes;      /* 1 to 3: each is coarser by a factor of 1.4; 0: 3 */
  int frequencies; /* lowest natural frequencies; 0: as the case's section `finish` says, or the
                      first where the case bounds one */
  int buckling;    /* lowest factors of linear buckling of each load case; 0: the same */
  double time_limit, memory_limit; /* of Gmsh, as ig_mesh_read_options has them */
  bool step;              /* write part.step, too: a solid of at most 20,000 plane facets */
  bool large_deflections; /* analyse the finest mesh with large displacements, too */
  /* Cycles whose damage is added up, as `finish.spectrum` of a case has them, "[{cycles: 1e5,
     ratio: 0}]"; NULL: what the case says. */
  const char *spectrum;
  ig_line_fn *line; /* the figures as lines of a table, NULL: not wanted */
  void *user;       /* for `line` */
} ig_finish_options;

/* Reads the surface in `folder`, the complete result of a case with `physics: topopt`, makes
   body-fitted meshes of quadratic tetrahedra, puts the supports and loads of the case on them, runs
   the linear static analysis by `physics: structure`, and writes FOLDER/finished: part.inp (mesh,
   material, supports, loads: CalculiX runs it), part.msh, summary.json. IG_INPUT: the result is of
   a kind that cannot be finished. IG_INTERRUPTED: by a signal or ig_ctx_interrupt; as after any
   error the folder is as it was. `options` may be NULL. */
IG_API IG_MUST_CHECK ig_status ig_finish(ig_ctx *cx, const char *folder,
                                         const ig_finish_options *options);

/* ig_run, and then what the section `finish` of a case with `physics: topopt` asks for: the part is
   analysed as by ig_finish, its figures are added to OUT/summary.json (`finished_…`), and they
   decide `feasible` there. Without that section, or where it is done already, the same as ig_run.
   Needs an output folder. Collective: the first rank does it. */
IG_API IG_MUST_CHECK ig_status ig_run_and_finish(ig_case *c, const ig_run_options *options);
/* The second half of that, after a complete run of `c` in another way (ig_sim_finish). Of `options`
   out, figure and user count. */
IG_API IG_MUST_CHECK ig_status ig_finish_after(ig_case *c, const ig_run_options *options);

IG_C_END
#endif
