/* The beams of a fine step in a cluster of blocks (fine_cuda.cu), worked out by one warp of each
   block while the others take the step before: where they are, a lane a step, for 32 steps at once;
   then their shares along x and y, step by step. After beam.inc. */

/* spots of a step in a window; cells along x or y that a spot reaches; steps looked at together */
enum { SPOTS = 4, REACH = 48, LANES = 32 };

/* Spots of a step, and their shares along x and y. */
struct window_light {
  int count, first[SPOTS][2], n[SPOTS][2];
  double joule[SPOTS], share[SPOTS][2][REACH], below[2][REACH + 1];
};
/* The window, for light: its corner, its cells. */
struct light_grid {
  double low[2], h, radius;
  int n[2];
};
/* Where the spots of some steps are. */
struct window_spots {
  light_grid grid;
  int count[LANES];
  double x[LANES][SPOTS][2], joule[LANES][SPOTS];
};

/* A spot's shares, by one warp: half of it along x, half along y. */
static __device__ __forceinline__ void light_share(const light_grid &g, const double *x, int spot,
                                                   window_light *light) {
  const int lane = (int)threadIdx.x & 15, d = (int)threadIdx.x >> 4 & 1;
  const double at = d ? x[1] : x[0], low = d ? g.low[1] : g.low[0];
  int first, end;
  powder_reach(d ? g.n[1] : g.n[0], low, g.h, at, g.radius, &first, &end);
  const int n = end > first ? (end - first < REACH ? end - first : REACH) : 0;
  for (int i = lane; i <= n; i += 16)
    light->below[d][i] = powder_share_below(first + i, low, g.h, at, g.radius);
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

/* Spots of 32 steps from `first` on. `piece`: where each way is at the lane's step, or before. */
static __device__ __noinline__ void light_spots(const ig_powder_view &v, const ig_powder_window &w,
                                                int64_t *piece, int first, window_spots *spots) {
  const int lane = (int)threadIdx.x & 31;
  const double time = ig_powder_fine_at(&v.a, first + lane),
               dt = ig_powder_fine_dt(&v.a, first + lane), h = w.fine.edge;
  int count = 0;
  if (lane < 2) {
    spots->grid.low[lane] = v.low[lane] + w.box.at[lane] * h * v.r;
    spots->grid.n[lane] = w.fine.n[lane];
    spots->grid.h = h;
    spots->grid.radius = v.radius;
  }
  for (int b = 0; b < w.beams; b++) {
    const ig_powder_way *way = &v.way[w.beam[b]];
    int64_t at = piece[b];
    while (at + 1 < way->count && way->t[at + 1] <= time)
      at++;
    piece[b] = at;
    powder_spot s = {at, -1, 0, 0, 0};
    double x[2], joule;
    while (count < SPOTS && powder_spot_next(way, time, dt, v.radius, &s, x, &joule)) {
      spots->x[lane][count][0] = x[0];
      spots->x[lane][count][1] = x[1];
      spots->joule[lane][count] = joule;
      count++;
    }
  }
  spots->count[lane] = count;
  __syncwarp();
}

/* The beams of step `n`, by one warp. */
static __device__ __noinline__ void light_look(int n, const window_spots *spots,
                                               window_light *light) {
  const int at = n % LANES, count = spots->count[at];
  const light_grid g = spots->grid;
  for (int i = 0; i < count; i++) {
    light_share(g, spots->x[at][i], i, light);
    if ((threadIdx.x & 31) == 0)
      light->joule[i] = spots->joule[at][i];
  }
  if ((threadIdx.x & 31) == 0)
    light->count = count;
  __syncwarp(); /* before other spots come in the place of these */
}

/* Whether no step has more spots, or wider ones, than there is room for, and all of them the same
   kind of keyhole, which goes to v->a.kind. Runs the same search on the host, step by step, before
   the launch: a kernel could not report back in time. */
static bool light_fits(ig_powder_view *v, const ig_powder_window *w, const ig_powder_way *ways,
                       int steps) {
  int kind = -1;
  bool lit = false;
  if (v->within) /* shares are no products */
    return false;
  if (5 * v->radius / w->fine.edge + 2 > REACH)
    return false;
  for (int n = 0; n < steps; n++) {
    int count = 0;
    for (int b = 0; b < w->beams; b++) {
      const ig_powder_way *way = &ways[w->beam[b]];
      powder_spot s = {way->piece, -1, 0, 0, 0};
      double x[2], joule;
      while (count <= SPOTS &&
             powder_spot_next(way, ig_powder_fine_at(&v->a, n), ig_powder_fine_dt(&v->a, n),
                              v->radius, &s, x, &joule)) {
        const int here = powder_kind(way, s.piece);
        if (lit && here != kind)
          return false;
        kind = here;
        lit = true;
        count++;
      }
    }
    if (count > SPOTS)
      return false;
  }
  for (int b = 0; b < w->beams; b++)
    v->a.kind[w->beam[b]] = kind;
  return true;
}
