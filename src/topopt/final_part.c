/* The part at the end of a run: islands removed, surface, files.

     densities -> surface at a level -> islands removed, surface again -> faces of the case snapped
               -> triangles improved -> files and figures

   All ranks cut their own elements; rank 0 has the triangles from then on. */
#include "backend/backend.h"
#include "core/threads.h"
#include "ranks/ranks.h"
#include "solver/krylov/chunks.h"
#include "topopt/output.h"
#include "topopt/surface/outline.h"
#include "topopt/surface/pieces.h"
#include "topopt/surface/surface.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* surface_good is the share of triangles of quality 0.3 or more (1: equilateral). */
static ig_status put_figures(ig_sink *sink, const ig_topopt_run *r, const ig_topopt_part *part,
                             double wanted) {
  const ig_surface_case *c = &r->s->c->surface;
  ig_topopt_part_shape shape;
  IG_TRY(ig_topopt_part_look(r->s->cx, part, &shape));
  IG_TRY(sink->result(sink, "surface_area", "m^2", part->area));
  IG_TRY(sink->result(sink, "surface_volume", "m^3", part->volume));
  IG_TRY(sink->result(sink, "surface_level", "", part->level));
  IG_TRY(sink->result(sink, "surface_triangles", "", (double)part->triangles));
  IG_TRY(sink->result(sink, "surface_good", "%", 100 * ig_topopt_part_good(part, 0.3)));
  IG_TRY(sink->result(sink, "surface_open_edges", "", (double)shape.open));
  IG_TRY(sink->result(sink, "surface_shells", "", (double)shape.shells));
  IG_TRY(sink->result(sink, "surface_handles", "", (double)shape.handles));
  if (shape.open > 0)
    ig_warn(r->s->cx, "the surface is not closed: %" PRId64 " edges have no one opposite",
            shape.open);
  if (shape.pinched > 0)
    ig_warn(r->s->cx,
            "the surface touches itself at %" PRId64 " points: not every program that "
            "reads it will like that",
            shape.pinched);
  wanted *= ig_topopt_copies(r->s->c);
  if (isnan(c->level) && !r->s->loading->candidates && fabs(part->volume - wanted) > 0.02 * wanted)
    ig_warn(r->s->cx,
            "the surface holds %.4g m^3, the design %.4g m^3: no level of the density keeps the "
            "volume; %s",
            part->volume, wanted,
            r->e.grayness > 5
                ? "the design is gray: use a projection, or more iterations"
                : "its members are few elements thick: use smaller elements or a larger "
                  "filter.radius, or choose surface.level");
  return IG_OK;
}

/* The sum of an array of elements (host), in the order of the whole. By chunks in a fixed order:
   the figure has the same bits on any number of ranks. */
static ig_status total(ig_ctx *cx, const ig_discretisation *d, const double *v, double *sum) {
  const ig_chunks k = ig_chunks_of(d->grid, d->places);
  double *part;
  ig_status status = IG_NEW(cx, &part, (size_t)k.count + 1, "sums");
  if (ig_topopt_divided(d))
    status = ig_ranks_agree(cx, status);
  const int64_t chunks = status == IG_OK ? k.count : 0;
#pragma omp parallel for schedule(static) num_threads(ig_team(cx, d->places, IG_WORK_VALUE))
  for (int64_t c = 0; c < chunks; c++)
    for (int64_t i = ig_chunk_begin(&k, c); i < ig_chunk_end(&k, c); i++)
      part[c] += v[i];
  if (status == IG_OK)
    status = ig_chunks_total(d->grid, &k, 1, part, sum);
  free(part);
  return status;
}

/* Removes islands at the level of the surface, which is made again without them, at the level
   that was asked for (NaN: the one that keeps what is left). The volume that is wanted of the
   surface shrinks with what was removed: the level is found anew for the rest. */
static ig_status remove_islands(ig_topopt_run *r, ig_sink *sink, double *density,
                                const uint8_t *touched, double level, ig_topopt_part *part,
                                double *wanted) {
  const ig_topopt_design *s = r->s;
  const ig_surface_case *c = &s->c->surface;
  int64_t islands, elements;
  double all, left;
  if (c->islands)
    return IG_OK;
  IG_TRY(total(s->cx, s->d, density, &all));
  IG_TRY(ig_topopt_islands_clear(s->cx, s->d, density, part->level, touched, &islands, &elements));
  IG_TRY(sink->result(sink, "islands_removed", "", (double)islands));
  if (islands == 0)
    return IG_OK;
  IG_TRY(total(s->cx, s->d, density, &left));
  *wanted *= left / all;
  ig_warn(s->cx,
          "%" PRId64 " island%s removed from the part: %" PRId64
          " elements, %.2g %% of its volume, that touch neither a load nor a support",
          islands, islands == 1 ? "" : "s", elements, 100 * (all - left) / all);
  ig_topopt_part_free(part);
  return s->d->surface(s->d->self, density, level, c->mirror, part);
}

/* Whether a surface is asked for, of a body that has one. */
static bool made(const ig_topopt_run *r) {
  return r->d->surface && ig_topopt_formats(&r->s->c->surface).count > 0;
}

bool ig_topopt_part_analysed(const ig_topopt_run *r) {
  const ig_loading *l = r->s->loading;
  return ig_topopt_analysed(r->s->c) && l->cases > 0 && !l->candidates;
}

ig_status ig_topopt_part_whole(const ig_topopt_run *r, const double *from, double **to) {
  ig_ctx *cx = r->s->cx;
  ig_status status = IG_NEW(cx, to, r->d->all_places, "part");
  if (status == IG_OK)
    status = cx->backend->copy_in(cx, r->s->work.dev, from, (size_t)r->d->places * sizeof *from);
  if (ig_topopt_divided(r->d))
    status = ig_ranks_agree(cx, status);
  return status == IG_OK ? ig_topopt_fetch(cx, r->d, false, 1, r->s->work.dev, true, *to) : status;
}

/* Faces of the case cut exactly (grids), and triangles that can be meshed. Without a given
   deviation triangles may move by a twentieth of an element. Slivers go first: they turn over where
   their vertices are put onto a face, which keeps such vertices off it. What still is off it is
   tried again with the triangles improved. */
static ig_status finish_surface(const ig_topopt_run *r, const double *density, ig_topopt_part *part,
                                ig_surface_off *off) {
  enum { ROUNDS = 3 };
  ig_ctx *cx = r->s->cx;
  const ig_surface_case *c = &r->s->c->surface;
  const double deviation = isnan(c->deviation) ? 0.05 * cbrt(r->d->volume) : c->deviation;
  ig_surface_walls *walls = NULL;
  int32_t *on;
  IG_TRY(IG_NEW(cx, &on, (size_t)part->vertices + 1, "surface"));
  ig_status status = IG_OK;
  if (!r->job->mesh)
    status = ig_surface_walls_new(cx, r->d->self, density, c->mirror, &walls);
  const ig_surface_faces none = {0}, faces = walls ? ig_surface_walls_faces(walls) : none;
  if (status == IG_OK)
    status = ig_topopt_part_improve(cx, part, deviation, on, &faces);
  const int rounds = walls && ig_surface_walls_any(walls) ? ROUNDS : 0;
  for (int round = 0; status == IG_OK && round < rounds; round++) {
    memset(on, 0, ((size_t)part->vertices + 1) * sizeof *on);
    status = round == 0 ? ig_surface_walls_snap(walls, part, on)
                        : ig_surface_walls_again(walls, part, on);
    if (status == IG_OK)
      status = ig_topopt_part_improve(cx, part, deviation, on, &faces);
    if (status == IG_OK)
      status = ig_surface_walls_off(walls, part, off);
    if (off->count == 0)
      break;
  }
  ig_surface_walls_free(walls);
  free(on);
  return status;
}

/* The density that the smoothed step makes that of. */
static double projected_from(double density, double beta, double eta) {
  const double low = tanh(beta * eta), all = low + tanh(beta * (1 - eta)), most = 1 - 1e-15;
  return fmin(1, fmax(0, eta + atanh(fmin(most, fmax(-most, density * all - low))) / beta));
}

/* Walls with a draft are inclined by less than an element per layer, which densities behind a sharp
   projection no longer show: they are cut as they were before it, at what its level was there. */
static ig_status cut_before_projection(const ig_topopt_run *r, const double *density,
                                       ig_topopt_part *part) {
  const ig_topopt_design *s = r->s;
  const double beta = r->e.beta, eta = s->c->projection.eta;
  const double level = part->level;
  double *before;
  if (!(s->c->draw_direction.angle > 0) || !(beta > 0) || !isnan(s->c->surface.level))
    return IG_OK;
  IG_TRY(IG_NEW(s->cx, &before, r->d->places, "part"));
  for (int64_t i = 0; i < r->d->places; i++)
    before[i] = projected_from(density[i], beta, eta);
  ig_topopt_part_free(part);
  const ig_status status = r->d->surface(r->d->self, before, projected_from(level, beta, eta),
                                         s->c->surface.mirror, part);
  free(before);
  return status;
}

/* What the triangles give: files and figures. */
static ig_status put_surface(ig_topopt_run *r, ig_sink *sink, const ig_topopt_part *part,
                             const ig_surface_off *off, double wanted) {
  const ig_surface_case *c = &r->s->c->surface;
  const ig_texts formats = ig_topopt_formats(c);
  for (int f = 0; f < formats.count; f++)
    IG_TRY(ig_topopt_part_write(r->s->cx, part, formats.value[f], c->unit, sink));
  IG_TRY(put_figures(sink, r, part, wanted));
  if (!r->job->mesh)
    IG_TRY(sink->result(sink, "surface_off_faces", "m", off->most));
  if (off->count > 0)
    ig_warn(r->s->cx,
            "%" PRId64 " vertices of the surface are up to %.3g mm off faces of the case that they "
            "belong on (holes and flanges in `passive`, the part of `grid.stl`), farthest at "
            "(%.5g, %.5g, %.5g) m: take smaller elements, at least two across a flange, or machine "
            "what must fit",
            off->count, 1e3 * off->most, off->at[0], off->at[1], off->at[2]);
  IG_TRY(ig_topopt_draft_put(r, sink, part));
  return ig_topopt_overhang_put(r, sink, part);
}

/* Files of a plane design, at the level at which it has its volume unless another is given. */
static ig_status put_outline(ig_topopt_run *r, ig_sink *sink, double *density, double level) {
  const ig_topopt_design *s = r->s;
  const ig_surface_case *c = &s->c->surface;
  const ig_topopt_grid_model *m = r->d->self;
  const ig_texts none = {0};
  ig_topopt_outline outline = {0};
  double *share, *whole = NULL;
  IG_TRY(IG_NEW(s->cx, &share, (size_t)s->d->places, "part"));
  ig_status status = s->d->inside(s->d->self, density, &level, share);
  free(share);
  if (status == IG_OK)
    status = ig_topopt_part_whole(r, density, &whole);
  const bool here = !ig_topopt_divided(s->d) || ig_ranks_first(s->cx);
  if (status == IG_OK && here)
    status = ig_topopt_outline_make(s->cx, &m->whole, m->h, whole, level,
                                    c->mirror ? &s->c->symmetry : &none, &outline);
  for (int f = 0; f < c->formats.count && status == IG_OK && here; f++)
    status = ig_topopt_outline_write(s->cx, &outline, c->formats.value[f], sink);
  if (status == IG_OK && here)
    status = sink->result(sink, "outline_area", "m^2", outline.area);
  if (status == IG_OK && here)
    status = sink->result(sink, "outline_length", "m", outline.length);
  if (status == IG_OK && here)
    status = sink->result(sink, "outline_polygons", "", outline.polygons);
  ig_topopt_outline_free(&outline);
  free(whole);
  return status;
}

/* *at is the level of the surface on return, `share` the share of each element inside of it.
   Without a surface (plane problems, no formats) only these two are found. */
ig_status ig_topopt_part_put(ig_topopt_run *r, ig_sink *sink, double *density,
                             const uint8_t *touched, double *at, double *share) {
  const ig_topopt_design *s = r->s;
  const ig_surface_case *c = &s->c->surface;
  ig_topopt_part part = {0};
  double wanted = r->e.volume * (double)s->d->elements * s->d->volume;
  double level = c->level; /* any material is solid */
  if (isnan(level) && s->loading->candidates)
    level = 0.5 * s->loading->candidate_density[0];
  *at = level;
  if (!s->d->surface && c->formats.count > 0)
    IG_TRY(put_outline(r, sink, density, level));
  if (!made(r))
    return share ? s->d->inside(s->d->self, density, at, share) : IG_OK;
  ig_status status = s->d->surface(s->d->self, density, level, c->mirror, &part);
  if (status == IG_OK)
    status = remove_islands(r, sink, density, touched, level, &part, &wanted);
  *at = part.level;
  if (status == IG_OK && share)
    status = s->d->inside(s->d->self, density, at, share);
  if (status == IG_OK)
    status = cut_before_projection(r, density, &part);
  const bool here = !ig_topopt_divided(s->d) || ig_ranks_first(s->cx);
  double *whole = NULL;
  ig_surface_off off = {0};
  if (status == IG_OK && !r->job->mesh)
    status = ig_topopt_part_whole(r, density, &whole);
  if (status == IG_OK && here)
    status = finish_surface(r, whole, &part, &off);
  free(whole);
  if (status == IG_OK && here)
    status = put_surface(r, sink, &part, &off, wanted);
  ig_topopt_part_free(&part);
  return status;
}
