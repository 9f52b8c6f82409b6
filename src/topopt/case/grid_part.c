/* A part in a grid: elements whose middle is outside a surface of triangles are void whatever
   the case says of them, and no entry of the case selects them.

   The surface is read, moved and scaled to steps of the grid, and turned into voxels once for
   the whole grid on every rank (mesh/tri_surface.h). The voxels stay in the model (`inside`),
   where the search for nodes and faces needs them. */
#include "mesh/tri_surface.h"
#include "ingot_io.h"
#include "topopt/case/boundary_conditions.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const ig_topopt_points *p;
  ig_lid n[3];
  double step[3]; /* of the grid, m */
  uint8_t *inside, *role;
  int64_t kept;
} cutting;

/* Visitor over all elements of the whole: the middle, half a step inside, names the voxel
   safely. */
static void element_cut(void *user, int64_t place, double weight) {
  cutting *cut = user;
  int64_t node[IG_ELEMENT_NODES];
  const int corners = cut->p->corners(cut->p->self, place, node);
  double middle[3] = {0};
  ig_lid at[3];
  (void)weight;
  for (int a = 0; a < corners; a++) {
    double x[3];
    cut->p->position(cut->p->self, node[a], x);
    for (int d = 0; d < 3; d++)
      middle[d] += x[d] / corners;
  }
  for (int d = 0; d < 3; d++)
    at[d] = (ig_lid)fmin(cut->n[d] - 1, fmax(0, (middle[d] - cut->p->low[d]) / cut->step[d]));
  if (cut->inside[((size_t)at[2] * (size_t)cut->n[1] + (size_t)at[1]) * (size_t)cut->n[0] +
                  (size_t)at[0]])
    cut->kept++;
  else if (ig_topopt_in_places(cut->p, place))
    cut->role[place] = IG_ROLE_VOID;
}

/* The surface where the case puts it, in steps of the grid from its corner. An open surface has
   no inside; one that does not fit into the grid has mostly the wrong unit. */
static ig_status surface_take(cutting *cut, ig_tri_surface *soup, ig_tri_surface_survey *survey) {
  const ig_topopt_points *p = cut->p;
  const ig_grid_case *c = &p->c->grid;
#ifdef INGOT_HAVE_IO
  IG_TRY(ig_tri_surface_read(p->cx, c->stl, c->unit > 0 ? c->unit : 0, 0, soup));
#else
  return IG_FAIL(p->cx, IG_UNSUPPORTED, "%s: files are not compiled in: configure with INGOT_IO=ON",
                 c->stl);
#endif
  for (size_t n = 0; n < (size_t)soup->nodes; n++)
    for (size_t d = 0; d < 3; d++)
      soup->x[3 * n + d] += c->translate[d];
  IG_TRY(ig_tri_surface_look(p->cx, soup, survey));
  if (survey->open_edges)
    return ig_fail_at(p->cx, &c->at,
                      "%s: the surface is not closed: %d holes, %d open edges, the longest rim "
                      "about (%.4g, %.4g, %.4g) m: repair it",
                      c->stl, survey->holes, (int)survey->open_edges, survey->hole[0],
                      survey->hole[1], survey->hole[2]);
  for (int d = 0; d < 3; d++)
    if (survey->low[d] < p->low[d] - 0.5 * cut->step[d] ||
        survey->high[d] > p->low[d] + (cut->n[d] + 0.5) * cut->step[d])
      return ig_fail_at(p->cx, &c->at,
                        "%s spans %.4g %.4g %.4g to %.4g %.4g %.4g m, the grid %.4g %.4g %.4g to "
                        "%.4g %.4g %.4g m: the part must lie in it; is the unit right?",
                        c->stl, survey->low[0], survey->low[1], survey->low[2], survey->high[0],
                        survey->high[1], survey->high[2], p->low[0], p->low[1], p->low[2],
                        p->low[0] + cut->n[0] * cut->step[0], p->low[1] + cut->n[1] * cut->step[1],
                        p->low[2] + cut->n[2] * cut->step[2]);
  for (size_t n = 0; n < (size_t)soup->nodes; n++)
    for (size_t d = 0; d < 3; d++)
      soup->x[3 * n + d] = (soup->x[3 * n + d] - p->low[d]) / cut->step[d];
  return IG_OK;
}

/* `inside` goes to the model and is freed with it. The log compares the volume of the kept
   elements with that of the surface: a large difference means that elements are too coarse for
   the part. */
ig_status ig_topopt_grid_part(const ig_topopt_points *p, uint8_t *role) {
  const ig_grid_case *c = &p->c->grid;
  const ig_place everywhere = {0};
  const double corner[3] = {0, 0, 0};
  cutting cut = {.p = p, .role = role};
  ig_tri_surface soup = {0};
  ig_tri_surface_survey survey = {0};
  ig_status status;
  size_t count = 1;
  if (p->dim != 3)
    return ig_fail_at(p->cx, &c->at, "`stl` is for grids in space: this one is plane");
  for (int d = 0; d < 3; d++) {
    cut.n[d] = (ig_lid)c->elements[d];
    cut.step[d] = c->size[d] > 0 ? c->size[d] / (double)c->elements[d] : 1;
    count *= (size_t)cut.n[d];
  }
  IG_TRY_GOTO(status, done, surface_take(&cut, &soup, &survey));
  IG_TRY_GOTO(status, done, IG_NEW(p->cx, &cut.inside, count, "voxels"));
  IG_TRY_GOTO(status, done,
              ig_tri_surface_voxels(p->cx, &soup, corner, 1, cut.n, survey.oriented,
                                    survey.seams > 0, cut.inside));
  IG_TRY_GOTO(status, done,
              p->each(p->self, (ig_where){&c->at, NULL, &everywhere}, IG_POINT_ELEMENTS,
                      element_cut, &cut));
  if (cut.kept == 0)
    status = ig_fail_at(p->cx, &c->at, "%s: no element has its middle inside: take smaller ones",
                        c->stl);
  else
    ig_info(p->cx, "%s: %lld of %zu elements are inside, %.6g of %.6g mm3", c->stl,
            (long long)cut.kept, count,
            1e9 * (double)cut.kept * cut.step[0] * cut.step[1] * cut.step[2],
            1e9 * fabs(survey.volume));
  if (status == IG_OK) {
    ((ig_topopt_grid_model *)p->self)->inside = cut.inside;
    cut.inside = NULL;
  }
done:
  free(cut.inside);
  ig_tri_surface_free(&soup);
  return status;
}
