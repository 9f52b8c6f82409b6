/* Paths of the beams: from files, rasters, or the case's hatch. The hatch makes the paths of all
   its lasers at once; beams take them over by their number. */
#include "thermal/thermal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each laser of the hatch is one beam's, and no more than one's. */
static ig_status lasers_check(ig_ctx *cx, const ig_thermal_case *c) {
  uint64_t taken = 0;
  for (int i = 0; i < c->beams.count; i++) {
    const ig_beam_case *b = IG_ITEM(const ig_beam_case, c->beams, i);
    if (b->laser == 0)
      continue;
    if (!c->hatch.at.given)
      return ig_fail_at(cx, &b->at, "laser %lld: the case has no `hatch`", (long long)b->laser);
    if (b->laser > c->hatch.lasers)
      return ig_fail_at(cx, &b->at, "laser %lld: `hatch` has %lld", (long long)b->laser,
                        (long long)c->hatch.lasers);
    if (taken >> (b->laser - 1) & 1)
      return ig_fail_at(cx, &b->at, "laser %lld is another beam's already", (long long)b->laser);
    taken |= (uint64_t)1 << (b->laser - 1);
  }
  for (int64_t k = 0; c->hatch.at.given && k < c->hatch.lasers; k++)
    if (!(taken >> k & 1))
      return ig_fail_at(cx, &c->hatch.at,
                        "no beam has laser %lld of this hatch: give one `laser: %lld`",
                        (long long)k + 1, (long long)k + 1);
  return IG_OK;
}

/* Pieces with the beam on become no longer than `segment`, each divided evenly. */
static ig_status path_divide(ig_ctx *cx, const ig_src *at, double segment, ig_toolpath *path) {
  const double most = 1e7; /* 0.4 GB */
  double all = 0;
  for (int64_t i = 0; i + 1 < path->count; i++)
    if (path->power[i] > 0)
      all += sqrt(pow(path->x[3 * i + 3] - path->x[3 * i], 2) +
                  pow(path->x[3 * i + 4] - path->x[3 * i + 1], 2) +
                  pow(path->x[3 * i + 5] - path->x[3 * i + 2], 2));
  if (all / segment > most)
    return ig_fail_at(cx, at,
                      "`segment` of %g m divides a path of %g m into %.3g pieces: at most %g",
                      segment, all, all / segment, most);
  ig_toolpath fine = {0};
  ig_status status = IG_OK;
  for (int64_t i = 0; i < path->count && status == IG_OK; i++) {
    const bool last = i + 1 == path->count;
    const double *a = path->x + 3 * i, *b = last ? a : a + 3;
    const double length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                               (b[2] - a[2]) * (b[2] - a[2]));
    const double needed = path->power[i] > 0 ? ceil(length / segment * (1 - 1e-9)) : 1;
    const int64_t parts = needed < 1 ? 1 : needed > 1e9 ? 1000000000 : (int64_t)needed;
    for (int64_t k = 0; k < parts && status == IG_OK; k++) {
      const double share = (double)k / (double)parts;
      const double x[3] = {a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]),
                           a[2] + share * (b[2] - a[2])};
      const double t = last ? path->t[i] : path->t[i] + share * (path->t[i + 1] - path->t[i]);
      status = ig_toolpath_add(cx, &fine, t, x, path->power[i]);
    }
  }
  memcpy(fine.direction, path->direction, sizeof fine.direction);
  ig_toolpath_free(path);
  *path = fine;
  return status;
}

/* What `segment` and `powers` of a beam make of its path. After the last point it is off: so many
   powers as pieces, or one more, as a gradient lists them. */
static ig_status path_change(ig_ctx *cx, const ig_beam_case *b, ig_toolpath *path) {
  if (b->segment > 0)
    IG_TRY(path_divide(cx, &b->at, b->segment, path));
  const int64_t pieces = path->count > 0 ? path->count - 1 : 0;
  if (b->powers.count == 0)
    return IG_OK;
  if (b->powers.count != pieces && b->powers.count != path->count)
    return ig_fail_at(cx, &b->at, "`powers` has %d numbers: the path has %lld pieces",
                      b->powers.count, (long long)pieces);
  memcpy(path->power, b->powers.value, (size_t)b->powers.count * sizeof *path->power);
  return IG_OK;
}

/* A path is moved, not copied, from the hatch to its beam; what no beam has taken is freed. */
ig_status ig_thermal_paths(ig_ctx *cx, const ig_thermal_case *c, ig_toolpath *paths) {
  IG_TRY(lasers_check(cx, c));
  ig_toolpath *made = NULL;
  ig_status status = IG_OK;
  if (c->hatch.at.given) {
    IG_TRY(IG_NEW(cx, &made, c->hatch.lasers, "toolpaths"));
    status = ig_hatch_make(cx, &c->hatch, made);
  }
  for (int i = 0; i < c->beams.count && status == IG_OK; i++) {
    const ig_beam_case *b = IG_ITEM(const ig_beam_case, c->beams, i);
    if (b->laser > 0 && !b->path.at.given && !b->raster.at.given) {
      paths[i] = made[b->laser - 1];
      memset(&made[b->laser - 1], 0, sizeof *made);
    } else {
      status = ig_beam_path(cx, b, &paths[i]);
    }
    if (status == IG_OK)
      status = path_change(cx, b, &paths[i]);
  }
  for (int64_t k = 0; made && k < c->hatch.lasers; k++)
    ig_toolpath_free(&made[k]);
  free(made);
  return status;
}

ig_status ig_thermal_path(ig_ctx *cx, const void *room_case, int beam, ig_toolpath *path) {
  const ig_thermal_case *c = room_case;
  ig_toolpath *paths;
  if (beam < 0 || beam >= c->beams.count)
    return ig_fail_at(cx, &c->at, "beam %d of %d", beam + 1, c->beams.count);
  IG_TRY(IG_NEW(cx, &paths, c->beams.count, "toolpaths"));
  const ig_status status = ig_thermal_paths(cx, c, paths);
  if (status == IG_OK) {
    *path = paths[beam];
    memset(&paths[beam], 0, sizeof *paths);
  }
  for (int i = 0; i < c->beams.count; i++)
    ig_toolpath_free(&paths[i]);
  free(paths);
  return status;
}
