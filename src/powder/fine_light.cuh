/* The beams of a fine step in a cluster of blocks (fine_cuda.cu), worked out by one warp of each
   block: where they are, and their shares along x and y. After beam.inc. */

enum { SPOTS = 4, REACH = 48 };

/* Spots of a step, and their shares along x and y. */
struct window_light {
  int count, first[SPOTS][2], n[SPOTS][2];
  double joule[SPOTS], share[SPOTS][2][REACH], below[2][REACH + 1];
};

/* A spot's shares, by one warp: half of it along x, half along y. */
static __device__ __forceinline__ void light_share(const ig_powder_view &v,
                                                   const ig_powder_window &w, const double *x,
                                                   int spot, window_light *light) {
  const int lane = (int)threadIdx.x & 15, d = (int)threadIdx.x >> 4 & 1;
  const double h = w.fine.edge, at = d ? x[1] : x[0],
               low = (d ? v.low[1] : v.low[0]) + (d ? w.box.at[1] : w.box.at[0]) * h * v.r;
  int first, end;
  powder_reach(d ? w.fine.n[1] : w.fine.n[0], low, h, at, v.radius, &first, &end);
  const int n = end > first ? (end - first < REACH ? end - first : REACH) : 0;
  for (int i = lane; i <= n; i += 16)
    light->below[d][i] = powder_share_below(first + i, low, h, at, v.radius);
  __syncwarp();
  for (int i = lane; i < n; i += 16)
    light->share[spot][d][i] =
        (light->below[d][i + 1] - light->below[d][i]) / (light->below[d][n] - light->below[d][0]);
  if (lane == 0) {
    light->first[spot][d] = first;
    light->n[spot][d] = n;
  }
  __syncwarp();
}

/* The beams of a step, by one warp. `piece`: where each way is. */
static __device__ __noinline__ void light_look(const ig_powder_view &v, const ig_powder_window &w,
                                               int64_t *piece, double time, double dt,
                                               window_light *light) {
  int count = 0;
  for (int b = 0; b < w.beams; b++) {
    const ig_powder_way *way = &v.way[w.beam[b]];
    int64_t at = piece[b];
    while (at + 1 < way->count && way->t[at + 1] <= time)
      at++;
    piece[b] = at;
    powder_spot s = {at, -1, 0, 0, 0};
    double x[2], joule;
    while (count < SPOTS && powder_spot_next(way, time, dt, v.radius, &s, x, &joule)) {
      light_share(v, w, x, count, light);
      if ((threadIdx.x & 31) == 0)
        light->joule[count] = joule;
      count++;
    }
  }
  if ((threadIdx.x & 31) == 0)
    light->count = count;
}

/* Whether no step has more spots, or wider ones, than there is room for. */
static bool light_fits(const ig_powder_view *v, const ig_powder_window *w,
                       const ig_powder_way *ways, int steps) {
  if (5 * v->radius / w->fine.edge + 2 > REACH)
    return false;
  for (int n = 0; n < steps; n++) {
    int count = 0;
    for (int b = 0; b < w->beams; b++) {
      const ig_powder_way *way = &ways[w->beam[b]];
      powder_spot s = {way->piece, -1, 0, 0, 0};
      double x[2], joule;
      while (count <= SPOTS &&
             powder_spot_next(way, v->a.time + n * v->a.dt, v->a.dt, v->radius, &s, x, &joule))
        count++;
    }
    if (count > SPOTS)
      return false;
  }
  return true;
}
