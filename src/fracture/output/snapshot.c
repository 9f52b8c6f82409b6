/* Snapshots of the opened mesh: rows of nodes, elements and cohesive elements, which come in the
   order of the whole, from all ranks.

   Cells are bulk elements, then cohesive elements as flat quadrilaterals or wedges between their
   two facets. Arrays are produced row by row when the writer asks for them (shown_bring), so
   that no rank holds a whole snapshot; on one rank it is loaded at once and written by another
   thread. */
#include "core/schedule.h"
#include "fracture/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char ig_frac_fields[] = "displacement|velocity|stress|principal_stress|energy_density|damage|"
                              "opening|traction|block|fragment";

enum { FIELDS = 10, PIECE = 1 << 13 };
typedef struct field field;

/* A snapshot on its way.
   Everything in it lives for one snapshot. Tables are host sides of the model's arrays; pieces,
   numbering, packed and numbers are owned. */
typedef struct {
  ig_job *job;
  ig_frac_model *m;
  ig_sink *to;
  const int32_t *conn, *coh;
  const uint8_t *turn, *mat;
  const void *x, *u, *v, *se, *cs;
  ig_frac_pieces pieces;
  ig_frac_numbering numbering;
  const field *list[FIELDS];
  int count;
  /* being passed: a field; corners of a cell; the receiver of rows, and memory for a piece of them
   */
  const field *now;
  int corners;
  ig_stream_take *take;
  void *user;
  int64_t *packed;
  int32_t *numbers;
} shown;

/* --- rows */

struct field {
  const char *name, *unit;
  ig_location where;
  ig_dtype dtype;
  int components;
  /* of a node or an element, of a cohesive element; NULL: zeros */
  void (*item)(const shown *s, int64_t i, void *to), (*crack)(const shown *s, int64_t c, void *to);
};

/* Three components, the third 0 in the plane. */
static void vector_of(const shown *s, const void *from, int64_t n, float *to) {
  const int dim = s->m->shape.dim;
  for (int d = 0; d < 3; d++)
    to[d] = d < dim ? (float)ig_frac_model_real(s->m, from, n * dim + d) : 0;
}
static void displacement_of(const shown *s, int64_t n, void *to) {
  vector_of(s, s->u, n, to);
}
static void velocity_of(const shown *s, int64_t n, void *to) {
  vector_of(s, s->v, n, to);
}

/* xx yy zz xy yz zx */
static void stress_read(const shown *s, int64_t e, double t[6], double sig[6]) {
  static const int place[3] = {0, 1, 3};
  ig_frac_element_stress(s->m, s->se, e, t);
  for (int c = 0; c < 6; c++)
    sig[c] = 0;
  for (int c = 0; c < s->m->shape.stresses; c++)
    sig[s->m->shape.dim == 2 ? place[c] : c] = t[c];
}
static void stress_of(const shown *s, int64_t e, void *to) {
  double t[6], sig[6];
  stress_read(s, e, t, sig);
  if (s->m->plane_strain) { /* what keeps the thickness: nu (sxx + syy) */
    const ig_frac_elastic *el = &s->m->s.elastic[s->mat[e]];
    sig[2] = el->c12 / (el->c11 + el->c12) * (sig[0] + sig[1]);
  }
  for (int c = 0; c < 6; c++)
    ((float *)to)[c] = (float)sig[c];
}
static void principal_of(const shown *s, int64_t e, void *to) {
  double t[6];
  ig_frac_element_stress(s->m, s->se, e, t);
  *(float *)to = (float)ig_frac_principal(s->m, t);
}
/* sigma : epsilon / 2 with the strain from Hooke's law inverted in the plane or in space. */
static void energy_of(const shown *s, int64_t e, void *to) {
  const ig_frac_elastic *el = &s->m->s.elastic[s->mat[e]];
  const int dim = s->m->shape.dim;
  double t[6], sig[6], density = 0;
  stress_read(s, e, t, sig);
  const double trace = sig[0] + sig[1] + sig[2];
  for (int d = 0; d < 3; d++) {
    const double strain =
        d < dim ? (sig[d] - el->c12 / (el->c11 + (dim - 1) * el->c12) * trace) / (el->c11 - el->c12)
                : 0;
    density += 0.5 * sig[d] * strain + 0.5 * sig[3 + d] * sig[3 + d] / el->mu;
  }
  *(float *)to = (float)density;
}

/* Means over the points of a cohesive element, normal and tangential: opening, traction. */
static void mean_of(const shown *s, int64_t c, int what, float *to) {
  double mean[2];
  ig_frac_cohesive_mean(s->m, s->cs, c, what, mean);
  to[0] = (float)mean[0];
  to[1] = (float)mean[1];
}
static void opening_of(const shown *s, int64_t c, void *to) {
  mean_of(s, c, 0, to);
}
static void traction_of(const shown *s, int64_t c, void *to) {
  mean_of(s, c, 1, to);
}
static void damage_of(const shown *s, int64_t c, void *to) {
  *(float *)to = (float)fmin(1, ig_frac_model_damage(s->m, c));
}
static void one_of(const shown *s, int64_t c, void *to) {
  (void)s;
  (void)c;
  *(uint8_t *)to = 1;
}
static void piece_of(const shown *s, int64_t e, void *to) { /* its name: see names_put */
  *(int32_t *)to = s->pieces.of[e];
}
static void none_of(const shown *s, int64_t c, void *to) {
  (void)s;
  (void)c;
  *(int32_t *)to = -1;
}

static const field fields[FIELDS] = {
    {"displacement", "m", IG_AT_POINTS, IG_F32, 3, displacement_of, NULL},
    {"velocity", "m/s", IG_AT_POINTS, IG_F32, 3, velocity_of, NULL},
    {"stress", "Pa", IG_AT_CELLS, IG_F32, 6, stress_of, NULL},
    {"principal_stress", "Pa", IG_AT_CELLS, IG_F32, 1, principal_of, NULL},
    {"energy_density", "J/m^3", IG_AT_CELLS, IG_F32, 1, energy_of, NULL},
    {"damage", "", IG_AT_CELLS, IG_F32, 1, NULL, damage_of},
    {"opening", "m", IG_AT_CELLS, IG_F32, 2, NULL, opening_of},
    {"traction", "Pa", IG_AT_CELLS, IG_F32, 2, NULL, traction_of},
    {"block", "", IG_AT_CELLS, IG_U8, 1, NULL, one_of},
    {"fragment", "", IG_AT_CELLS, IG_I32, 1, piece_of, none_of}};

static void field_row(void *user, int64_t item, void *row) {
  const shown *s = user;
  s->now->item(s, item, row);
}
static void field_crack_row(void *user, int64_t item, void *row) {
  const shown *s = user;
  s->now->crack(s, item, row);
}
static void point_row(void *user, int64_t n, void *row) {
  const shown *s = user;
  const int dim = s->m->shape.dim;
  for (int d = 0; d < 3; d++)
    ((double *)row)[d] = d < dim ? ig_frac_model_real(s->m, s->x, (int64_t)n * dim + d) : 0;
}
static void bulk_corners(void *user, int64_t e, void *row) {
  const shown *s = user;
  for (int a = 0; a < s->corners; a++)
    ((int32_t *)row)[a] = ig_frac_node_number(&s->m->part, s->conn[a * (int64_t)s->m->s.ne + e]);
}
/* Order of VTK: a quadrilateral runs along the lower facet and back along the upper one; a wedge
   has the lower triangle, then the upper. */
static void crack_corners(void *user, int64_t c, void *row) { /* quadrilaterals, wedges */
  const shown *s = user;
  const int dim = s->m->shape.dim;
  for (int i = 0; i < 2 * dim; i++) {
    const int j = i < dim ? i : dim == 2 ? 3 - i : i - dim;
    ((int32_t *)row)[i] = ig_frac_node_number(
        &s->m->part, ig_frac_cohesive_node(s->m, s->conn, s->coh, s->turn, c, j, i >= dim));
  }
}

/* --- on the first rank */

static ig_status rows_put(void *user, const void *rows, int64_t first, int64_t count) {
  const shown *s = user;
  (void)first;
  return s->take(s->user, rows, count);
}

/* Numbers of nodes are widened to 64 bits piece by piece. */
static ig_status corners_put(void *user, const void *rows, int64_t first, int64_t count) {
  const shown *s = user;
  const int32_t *node = rows;
  (void)first;
  for (int64_t i = 0, here; i < count * s->corners; i += here) {
    for (here = 0; here < PIECE && i + here < count * s->corners; here++)
      s->packed[here] = node[i + here];
    IG_TRY(s->take(s->user, s->packed, here));
  }
  return IG_OK;
}

/* Names of pieces (lowest elements) become numbers from 0 on. */
static ig_status names_put(void *user, const void *rows, int64_t first, int64_t count) {
  shown *s = user;
  const int32_t *name = rows;
  for (int64_t i = 0, here; i < count; i += here) {
    for (here = 0; here < PIECE && i + here < count; here++)
      IG_TRY(ig_frac_piece_number(s->job->cx, &s->numbering, name[i + here], first + i + here,
                                  &s->numbers[here]));
    IG_TRY(s->take(s->user, s->numbers, here));
  }
  return IG_OK;
}

/* The same byte in so many rows; the first rank alone. */
static ig_status bytes_take(const shown *s, size_t row, int byte, int64_t count) {
  const int64_t room = PIECE * (int64_t)sizeof *s->packed / (int64_t)row;
  if (!ig_ranks_first(s->job->cx))
    return IG_OK;
  memset(s->packed, byte, (size_t)PIECE * sizeof *s->packed);
  for (int64_t i = 0; i < count; i += room)
    IG_TRY(s->take(s->user, s->packed, count - i < room ? count - i : room));
  return IG_OK;
}

/* --- arrays */

static ig_status corners_bring(shown *s) {
  s->corners = s->m->shape.nodes;
  IG_TRY(ig_arrays_rows(&s->m->arrays, IG_FRAC_PER_ELEMENT, (size_t)s->corners * sizeof(int32_t),
                        bulk_corners, corners_put, s, IG_OK));
  s->corners = 2 * s->m->shape.dim;
  return ig_arrays_rows(&s->m->arrays, IG_FRAC_PER_COHESIVE, (size_t)s->corners * sizeof(int32_t),
                        crack_corners, corners_put, s, IG_OK);
}

/* Codes of VTK: triangle 5, quadratic 22, tetrahedron 10, quadratic 24; quadrilateral 9, wedge
   13. */
static ig_status types_bring(shown *s) {
  static const uint8_t bulk[4] = {5, 22, 10, 24};
  IG_TRY(bytes_take(s, 1, bulk[s->m->kind], ig_frac_all(s->m, IG_FRAC_PER_ELEMENT)));
  return bytes_take(s, 1, s->m->shape.dim == 2 ? 9 : 13, ig_frac_counts(s->m)->cohesive);
}

/* Rows of bulk elements first, then of cohesive ones; a missing function means zeros. */
static ig_status field_bring(shown *s, const field *f) {
  const size_t row = (size_t)f->components * ig_dtype_size(f->dtype);
  s->now = f;
  s->numbering.count = s->numbering.last = 0;
  if (f->where == IG_AT_POINTS)
    return ig_arrays_rows(&s->m->arrays, IG_FRAC_PER_NODE, row, field_row, rows_put, s, IG_OK);
  ig_collect_put *put = f->item == piece_of ? names_put : rows_put;
  IG_TRY(f->item ? ig_arrays_rows(&s->m->arrays, IG_FRAC_PER_ELEMENT, row, field_row, put, s, IG_OK)
                 : bytes_take(s, row, 0, ig_frac_all(s->m, IG_FRAC_PER_ELEMENT)));
  return f->crack ? ig_arrays_rows(&s->m->arrays, IG_FRAC_PER_COHESIVE, row, field_crack_row,
                                   rows_put, s, IG_OK)
                  : bytes_take(s, row, 0, ig_frac_counts(s->m)->cohesive);
}

static ig_status shown_bring(void *self, int array, ig_stream_take *take, void *user) {
  shown *s = self;
  s->take = take;
  s->user = user;
  const int i = array - IG_STREAM_FIELDS;
  switch (array) {
  case IG_STREAM_POINTS:
    return ig_arrays_rows(&s->m->arrays, IG_FRAC_PER_NODE, 3 * sizeof(double), point_row, rows_put,
                          s, IG_OK);
  case IG_STREAM_CORNERS:
    return corners_bring(s);
  case IG_STREAM_TYPES:
    return types_bring(s);
  default:
    return i >= 0 && i < s->count
               ? field_bring(s, s->list[i])
               : IG_FAIL(s->job->cx, IG_ARG, "a snapshot has no array %d", array);
  }
}

/* --- all of it */

/* Everything the fields need, at once on the host. */
static ig_status shown_open(shown *s) {
  static const char *const names[] = {"conn", "coh", "turn", "x", "u", "v", "se", "cs", "cw"};
  void *host[9];
  IG_TRY(ig_frac_model_stress(s->m));
  for (int i = 0; i < 9; i++)
    IG_TRY(ig_frac_model_pull(s->m, names[i], &host[i]));
  s->conn = host[0], s->coh = host[1], s->turn = host[2];
  s->x = host[3], s->u = host[4], s->v = host[5], s->se = host[6], s->cs = host[7];
  s->mat = ig_frac_model_host(s->m, "mat");
  IG_TRY(IG_NEW(s->job->cx, &s->packed, PIECE, "a piece of a snapshot"));
  return IG_NEW(s->job->cx, &s->numbers, PIECE, "a piece of a snapshot");
}

/* Declares sizes and fields of the snapshot; contents follow on request. */
static ig_status shown_tell(void *user, const ig_stream *stream) {
  shown *s = user;
  const ig_frac_model *m = s->m;
  const ig_frac_count *count = ig_frac_counts(m);
  const int64_t elements = ig_frac_all(m, IG_FRAC_PER_ELEMENT), cells = elements + count->cohesive;
  const int64_t corners = elements * m->shape.nodes + (int64_t)count->cohesive * 2 * m->shape.dim;
  ig_snapshot *snap;
  IG_TRY(ig_snapshot_of_rows(s->job->cx, stream, count->nodes, cells, corners, cells, &snap));
  snap->time = (double)count->step * m->s.dt;
  snap->step = count->step;
  ig_status status = IG_OK;
  for (int i = 0; i < s->count && status == IG_OK; i++)
    status = ig_snapshot_declare(snap, s->list[i]->name, s->list[i]->unit, s->list[i]->where,
                                 s->list[i]->dtype, s->list[i]->components);
  if (status == IG_OK && m->part.ranks == 1) /* written while steps are taken */
    status = ig_snapshot_load(snap);
  if (status == IG_OK)
    return ig_sink_snapshot(s->to, snap);
  ig_snapshot_free(snap);
  return status;
}

ig_status ig_frac_snapshot(ig_job *job, ig_frac_model *m, ig_sink *to) {
  shown s = {.job = job, .m = m, .to = to};
  ig_served served = {job->cx, &s, shown_bring};
  for (int i = 0; i < FIELDS; i++)
    if (ig_output_wants(job->output, fields[i].name))
      s.list[s.count++] = &fields[i];
  ig_status status = ig_ranks_agree(job->cx, shown_open(&s));
  if (status == IG_OK && ig_output_wants(job->output, "fragment"))
    status = ig_frac_pieces_find(m, &s.pieces);
  if (status == IG_OK)
    status = ig_serve(&served, shown_tell, &s);
  ig_frac_pieces_free(&s.pieces);
  free(s.numbering.name);
  free(s.packed);
  free(s.numbers);
  return status;
}
