/* Supports of the printed part as bound and objective: their volume, and the force that tears them
   off, the contact with the part times its strength. Counted on the host from densities; see
   support_columns.h. */
#ifndef IG_TOPOPT_DESIGN_SUPPORT_H
#define IG_TOPOPT_DESIGN_SUPPORT_H

#include "topopt/design/support_columns.h"
#include "topopt/design/support_lines.h"

/* Of a grid by columns, of a mesh by lines. */
typedef struct {
  bool mesh;
  ig_support_columns columns;
  ig_support_lines lines;
} ig_support_counter;
IG_MUST_CHECK ig_status ig_support_counter_new(const ig_topopt_design *s, ig_support_counter *c);
void ig_support_counter_free(ig_support_counter *c);
void ig_support_counter_find(ig_support_counter *c, const double *x, const double *count,
                             double *volume, double *contact);

struct ig_topopt_support {
  ig_support_counter counter;
  double *density, *count, *slope; /* places (host) */
  ig_array member;                 /* elements of the objective */
};

/* Whether a support volume or removal force is bounded or made small. */
bool ig_topopt_support_asked(const ig_topopt_case *c);
IG_MUST_CHECK ig_status ig_topopt_support_new(ig_topopt_design *s);
void ig_topopt_support_free(ig_topopt_design *s);
/* Value over the bound of slot i (IG_LIMITS: the objective, m^3) and its slope by the filtered
   density. */
IG_MUST_CHECK ig_status ig_topopt_support_evaluate(ig_topopt_design *s, const ig_law *law, int i,
                                                   double *value, double *slope);

/* Warns where the angle of supports is one that the grid has not. */
void ig_topopt_support_warn(const ig_topopt_design *s);
/* Of figures of the print that are made on the host: what a case needs for them, by name; the
   densities of the last realisation; slopes by densities (host) become slopes by the filtered
   density (device). */
IG_MUST_CHECK ig_status ig_topopt_print_check(const ig_topopt_design *s, const char *what);
IG_MUST_CHECK ig_status ig_topopt_print_member(ig_topopt_design *s, ig_array *member);
IG_MUST_CHECK ig_status ig_topopt_print_densities(const ig_topopt_design *s, double *density);
IG_MUST_CHECK ig_status ig_topopt_print_slope(ig_topopt_design *s, const ig_law *law,
                                              const double *by_density, double *slope);

#endif
