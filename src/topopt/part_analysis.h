/* The finished part as a model of its own: elements are as stiff as their share inside the surface,
   no density is penalised. Its figures come with an error: from the same analysis on a grid twice
   as fine, or by recovery of stresses (Zienkiewicz and Zhu 1987) where there is no such grid.

     part_measure.c    one analysis: moduli, states, figures
     part_analysis.c   on the grid or mesh of the design; what summary.json says of it
     part_refined.c    the same part on a grid twice as fine
     part_recovery.c   errors by recovery */
#ifndef IG_TOPOPT_PART_ANALYSIS_H
#define IG_TOPOPT_PART_ANALYSIS_H

#include "topopt/output.h"

/* A figure on the design's own elements, on elements half as large, and its estimated error, all in
   one unit. NaN: not known. */
typedef struct {
  double value, fine, error;
} ig_topopt_figure;

/* The part on the design's elements (host): densities without islands, marks of elements that are
   held or loaded, the level of the surface, shares inside of it; whether it connects loads and
   supports: to refine one that does not tells nothing. */
typedef struct {
  const double *density;
  const uint8_t *touched;
  double level;
  const double *share;
  bool carries;
} ig_topopt_part_field;

/* Of constraints: value over bound, by their number in the case; NaN throughout where the part is
   not looked at for them. */
typedef struct {
  ig_topopt_figure objective, stress, displacement, limit[IG_LIMITS];
} ig_topopt_part_figures;

/* Nothing is known. */
void ig_topopt_part_none(ig_topopt_part_figures *f);

/* print_figures.c: supports of the part and how hot it becomes, of each bound what the part has in
   its place; nothing without `printing`. The level of the surface, or NaN: found here. */
IG_MUST_CHECK ig_status ig_topopt_print_put(const ig_topopt_run *r, ig_sink *sink, double *density,
                                            double level, ig_topopt_part_figures *to);

/* What the part has at most by these figures. With two grids: the finer value, and once more the
   difference where it has grown (errors of stresses at a surface are of first order). */
double ig_topopt_figure_most(const ig_topopt_figure *f);

/* Moduli and densities of s become those of the part, all load cases are solved, and figures
   measured: `value` of each. Elements of the design s: shares on the host. The constraint of the
   case that slot i of s stands for is of[i]. */
IG_MUST_CHECK ig_status ig_topopt_part_measure_figures(ig_topopt_design *s, const double *share,
                                                       const int *of, ig_topopt_part_figures *to);

/* `fine` and `error` of all figures; *done: whether there was such a grid, and memory for it. */
IG_MUST_CHECK ig_status ig_topopt_part_refine(const ig_topopt_run *r,
                                              const ig_topopt_part_field *part,
                                              ig_topopt_part_figures *to, bool *done);

/* `error` of all figures from the states in place, after the figures have been measured. */
IG_MUST_CHECK ig_status ig_topopt_part_recover(ig_topopt_design *s, const double *share,
                                               ig_topopt_part_figures *to);

/* Analyses the part, puts its figures into the summary. */
IG_MUST_CHECK ig_status ig_topopt_part_analyse(ig_topopt_run *r, ig_sink *sink,
                                               const ig_topopt_part_field *part,
                                               ig_topopt_part_figures *to);

#endif
