/* Supports and loads of the case on the nodes of a finished part.

   Supports prescribe components of all nodes in their region. A force acts as a uniform traction on
   the faces of the surface in its region; where the region has no faces (a point, a line, places
   inside) the nodes share it equally. A pressure acts on faces, a moment by forces that grow with
   the distance from the middle of its nodes, weight on elements. Everything becomes forces of
   nodes, so that two programs that read them solve the same system. */
#include "finish/finish.h"
#include "core/number.h"
#include "mesh/face_share.h"
#include "mesh/geometry.h"
#include "mesh/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Points this close to a region are in it, in elements of the design: the surface follows curved
   walls by chords. Where a region has nothing, nodes further away are taken. */
#define NEAR 0.1
static const double further[] = {NEAR, 0.5, 1, 2};
enum { FURTHER = sizeof further / sizeof *further };

/* What one image of a region selects. `weight` of nodes: their share of the faces' area, or 1. */
typedef struct {
  ig_finished *f;
  ig_finish_model *m;
  ig_finish_region region;
  int image;
  double *weight; /* nodes; 0: not selected */
  double sum;     /* of weights */
  double area;    /* 0: nodes share equally */
  double pressed; /* area under a pressure, m^2 */
  double weighs;  /* mass of elements with weight, kg */
  ig_lid nodes;
} choice;

/* A face of straight edges: the integrals of shape functions are 0 at corners and a third of the
   area at the nodes between them. */
static double face_of(const ig_finish_model *m, ig_lid i, ig_lid node[8], double middle[3],
                      double normal[3]) {
  const ig_mesh *mesh = m->mesh;
  (void)ig_mesh_face_nodes(mesh, m->boundary.element[i], m->boundary.face[i], node);
  const double *a = mesh->x + 3 * (size_t)node[0], *b = mesh->x + 3 * (size_t)node[1],
               *c = mesh->x + 3 * (size_t)node[2];
  double square = 0;
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, g = (d + 2) % 3;
    normal[d] = ((b[e] - a[e]) * (c[g] - a[g]) - (b[g] - a[g]) * (c[e] - a[e])) / 2;
    middle[d] = (a[d] + b[d] + c[d]) / 3;
    square += normal[d] * normal[d];
  }
  return sqrt(square);
}

/* --- the part of a face that is in one image of the region */

typedef struct {
  const choice *c;
  double corner[3][3], tangent[8][3];
  double share[6]; /* integrals of the shape functions over that part, per area of the face */
} cut;

/* Whether a point of the face counts. The region is widened by the tolerance, as the surface may
   lie beside it, and narrowed by as much along the face: it keeps its outline, and faces across it
   have no part of it. */
static bool cut_has(const cut *k, const double l[3]) {
  const ig_finished *f = k->c->f;
  const double tolerance = NEAR * f->edge;
  double x[3], y[3];
  for (int d = 0; d < 3; d++)
    x[d] = l[0] * k->corner[0][d] + l[1] * k->corner[1][d] + l[2] * k->corner[2][d];
  if (!ig_finish_image_owns(f, k->c->image, x))
    return false;
  ig_finish_mirror(f, k->c->image, x, y);
  bool in = ig_finish_region_has(&k->c->region, y, tolerance);
  for (int i = 0; i < 8 && in; i++) {
    double moved[3];
    for (int d = 0; d < 3; d++)
      x[d] = l[0] * k->corner[0][d] + l[1] * k->corner[1][d] + l[2] * k->corner[2][d] +
             tolerance * k->tangent[i][d];
    ig_finish_mirror(f, k->c->image, x, moved);
    in = ig_finish_region_has(&k->c->region, moved, tolerance);
  }
  return in;
}

/* Quadratic shape functions at a point; corners, then the nodes between 0-1, 1-2, 2-0. */
static void cut_add(cut *k, const double l[3], double weight) {
  for (int a = 0; a < 3; a++) {
    k->share[a] += weight * l[a] * (2 * l[a] - 1);
    k->share[3 + a] += weight * 4 * l[a] * l[(a + 1) % 3];
  }
}

/* A triangle of the face, corners in its coordinates: where they and the middle do not agree, its
   four quarters. */
static void cut_divide(cut *k, double t[3][3], int depth) {
  enum { DEEPEST = 7 };
  double middle[3], between[3][3];
  for (int i = 0; i < 3; i++) {
    middle[i] = (t[0][i] + t[1][i] + t[2][i]) / 3;
    for (int a = 0; a < 3; a++)
      between[a][i] = (t[a][i] + t[(a + 1) % 3][i]) / 2;
  }
  const bool in = cut_has(k, middle);
  bool same = depth > 2; /* the corner of a region may lie between corners of the face */
  for (int a = 0; a < 3 && same && depth < DEEPEST; a++) {
    double l[3]; /* not on the edge itself */
    for (int i = 0; i < 3; i++)
      l[i] = 0.999 * t[a][i] + 0.001 * middle[i];
    same = cut_has(k, l) == in;
  }
  if (!same && depth < DEEPEST) {
    for (int a = 0; a < 3; a++) {
      double corner[3][3];
      memcpy(corner[0], t[a], sizeof corner[0]);
      memcpy(corner[1], between[a], sizeof corner[1]);
      memcpy(corner[2], between[(a + 2) % 3], sizeof corner[2]);
      cut_divide(k, corner, depth + 1);
    }
    cut_divide(k, between, depth + 1);
    return;
  }
  for (int a = 0; a < 3 && in; a++) /* exact for quadratic functions */
    cut_add(k, between[a], pow(0.25, depth) / 3);
}

/* Whether the region may have a point within `reach` of x: what is far from it is found at once.
   From then on the region is asked about points there alone. */
static ig_status near_image(choice *c, const double x[3], double reach, bool *near) {
  double y[3];
  const double tolerance = NEAR * c->f->edge;
  ig_finish_mirror(c->f, c->image, x, y);
  IG_TRY(ig_finish_region_focus(&c->region, y, reach + 3 * tolerance));
  *near = ig_finish_region_has(&c->region, y, reach + tolerance);
  return IG_OK;
}

/* Area of the part of face i that is in the region; share: what of it belongs to each node. */
static ig_status face_cut(choice *c, ig_lid i, ig_lid node[8], double normal[3], double share[6],
                          double *part) {
  double middle[3], all[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  cut k = {.c = c};
  const double area = face_of(c->m, i, node, middle, normal);
  double reach = 0; /* of corners from the middle */
  int least = 0;
  for (int a = 0; a < 3; a++)
    for (int d = 0; d < 3; d++)
      reach += fabs(c->m->mesh->x[3 * (size_t)node[a] + (size_t)d] - middle[d]);
  memset(share, 0, 6 * sizeof *share);
  bool near;
  *part = 0;
  IG_TRY(near_image(c, middle, reach, &near));
  if (!near)
    return IG_OK;
  for (int d = 0; d < 3; d++) {
    least = fabs(normal[d]) < fabs(normal[least]) ? d : least;
    memcpy(k.corner[d], c->m->mesh->x + 3 * (size_t)node[d], sizeof k.corner[d]);
  }
  double u[3], v[3], length = 0;
  for (int d = 0; d < 3; d++) { /* an axis in the face, as near as there is one */
    u[d] = (d == least) - normal[least] * normal[d] / (area * area);
    length += u[d] * u[d];
  }
  for (int d = 0; d < 3; d++)
    u[d] /= sqrt(length);
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, g = (d + 2) % 3;
    v[d] = (normal[e] * u[g] - normal[g] * u[e]) / area;
  }
  for (int a = 0; a < 8; a++)
    for (int d = 0; d < 3; d++)
      k.tangent[a][d] = cos(atan(1) * a) * u[d] + sin(atan(1) * a) * v[d];
  cut_divide(&k, all, 0);
  for (int a = 0; a < 6; a++) {
    share[a] = k.share[a] * area;
    *part += share[a];
  }
  return IG_OK;
}

/* Faces in the region, each by its part there. */
static ig_status faces_choose(choice *c) {
  for (ig_lid i = 0; i < c->m->boundary.count; i++) {
    ig_lid node[8];
    double normal[3], share[6], area;
    IG_TRY(face_cut(c, i, node, normal, share, &area));
    c->area += area;
    for (int a = 0; a < 6; a++)
      c->weight[node[a]] += share[a];
  }
  c->sum = c->area;
  return IG_OK;
}

static void nodes_choose(choice *c, double tolerance) {
  for (ig_lid n = 0; n < c->m->mesh->nodes; n++) {
    const bool in =
        ig_finish_image_has(&c->region, c->image, c->m->mesh->x + 3 * (size_t)n, tolerance);
    c->weight[n] = in ? 1 : 0;
    c->nodes += in;
  }
  c->sum = c->nodes;
}

/* Nodes in the region, or those next to it. */
static void nodes_near(choice *c) {
  for (int i = 0; i < FURTHER && c->nodes == 0; i++)
    nodes_choose(c, further[i] * c->f->edge);
}

/* What carries a force: faces, or nodes where there are none. */
static ig_status carriers_choose(choice *c) {
  IG_TRY(faces_choose(c));
  ig_finish_region_widen(&c->region);
  if (!(c->area > 0))
    nodes_near(c);
  return IG_OK;
}

static void choice_begin(choice *c, int image) {
  c->image = image;
  c->sum = c->area = c->pressed = c->weighs = 0;
  c->nodes = 0;
  memset(c->weight, 0, (size_t)c->m->mesh->nodes * sizeof *c->weight);
}

/* --- supports */

static ig_status bits_read(ig_ctx *cx, const ig_hold_case *hold, uint8_t *bits) {
  ig_support_case support = ig_support_fix(NULL, hold->fix);
  ig_support_motion motion;
  support.at = hold->at;
  IG_TRY(ig_support_read(cx, &support, 3, &motion));
  *bits = 0;
  for (int d = 0; d < 3; d++)
    if (motion.kind[d] == IG_MOVE_FIXED)
      *bits |= (uint8_t)(1 << d);
  return IG_OK;
}

static void support_put(choice *c, const ig_hold_case *hold, uint8_t bits) {
  double value[3], turned[3];
  for (int d = 0; d < 3; d++)
    value[d] = isnan(hold->displacement[d]) ? 0 : hold->displacement[d];
  ig_finish_turn(c->image, value, turned);
  for (ig_lid n = 0; n < c->m->mesh->nodes; n++)
    for (int d = 0; d < 3 && c->weight[n] > 0; d++)
      if (bits >> d & 1) {
        c->m->fix[n] |= (uint8_t)(1 << d);
        c->m->value[3 * (size_t)n + (size_t)d] = turned[d];
      }
}

static ig_status support_add(choice *c, int number, const ig_hold_case *hold, bool report) {
  ig_finished *f = c->f;
  uint8_t bits;
  ig_lid nodes = 0;
  IG_TRY(bits_read(f->cx, hold, &bits));
  IG_TRY(ig_finish_region_open(f, &hold->at, hold->set, &hold->place, &c->region));
  for (int image = 0; image < 8; image++) {
    if (!ig_finish_image_is(f, image))
      continue;
    choice_begin(c, image);
    nodes_near(c);
    support_put(c, hold, bits);
    nodes += c->nodes;
  }
  if (nodes == 0 && report)
    ig_finish_warn(f, "support %d touches no part of the finished surface", number);
  if (report)
    ig_info(f->cx, "support %d: %d nodes", number, nodes);
  return IG_OK;
}

/* --- rigid motions that supports leave */

/* Displacement of component d of a point by the six rigid motions, lengths over `scale`. */
static void rigid_row(const ig_finished *f, const double *x, int d, double row[6]) {
  double scale = 0;
  for (int k = 0; k < 3; k++)
    scale = fmax(scale, f->high[k] - f->low[k]);
  memset(row, 0, 6 * sizeof *row);
  row[d] = 1;
  const int e = (d + 1) % 3, g = (d + 2) % 3;
  row[3 + e] = (x[g] - f->low[g]) / scale; /* rotation w: u = w x r */
  row[3 + g] = -(x[e] - f->low[e]) / scale;
}

/* Adds a row to those in echelon form; false: it depends on them. */
static bool row_take(double basis[6][6], bool have[6], double row[6]) {
  for (int k = 0; k < 6; k++) {
    if (fabs(row[k]) < 1e-6)
      continue;
    if (!have[k]) {
      for (int i = 5; i >= 0; i--)
        basis[k][i] = row[i] / row[k];
      have[k] = true;
      return true;
    }
    const double by = row[k];
    for (int i = 0; i < 6; i++)
      row[i] -= by * basis[k][i];
  }
  return false;
}

/* Components that are prescribed enter the basis; *rank of them are independent. */
static void rigid_start(const ig_finished *f, const ig_finish_model *m, double basis[6][6],
                        bool have[6], int *rank) {
  *rank = 0;
  for (ig_lid n = 0; n < m->mesh->nodes && *rank < 6; n++)
    for (int d = 0; d < 3 && m->fix[n]; d++)
      if (m->fix[n] >> d & 1) {
        double row[6];
        rigid_row(f, m->mesh->x + 3 * (size_t)n, d, row);
        *rank += row_take(basis, have, row);
      }
}

/* Planes of symmetry hold a half model; in the whole part the nodes nearest to them do, as many as
   rigid motions are left. Displacements across the plane are zero there by symmetry. */
static ig_status rigid_hold(ig_finished *f, ig_finish_model *m) {
  double basis[6][6] = {{0}};
  bool have[6] = {false};
  int rank;
  rigid_start(f, m, basis, have, &rank);
  for (int d = 0; d < 3; d++)
    for (int tries = 0; tries < 3 && rank < 6 && !isnan(f->plane[d]); tries++) {
      double best = INFINITY;
      ig_lid at = -1;
      for (ig_lid n = 0; n < m->mesh->nodes; n++) {
        double row[6], copy[6][6];
        bool had[6];
        const double by = fabs(m->mesh->x[3 * (size_t)n + (size_t)d] - f->plane[d]);
        if (by >= best)
          continue;
        memcpy(copy, basis, sizeof copy);
        memcpy(had, have, sizeof had);
        rigid_row(f, m->mesh->x + 3 * (size_t)n, d, row);
        if (row_take(copy, had, row)) {
          best = by;
          at = n;
        }
      }
      if (at < 0)
        break;
      double row[6];
      rigid_row(f, m->mesh->x + 3 * (size_t)at, d, row);
      rank += row_take(basis, have, row);
      m->fix[at] |= (uint8_t)(1 << d);
    }
  return rank == 6 ? IG_OK
                   : IG_FAIL(f->cx, IG_INPUT,
                             "the supports of the case leave the finished part free to move: it "
                             "has no material where they are, or they hold too little");
}

/* A model that is not mirrored: nodes on planes of symmetry stay there. */
static void planes_hold(const ig_finished *f, ig_finish_model *m) {
  for (ig_lid n = 0; n < m->mesh->nodes; n++)
    for (int d = 0; d < 3; d++)
      if (!isnan(f->plane[d]) && !f->mirrored[d] &&
          fabs(m->mesh->x[3 * (size_t)n + (size_t)d] - f->plane[d]) < 1e-3 * f->edge)
        m->fix[n] |= (uint8_t)(1 << d);
}

/* What supports prescribe of displacements without the free expansion. */
static void expansion_take(const ig_finished *f, ig_finish_model *m) {
  for (ig_lid n = 0; n < m->mesh->nodes; n++)
    for (int d = 0; d < 3; d++)
      if (m->fix[n] >> d & 1)
        m->value[3 * (size_t)n + (size_t)d] -= ig_finish_expanded(f, m->mesh->x + 3 * (size_t)n, d);
}

/* --- loads */

static void force_share(const choice *c, const double force[3], double *to) {
  for (ig_lid n = 0; n < c->m->mesh->nodes; n++)
    for (int d = 0; d < 3 && c->weight[n] != 0; d++)
      to[3 * (size_t)n + (size_t)d] += force[d] * c->weight[n] / c->sum;
}

/* Nodes of the design in a region, each of which has the whole force. */
static ig_status design_nodes(const choice *c, const ig_load_case *load, double *count) {
  const ig_finished *f = c->f;
  const ig_mesh *mesh = f->job.mesh;
  const double tolerance = 1e-6 * f->edge;
  int64_t found = 0;
  if (f->t->grid.stl)
    return ig_fail_at(f->cx, &load->at,
                      "finish: 'spread: each' on a grid with 'stl' is not supported: give the "
                      "whole force and 'spread: nodes'");
  for (ig_lid n = 0; mesh && n < mesh->nodes; n++)
    found += ig_finish_region_has(&c->region, mesh->x + 3 * (size_t)n, tolerance);
  const int64_t *e = f->t->grid.elements;
  for (int64_t i = 0; !mesh && i < (e[0] + 1) * (e[1] + 1) * (e[2] + 1); i++) {
    const int64_t at[3] = {i % (e[0] + 1), i / (e[0] + 1) % (e[1] + 1),
                           i / (e[0] + 1) / (e[1] + 1)};
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = f->low[d] + (f->high[d] - f->low[d]) * (double)at[d] / (double)e[d];
    found += ig_finish_region_has(&c->region, x, tolerance);
  }
  *count = (double)found;
  return IG_OK;
}

static ig_status pressure_add(choice *c, double pressure, double *to) {
  for (ig_lid i = 0; i < c->m->boundary.count; i++) {
    ig_lid node[8];
    double normal[3], share[6], area = 0, part;
    IG_TRY(face_cut(c, i, node, normal, share, &part));
    c->pressed += part;
    for (int d = 0; d < 3; d++)
      area += normal[d] * normal[d];
    for (int a = 0; a < 6; a++)
      for (int d = 0; d < 3; d++)
        to[3 * (size_t)node[a] + (size_t)d] -= pressure * share[a] * normal[d] / sqrt(area);
  }
  ig_finish_region_widen(&c->region);
  return IG_OK;
}

/* Forces w x r, J w = moment: J the inertia of the weights about their middle. */
static ig_status moment_add(const choice *c, const ig_load_case *load, const double moment[3],
                            double *to) {
  const double *x = c->m->mesh->x;
  double middle[3] = {0}, a[3][4] = {{0}}, trace = 0;
  for (ig_lid n = 0; n < c->m->mesh->nodes; n++)
    for (int d = 0; d < 3; d++)
      middle[d] += c->weight[n] * x[3 * (size_t)n + (size_t)d] / c->sum;
  for (ig_lid n = 0; n < c->m->mesh->nodes; n++) {
    double r[3];
    for (int d = 0; d < 3; d++)
      r[d] = x[3 * (size_t)n + (size_t)d] - middle[d];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        a[i][k] +=
            c->weight[n] * ((i == k ? r[0] * r[0] + r[1] * r[1] + r[2] * r[2] : 0) - r[i] * r[k]);
  }
  for (int i = 0; i < 3; i++) {
    trace += a[i][i];
    a[i][3] = moment[i];
  }
  for (int k = 0; k < 3; k++) {
    if (!(a[k][k] > 1e-9 * trace))
      return ig_fail_at(c->f->cx, &load->at,
                        "finish: moment: the nodes of the finished part there lie on its axis");
    for (int i = 0; i < 3; i++)
      for (int j = 3; i != k && j >= k; j--)
        a[i][j] -= a[i][k] / a[k][k] * a[k][j];
  }
  const double w[3] = {a[0][3] / a[0][0], a[1][3] / a[1][1], a[2][3] / a[2][2]};
  for (ig_lid n = 0; n < c->m->mesh->nodes; n++)
    for (int d = 0; d < 3; d++) {
      const int e = (d + 1) % 3, g = (d + 2) % 3;
      to[3 * (size_t)n + (size_t)d] +=
          c->weight[n] * (w[e] * (x[3 * (size_t)n + (size_t)g] - middle[g]) -
                          w[g] * (x[3 * (size_t)n + (size_t)e] - middle[e]));
    }
  return IG_OK;
}

/* Weight of elements whose middle is in the region; of a straight tet10 a corner has -1/20 of it
   and the node of an edge 1/5. */
static void gravity_add(choice *c, const double g[3], double *to) {
  const ig_mesh *mesh = c->m->mesh;
  const ig_block *block = &mesh->block[0];
  for (ig_lid e = 0; e < block->count; e++) {
    const ig_lid *node = block->conn + 10 * (size_t)e;
    const double mass =
        c->f->material[c->m->material[e]].density * ig_elem_measure(mesh, block, e, NULL);
    double middle[3] = {0};
    for (int a = 0; a < 4; a++)
      for (int d = 0; d < 3; d++)
        middle[d] += mesh->x[3 * (size_t)node[a] + (size_t)d] / 4;
    if (!ig_finish_image_owns(c->f, c->image, middle) ||
        !ig_finish_image_has(&c->region, c->image, middle, 1e-6 * c->f->edge))
      continue;
    c->weighs += mass;
    for (int a = 0; a < 10; a++)
      for (int d = 0; d < 3; d++)
        to[3 * (size_t)node[a] + (size_t)d] += mass * g[d] * (a < 4 ? -0.05 : 0.2);
  }
}

static bool is_zero(const double v[3]) {
  return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

/* Reflections turn moments the other way than forces. */
static void moment_turn(int image, const double v[3], double w[3]) {
  const int odd = (image & 1) ^ (image >> 1 & 1) ^ (image >> 2 & 1);
  for (int d = 0; d < 3; d++)
    w[d] = ((image >> d & 1) ^ odd) ? -v[d] : v[d];
}

static ig_status reaches_nothing(const choice *c, int number, const ig_load_case *load,
                                 const char *what) {
  return ig_fail_at(c->f->cx, &load->at, "finish: load %d: %s", number, what);
}

static ig_status image_load(choice *c, int number, const ig_load_case *load) {
  double *to = c->m->force[load->load_case - 1], v[3], count = 1;
  const bool pushes = !is_zero(load->force), turns = !is_zero(load->moment);
  if (pushes || turns) {
    IG_TRY(carriers_choose(c));
    if (!(c->sum > 0))
      return reaches_nothing(
          c, number, load, "no part of the finished surface is within two elements of its region");
  }
  if (pushes) {
    if (load->spread == IG_SPREAD_EACH)
      IG_TRY(design_nodes(c, load, &count));
    ig_finish_turn(c->image, load->force, v);
    for (int d = 0; d < 3; d++)
      v[d] *= count;
    force_share(c, v, to);
  }
  if (turns) {
    moment_turn(c->image, load->moment, v);
    IG_TRY(moment_add(c, load, v, to));
  }
  if (load->pressure != 0 && !isnan(load->pressure)) {
    IG_TRY(pressure_add(c, load->pressure, to));
    if (!(c->pressed > 0))
      return reaches_nothing(c, number, load,
                             "pressure: no face of the finished surface is in its region: keep "
                             "material there (passive)");
  }
  if (!is_zero(load->gravity)) {
    ig_finish_turn(c->image, load->gravity, v);
    gravity_add(c, v, to);
    if (!(c->weighs > 0))
      return reaches_nothing(c, number, load, "gravity: no element of the part is in its region");
  }
  return IG_OK;
}

static ig_status load_add(choice *c, int number, const ig_load_case *load, bool report) {
  double area = 0, mass = 0;
  ig_lid nodes = 0;
  IG_TRY(ig_finish_region_open(c->f, &load->at, load->set, &load->place, &c->region));
  for (int image = 0; image < 8; image++) {
    if (!ig_finish_image_is(c->f, image))
      continue;
    choice_begin(c, image);
    IG_TRY(image_load(c, number, load));
    area += fmax(c->area, c->pressed);
    mass += c->weighs;
    nodes += c->nodes;
  }
  if (report && area > 0)
    ig_info(c->f->cx, "load %d: on %.4g m^2 of the surface", number, area);
  if (report && nodes > 0)
    ig_info(c->f->cx, "load %d: on %d nodes", number, nodes);
  if (report && mass > 0)
    ig_info(c->f->cx, "load %d: on %.4g kg", number, mass);
  return IG_OK;
}

ig_status ig_finish_loads(ig_finished *f, bool report, ig_finish_model *m) {
  const size_t n = (size_t)m->mesh->nodes;
  choice c = {.f = f, .m = m};
  ig_status status;
  IG_TRY(IG_NEW(f->cx, &m->fix, n + 1, "supports"));
  IG_TRY(IG_NEW(f->cx, &m->value, 3 * n + 1, "supports"));
  for (int q = 0; q < f->cases; q++)
    IG_TRY(IG_NEW(f->cx, &m->force[q], 3 * n + 1, "loads"));
  IG_TRY(IG_NEW(f->cx, &c.weight, n + 1, "loads"));
  status = IG_OK;
  for (int i = 0; i < f->t->supports.count && status == IG_OK; i++) {
    status = support_add(&c, i + 1, IG_ITEM(const ig_hold_case, f->t->supports, i), report);
    ig_finish_region_close(&c.region);
  }
  planes_hold(f, m);
  if (status == IG_OK)
    status = rigid_hold(f, m);
  expansion_take(f, m);
  for (int i = 0; i < f->t->loads.count && status == IG_OK; i++) {
    status = load_add(&c, i + 1, IG_ITEM(const ig_load_case, f->t->loads, i), report);
    ig_finish_region_close(&c.region);
  }
  free(c.weight);
  return status;
}
