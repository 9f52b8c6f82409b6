/* Heat of slabs of a mesh (overheat_mesh.h). One factorization serves the temperatures of a slab
   and their adjoint; nothing of a slab is kept for the next design, whose memory would be that of
   all. */
#include "topopt/design/overheat_mesh.h"
#include "implicit/direct.h"
#include "implicit/system.h"
#include "kern/hd.h"
#include "kern/prec_f64.h"
#include "kern/hex8.inc"
#include "solver/mesh/hex.inc"
#include "solver/mesh/tet.inc"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 10 };

struct ig_overheat_mesh {
  ig_ctx *cx;
  const ig_topopt_build *b;
  int depth;
  int32_t *order, *first; /* elements layer by layer; where each begins, layers + 1 */
  int32_t *low;           /* of nodes: the lowest layer of their elements */
  double *reference;      /* of faces: mean over the solid slab */
  /* the slab at hand: numbers of nodes, -1: not there; nodes of its elements; conductivities */
  int32_t *number, *conn, *element, elements, nodes;
  double *conduct;
  int32_t *leak; /* nodes where heat leaves to plate or powder, and what conducts it there */
  double *leaks;
  int32_t leaking;
  ig_implicit_group group[2];
  ig_system *system;
  ig_direct *direct;
  double *t, *load, *kept; /* of the mesh's nodes: solution, right side; temperatures */
};

/* --- one element --- */

static void positions(const ig_topopt_build *b, int32_t e, double *x) {
  for (int a = 0; a < b->corners; a++)
    memcpy(x + 3 * a, b->x + 3 * (size_t)b->conn[(size_t)e * (size_t)b->corners + (size_t)a],
           3 * sizeof *x);
}

static void conduction(int corners, const double *x, const double *t, double *f) {
  if (corners == 8)
    hex_scalar_f64(x, t, 1, 0, f);
  else
    tet_scalar_f64(x, t, corners, 1, 0, f);
}

static ig_status elements_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end,
                                   double *f, double *k, ig_trouble *trouble) {
  const ig_overheat_mesh *m = self;
  const int n = m->b->corners;
  (void)at, (void)trouble;
  memset(f, 0, (size_t)(end - begin) * (size_t)n * sizeof *f); /* the matrix alone is asked for */
  for (int32_t i = begin; i < end && k; i++, k += n * n) {
    double x[3 * CORNERS], t[CORNERS] = {0};
    positions(m->b, m->element[i], x);
    for (int a = 0; a < n; a++) {
      t[a] = 1;
      conduction(n, x, t, k + a * n); /* symmetric: a column is a row */
      t[a] = 0;
    }
    for (int a = 0; a < n * n; a++)
      k[a] *= m->conduct[i];
  }
  return IG_OK;
}

static ig_status leaks_evaluate(void *self, const ig_trial *at, int32_t begin, int32_t end,
                                double *f, double *k, ig_trouble *trouble) {
  const ig_overheat_mesh *m = self;
  (void)at, (void)trouble;
  for (int32_t i = begin; i < end; i++) {
    f[i - begin] = 0;
    if (k)
      k[i - begin] = m->leaks[i];
  }
  return IG_OK;
}

static ig_status no_history(void *self, const ig_trial *at) {
  (void)self, (void)at;
  return IG_OK;
}

/* --- a slab --- */

static void slab_end(ig_overheat_mesh *m) {
  ig_direct_free(m->direct);
  ig_system_free(m->system);
  m->direct = NULL;
  m->system = NULL;
}

static int32_t node_number(ig_overheat_mesh *m, int32_t node) {
  if (m->number[node] < 0)
    m->number[node] = m->nodes++;
  return m->number[node];
}

/* Elements and nodes of the layers from `low` to `top`. x NULL: all solid. */
static void slab_elements(ig_overheat_mesh *m, const double *x, int low, int top) {
  const ig_topopt_build *b = m->b;
  const size_t n = (size_t)b->corners;
  memset(m->number, 0xff, (size_t)b->nodes * sizeof *m->number);
  m->nodes = m->elements = 0;
  for (int32_t i = m->first[low > 0 ? low : 0]; i < m->first[top + 1]; i++) {
    const int32_t e = m->order[i], at = m->elements++;
    double slope;
    m->element[at] = e;
    m->conduct[at] = x ? ig_overheat_conductivity(x[e], &slope) : 1;
    for (size_t a = 0; a < n; a++)
      m->conn[(size_t)at * n + a] = node_number(m, b->conn[(size_t)e * n + a]);
  }
}

/* On the plate: held at 0, or through what the slab has of the plate. Elsewhere through powder (of
   a solid reference through solid) down to the same depth. */
static void slab_leaks(ig_overheat_mesh *m, bool solid, int low, int top) {
  const ig_topopt_build *b = m->b;
  const double bottom = fmax(0, low * b->height), plate = fmax(0, -low * b->height);
  m->leaking = 0;
  for (int32_t i = 0; i < b->unders; i++) {
    const ig_topopt_build_face *f = &b->under[i];
    const int layer = b->layer[f->element];
    const bool stands = f->height <= 1e-6 * b->height;
    if (layer < low || layer > top || (stands && low >= 0))
      continue;
    const double gap = fmax(f->height - bottom, 0.5 * b->height);
    double zero, conducts = solid ? 1 : ig_overheat_conductivity(0, &zero);
    const double resists = (stands ? 0 : gap / conducts) + plate;
    for (int a = 0; a < b->face_nodes; a++)
      if (b->share[a] > 0) {
        m->leak[m->leaking] = m->number[f->node[a]];
        m->leaks[m->leaking++] = b->share[a] * f->area / resists;
      }
  }
}

static ig_status slab_hold(ig_overheat_mesh *m, int low) {
  const ig_topopt_build *b = m->b;
  for (int32_t i = 0; low > 0 && i < b->nodes; i++)
    if (m->number[i] >= 0 && m->low[i] < low)
      IG_TRY(ig_system_constrain(m->system, m->number[i], 0, NULL, NULL, 0, NULL));
  for (int32_t i = 0; low == 0 && i < b->unders; i++)
    for (int a = 0; a < b->face_nodes && b->under[i].height <= 1e-6 * b->height; a++)
      if (m->number[b->under[i].node[a]] >= 0)
        IG_TRY(
            ig_system_constrain(m->system, m->number[b->under[i].node[a]], 0, NULL, NULL, 0, NULL));
  return IG_OK;
}

static ig_status slab_factor(ig_overheat_mesh *m, int top) {
  ig_system *y = m->system;
  ig_trouble trouble = {.element = -1};
  ig_direct_info info;
  double size[2] = {0}, count[2] = {0}, *zero;
  int group = 0;
  IG_TRY(IG_NEW(m->cx, &zero, 2 * (size_t)y->unknowns, "overheating"));
  const ig_trial at = {.u = zero, .time = 1, .factor = 1};
  const ig_status status = ig_system_assemble(y, 2, m->group, &at, true, NULL, zero + y->unknowns,
                                              size, count, &group, &trouble);
  free(zero);
  IG_TRY(status);
  IG_TRY(ig_direct_new(m->cx, y->equations, y->first, y->column, IG_DIRECT_AUTO, &m->direct));
  IG_TRY(ig_direct_factor(m->direct, y->value, true, &info));
  if (info.zero > 0 || info.negative > 0)
    return IG_FAIL(m->cx, IG_NUMERIC,
                   "overheating: layer %d of the mesh has elements that no heat leaves", top + 1);
  return IG_OK;
}

/* The slab below layer `top`, ready for solutions; x NULL: solid, and on solid. */
static ig_status slab_begin(ig_overheat_mesh *m, const double *x, int top) {
  const ig_topopt_build *b = m->b;
  const int low = top - m->depth + 1;
  slab_end(m);
  slab_elements(m, x, low, top);
  slab_leaks(m, !x, low, top);
  m->group[0] = (ig_implicit_group){.name = "slab",
                                    .self = m,
                                    .count = m->elements,
                                    .unknowns = b->corners,
                                    .unknown = m->conn,
                                    .evaluate = elements_evaluate,
                                    .accept = no_history};
  m->group[1] = (ig_implicit_group){.name = "plate and powder",
                                    .self = m,
                                    .count = m->leaking,
                                    .unknowns = 1,
                                    .unknown = m->leak,
                                    .evaluate = leaks_evaluate,
                                    .accept = no_history};
  IG_TRY(ig_system_new(m->cx, m->nodes, &m->system));
  IG_TRY(slab_hold(m, low));
  IG_TRY(ig_system_close(m->system, 2, m->group));
  return slab_factor(m, top);
}

/* m->t for the right side m->load. */
static ig_status slab_solve(ig_overheat_mesh *m) {
  const ig_topopt_build *b = m->b;
  const ig_system *y = m->system;
  double *f, *r;
  IG_TRY(IG_NEW(m->cx, &f, (size_t)y->unknowns + (size_t)y->equations, "overheating"));
  r = f + y->unknowns;
  for (int32_t i = 0; i < b->nodes; i++)
    if (m->number[i] >= 0)
      f[m->number[i]] = m->load[i];
  ig_system_reduce(y, f, r);
  const ig_status status = ig_direct_solve(m->direct, r);
  ig_system_spread(y, r, f);
  for (int32_t i = 0; i < b->nodes; i++)
    m->t[i] = m->number[i] >= 0 ? f[m->number[i]] : 0;
  free(f);
  return status;
}

/* --- faces that take heat --- */

static double mean(const ig_topopt_build *b, const ig_topopt_build_face *f, const double *t) {
  double sum = 0;
  for (int a = 0; a < b->face_nodes; a++)
    sum += b->share[a] * t[f->node[a]];
  return sum;
}

static void spread(const ig_topopt_build *b, const ig_topopt_build_face *f, double value,
                   double *to) {
  for (int a = 0; a < b->face_nodes; a++)
    to[f->node[a]] += b->share[a] * value;
}

/* Flux where layer `top` is solid; false: it is empty. x NULL: solid. */
static bool layer_load(ig_overheat_mesh *m, const double *x, int top) {
  const ig_topopt_build *b = m->b;
  double all = 0;
  memset(m->load, 0, (size_t)b->nodes * sizeof *m->load);
  for (int32_t i = b->top_first[top]; i < b->top_first[top + 1]; i++) {
    const ig_topopt_build_face *f = &b->top[i];
    const double v = x ? x[f->element] : 1;
    all += v;
    spread(b, f, v * f->area, m->load);
  }
  return all > 1e-6;
}

/* Temperatures of the slab below layer `top` into m->t; *hot false: it is empty. */
static ig_status layer_solve(ig_overheat_mesh *m, const double *x, int top, bool *hot) {
  *hot = layer_load(m, x, top);
  if (!*hot)
    return IG_OK;
  IG_TRY(slab_begin(m, x, top));
  return slab_solve(m);
}

/* The right side of the adjoint system is left in m->load. */
static void layer_sum(ig_overheat_mesh *m, const double *x, const double *count, int top,
                      double *sum, double *most, double *slope) {
  const ig_topopt_build *b = m->b;
  const double exponent = IG_OVERHEAT_EXPONENT;
  memset(m->load, 0, (size_t)b->nodes * sizeof *m->load);
  for (int32_t i = b->top_first[top]; i < b->top_first[top + 1]; i++) {
    const ig_topopt_build_face *f = &b->top[i];
    const double hot = mean(b, f, m->t) / m->reference[i], v = x[f->element];
    if (count[f->element] == 0 || hot <= 0)
      continue;
    const double pth = pow(hot, exponent);
    *sum += v * pth;
    *most = fmax(*most, pow(fmax(v, 0), 1 / exponent) * hot);
    slope[f->element] += pth;
    spread(b, f, v * exponent * pth / hot / m->reference[i], m->load);
  }
}

/* m->t has the adjoint, m->kept the temperatures. */
static void layer_slope(ig_overheat_mesh *m, const double *x, int top, double *slope) {
  const ig_topopt_build *b = m->b;
  const int n = b->corners;
  for (int32_t i = b->top_first[top]; i < b->top_first[top + 1]; i++)
    slope[b->top[i].element] += mean(b, &b->top[i], m->t) * b->top[i].area;
  for (int32_t i = 0; i < m->elements; i++) {
    const int32_t e = m->element[i];
    const int32_t *node = b->conn + (size_t)e * (size_t)n;
    double at[3 * CORNERS], t[CORNERS], f[CORNERS], energy = 0, by;
    positions(b, e, at);
    for (int a = 0; a < n; a++)
      t[a] = m->kept[node[a]];
    conduction(n, at, t, f);
    for (int a = 0; a < n; a++)
      energy += m->t[node[a]] * f[a];
    (void)ig_overheat_conductivity(x[e], &by);
    slope[e] -= by * energy;
  }
}

ig_status ig_overheat_mesh_add(ig_overheat_mesh *m, const double *x, const double *count, int top,
                               double *sum, double *most, double *slope) {
  bool hot;
  ig_status status = layer_solve(m, x, top, &hot);
  if (status == IG_OK && hot) {
    layer_sum(m, x, count, top, sum, most, slope);
    double *const kept = m->kept;
    m->kept = m->t;
    m->t = kept;
    status = slab_solve(m);
    if (status == IG_OK)
      layer_slope(m, x, top, slope);
  }
  slab_end(m);
  return status;
}

ig_status ig_overheat_mesh_most(ig_overheat_mesh *m, const double *x, const double *count, int top,
                                double *most) {
  const ig_topopt_build *b = m->b;
  bool hot;
  const ig_status status = layer_solve(m, x, top, &hot);
  slab_end(m);
  *most = 0;
  for (int32_t i = b->top_first[top]; status == IG_OK && hot && i < b->top_first[top + 1]; i++) {
    const int32_t e = b->top[i].element;
    if (x[e] > 0.5 && (!count || count[e] > 0))
      *most = fmax(*most, mean(b, &b->top[i], m->t) / m->reference[i]);
  }
  return status;
}

/* --- making it --- */

/* Elements by layers, and of nodes the lowest layer they touch. */
static ig_status sort(ig_overheat_mesh *m) {
  const ig_topopt_build *b = m->b;
  const size_t n = (size_t)b->corners;
  IG_TRY(IG_NEW(m->cx, &m->order, b->elements, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->first, (size_t)b->layers + 2, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->low, b->nodes, "overheating"));
  for (int32_t e = 0; e < b->elements; e++)
    m->first[b->layer[e] + 2]++;
  for (int k = 0; k < b->layers; k++)
    m->first[k + 2] += m->first[k + 1];
  for (int32_t e = 0; e < b->elements; e++)
    m->order[m->first[b->layer[e] + 1]++] = e;
  for (int32_t i = 0; i < b->nodes; i++)
    m->low[i] = b->layers;
  for (size_t i = 0; i < (size_t)b->elements * n; i++) {
    int32_t *low = &m->low[b->conn[i]];
    *low = b->layer[i / n] < *low ? b->layer[i / n] : *low;
  }
  return IG_OK;
}

static ig_status make(ig_overheat_mesh *m) {
  const ig_topopt_build *b = m->b;
  const size_t n = (size_t)b->elements, leaks = (size_t)b->unders * (size_t)b->face_nodes + 1;
  bool hot;
  IG_TRY(sort(m));
  IG_TRY(IG_NEW(m->cx, &m->number, b->nodes, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->conn, n * (size_t)b->corners, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->element, n, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->conduct, n, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->leak, leaks, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->leaks, leaks, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->t, b->nodes, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->kept, b->nodes, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->load, b->nodes, "overheating"));
  IG_TRY(IG_NEW(m->cx, &m->reference, (size_t)b->top_first[b->layers] + 1, "overheating"));
  for (int top = 0; top < b->layers; top++) {
    IG_TRY(layer_solve(m, NULL, top, &hot));
    for (int32_t i = b->top_first[top]; i < b->top_first[top + 1]; i++)
      m->reference[i] = fmax(mean(b, &b->top[i], m->t), 1e-3 * b->height);
  }
  slab_end(m);
  return IG_OK;
}

ig_status ig_overheat_mesh_new(ig_ctx *cx, const ig_topopt_build *build, int depth,
                               ig_overheat_mesh **to) {
  ig_overheat_mesh *m;
  *to = NULL;
  IG_TRY(IG_NEW(cx, &m, 1, "overheating"));
  m->cx = cx;
  m->b = build;
  m->depth = depth;
  *to = m;
  return make(m);
}

void ig_overheat_mesh_free(ig_overheat_mesh *m) {
  if (!m)
    return;
  slab_end(m);
  void *const arrays[] = {m->order, m->first,   m->low,  m->reference, m->number,
                          m->conn,  m->element, m->leak, m->leaks,     m->conduct,
                          m->t,     m->kept,    m->load};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
  free(m);
}
