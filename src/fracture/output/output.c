/* What a run leaves behind: its figures, the pieces and the crack as tables.

   fragments.csv has a row per piece, crack.csv one per cohesive element. Rows of elements and
   facets come to the first rank in the order of the whole (ig_arrays_rows), which adds and
   writes them; other ranks only send. */
#include "core/number.h"
#include "assembly/scatter.h"
#include "fracture/run.h"
#include "kern/prec_f64.h"
#include "material/cohesive.inc"
#include "assembly/scatter.inc"
#include "fracture/kernels/types.inc"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tables of pieces and of the crack, on the first rank */

/* Host tables (not owned), pieces, and the text of one table at a time. */
typedef struct {
  ig_frac_model *m;
  const int32_t *conn, *coh;
  const uint8_t *turn, *mat;
  const void *x, *u, *v, *cs;
  ig_frac_pieces pieces;
  ig_frac_numbering numbering;
  double *sum; /* pieces */
  char *text;
  size_t at, capacity;
} listing;

static ig_status listing_open(listing *l) {
  static const char *const names[] = {"conn", "coh", "turn", "x", "u", "v", "cs", "cw"};
  void *host[8];
  for (int i = 0; i < 8; i++)
    IG_TRY(ig_frac_model_pull(l->m, names[i], &host[i]));
  l->conn = host[0], l->coh = host[1], l->turn = host[2];
  l->x = host[3], l->u = host[4], l->v = host[5], l->cs = host[6];
  l->mat = ig_frac_model_host(l->m, "mat");
  return IG_OK;
}

/* capacity: an upper bound of the table's length. */
static ig_status text_open(listing *l, size_t capacity) {
  if (!ig_ranks_first(l->m->cx))
    return IG_OK;
  free(l->text);
  l->at = 0;
  l->capacity = capacity;
  l->text = malloc(capacity);
  return l->text ? IG_OK : IG_FAIL(l->m->cx, IG_MEMORY, "no memory for a table of results");
}
static ig_status text_close(listing *l, const char *name, ig_sink *to) {
  if (!ig_ranks_first(l->m->cx))
    return IG_OK;
  return to->file(to, name, l->text, l->at < l->capacity ? l->at : l->capacity);
}

/* What an element adds to its piece: mass, first moments of it and of its momentum. */
enum { MASS, X, V = X + 3, ELEMENTS = V + 3, WIDTH };
typedef struct {
  double add[ELEMENTS];
  int64_t piece;
} piece_row;

/* Mass by nodes with lumped shares, as the dynamics has it: centre and velocity are then those
   of the conserved momentum. */
static void piece_fill(void *user, int64_t e, void *row) {
  static double (*const shares[4])(int) = {tri3_share_f64, tri6_share_f64, tet4_share_f64,
                                           tet10_share_f64};
  const listing *l = user;
  const ig_frac_model *m = l->m;
  const int dim = m->shape.dim;
  const int64_t ne = l->m->s.ne;
  piece_row *to = row;
  double c2[3][2], c3[4][3], g2[3][2], g3[4][3];
  memset(to, 0, sizeof *to);
  for (int a = 0; a < m->shape.corners; a++)
    for (int d = 0; d < dim; d++)
      *(dim == 2 ? &c2[a][d] : &c3[a][d]) =
          ig_frac_model_real(m, l->x, (int64_t)l->conn[a * ne + e] * dim + d);
  const double size =
      dim == 2 ? tri3_gradients_f64(c2, g2) * m->s.thickness : tet4_gradients_f64(c3, g3);
  const double mass = size * m->s.elastic[l->mat[e]].rho;
  for (int a = 0; a < m->shape.nodes; a++)
    for (int d = 0; d < dim; d++) {
      const double part = shares[m->kind](a) * mass;
      const int64_t at = (int64_t)l->conn[a * ne + e] * dim + d;
      to->add[X + d] += part * (ig_frac_model_real(m, l->x, at) + ig_frac_model_real(m, l->u, at));
      to->add[V + d] += part * ig_frac_model_real(m, l->v, at);
    }
  to->add[MASS] = mass;
  to->piece = l->pieces.of[e];
}

/* Rows come in the order of elements, so that numbers of pieces rise with their lowest elements. */
static ig_status pieces_add(void *user, const void *rows, int64_t first, int64_t count) {
  listing *l = user;
  const piece_row *row = rows;
  for (int64_t i = 0; i < count; i++) {
    int32_t piece;
    IG_TRY(ig_frac_piece_number(l->m->cx, &l->numbering, (int32_t)row[i].piece, first + i, &piece));
    double *sum = l->sum + (int64_t)piece * WIDTH;
    for (int k = 0; k < ELEMENTS; k++)
      sum[k] += row[i].add[k];
    sum[ELEMENTS]++;
  }
  return IG_OK;
}

/* Mass, centre and velocity of each piece, in the order of their lowest elements. */
static ig_status pieces_table(listing *l, ig_sink *to) {
  const int32_t count = l->pieces.count;
  ig_status status = text_open(l, 160 + (size_t)count * 200);
  if (status == IG_OK && l->text)
    status = IG_NEW(l->m->cx, &l->sum, (int64_t)count * WIDTH, "pieces");
  IG_TRY(ig_arrays_rows(&l->m->arrays, IG_FRAC_PER_ELEMENT, sizeof(piece_row), piece_fill,
                        pieces_add, l, status));
  if (!l->text)
    return IG_OK;
  l->at = (size_t)snprintf(l->text, l->capacity,
                           "fragment,elements,mass [kg],x [m],y [m],z [m],"
                           "vx [m/s],vy [m/s],vz [m/s]\n");
  for (int32_t i = 0; i < count && l->at < l->capacity; i++) {
    const double *f = l->sum + (int64_t)i * WIDTH, w = f[MASS];
    l->at += (size_t)ig_format(l->text + l->at, l->capacity - l->at,
                               "%" PRId32 ",%.0f,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", i,
                               f[ELEMENTS], w, f[X] / w, f[X + 1] / w, f[X + 2] / w, f[V] / w,
                               f[V + 1] / w, f[V + 2] / w);
  }
  return text_close(l, "fragments.csv", to);
}

/* A cohesive element: its corners in the mesh as it was, how far gone, how far open and slid. */
typedef struct {
  double x[3][3], damage, mean[2];
} crack_row;

static void crack_fill(void *user, int64_t c, void *row) {
  const listing *l = user;
  const int dim = l->m->shape.dim;
  crack_row *to = row;
  memset(to, 0, sizeof *to);
  for (int j = 0; j < dim; j++) {
    const int64_t n = ig_frac_cohesive_node(l->m, l->conn, l->coh, l->turn, c, j, false);
    for (int d = 0; d < dim; d++)
      to->x[j][d] = ig_frac_model_real(l->m, l->x, n * dim + d);
  }
  to->damage = fmin(1, ig_frac_model_damage(l->m, c));
  ig_frac_cohesive_mean(l->m, l->cs, c, 0, to->mean);
}

static ig_status cracks_write(void *user, const void *rows, int64_t first, int64_t count) {
  listing *l = user;
  const crack_row *row = rows;
  const int dim = l->m->shape.dim;
  (void)first;
  for (int64_t i = 0; i < count; i++) {
    for (int k = 0; k < dim * dim && l->at < l->capacity; k++)
      l->at += (size_t)ig_format(l->text + l->at, l->capacity - l->at, "%.9g,",
                                 row[i].x[k / dim][k % dim]);
    if (l->at < l->capacity)
      l->at += (size_t)ig_format(l->text + l->at, l->capacity - l->at, "%.6g,%.6g,%.6g\n",
                                 row[i].damage, row[i].mean[0], row[i].mean[1]);
  }
  return IG_OK;
}

/* A row per cohesive element: corners in the reference shape, damage, mean opening and sliding. */
static ig_status crack_table(listing *l, ig_sink *to) {
  const int dim = l->m->shape.dim;
  const ig_status status = text_open(l, 160 + (size_t)ig_frac_counts(l->m)->cohesive * 260);
  for (int j = 1; j <= dim && status == IG_OK && l->text; j++)
    l->at += (size_t)snprintf(l->text + l->at, l->capacity - l->at, "x%d [m],y%d [m],%s", j, j,
                              dim == 2 ? ""
                              : j == 1 ? "z1 [m],"
                              : j == 2 ? "z2 [m],"
                                       : "z3 [m],");
  if (status == IG_OK && l->text)
    l->at +=
        (size_t)snprintf(l->text + l->at, l->capacity - l->at, "damage,opening [m],sliding [m]\n");
  IG_TRY(ig_arrays_rows(&l->m->arrays, IG_FRAC_PER_COHESIVE, sizeof(crack_row), crack_fill,
                        cracks_write, l, status));
  return text_close(l, "crack.csv", to);
}

/* Velocities of near ghosts are needed for momenta of elements. */
static ig_status tables_write(listing *l, ig_sink *to) {
  IG_TRY(ig_frac_part_speeds(l->m));
  IG_TRY(ig_ranks_agree(l->m->cx, listing_open(l)));
  IG_TRY(pieces_table(l, to));
  return crack_table(l, to);
}

/* --- the summary */

/* dissipated = work on facets less what they could give back. Further tips have numbered keys. */
static ig_status figures_write(ig_frac_model *m, const ig_frac_track *k, double drift,
                               ig_sink *to) {
  const double *f = k->figures;
  const ig_frac_count *count = ig_frac_counts(m);
  const int32_t inserted = count->cohesive - m->cohesive_cut;
  const struct {
    const char *key, *unit;
    double value;
  } rows[] = {
      {"time_step", "s", m->s.dt},
      {"cohesive_elements", "", count->cohesive},
      {"initial_nodes", "", m->nodes_cut},
      {"nodes", "", count->nodes},
      {"new_nodes_per_cohesive_element", "",
       inserted ? (double)(count->nodes - m->nodes_cut) / inserted : 0},
      {"fragments", "", k->pieces},
      {m->shape.dim == 3 ? "crack_area" : "crack_length", m->shape.dim == 3 ? "m^2" : "m",
       f[IG_FRAC_FAILED]},
      {m->shape.dim == 3 ? "opened_area" : "opened_length", m->shape.dim == 3 ? "m^2" : "m",
       f[IG_FRAC_OPENED]},
      {"crack_extension", "m", k->tip[0].extension},
      {"crack_angle", "deg", ig_frac_tip_angle(&k->tip[0])},
      {"path_deviation", "m", k->tip[0].deviation},
      {"tip_speed_max", "m/s", k->top_speed},
      {"kinetic_energy", "J", f[IG_FRAC_KINETIC]},
      {"strain_energy", "J", f[IG_FRAC_STRAIN]},
      {"external_work", "J", f[IG_FRAC_EXTERNAL]},
      {"dissipated_energy", "J",
       f[IG_FRAC_COHESIVE_WORK] - f[IG_FRAC_RECOVERABLE] - f[IG_FRAC_CONTACT]},
      {"recoverable_cohesive_energy", "J", f[IG_FRAC_RECOVERABLE]},
      {"contact_energy", "J", f[IG_FRAC_CONTACT]},
      {"surface_contact_energy", "J", f[IG_FRAC_SURFACE]},
      {"energy_error", "", drift},
  };
  ig_status status = IG_OK;
  for (size_t i = 0; status == IG_OK && i < sizeof rows / sizeof *rows; i++)
    status = to->result(to, rows[i].key, rows[i].unit, rows[i].value);
  for (int i = 1; status == IG_OK && i < k->tips; i++) {
    char key[40];
    snprintf(key, sizeof key, "crack_extension_%d", i + 1);
    status = to->result(to, key, "m", k->tip[i].extension);
    snprintf(key, sizeof key, "crack_angle_%d", i + 1);
    if (status == IG_OK)
      status = to->result(to, key, "deg", ig_frac_tip_angle(&k->tip[i]));
    snprintf(key, sizeof key, "path_deviation_%d", i + 1);
    if (status == IG_OK)
      status = to->result(to, key, "m", k->tip[i].deviation);
  }
  if (status == IG_OK && m->s.bulk.residual)
    status = to->result(to, "residual_given_unbalance", "", m->unbalance[0]);
  if (status == IG_OK && m->s.bulk.residual)
    status = to->result(to, "residual_unbalance", "", m->unbalance[1]);
  if (status == IG_OK && m->colors)
    status = to->result(to, "colors", "", m->colors);
  return status;
}

/* to NULL: only pieces and warnings. A drift above 1 % is reported. */
ig_status ig_frac_results(ig_job *job, ig_frac_model *m, ig_frac_track *k, ig_sink *to) {
  listing l = {.m = m};
  if (ig_frac_probes_shows(m))
    IG_TRY(ig_frac_model_ready(m));
  ig_status status = ig_frac_pieces_find(m, &l.pieces);
  k->pieces = status == IG_OK ? l.pieces.count : k->pieces;
  const double drift = ig_frac_track_drift(k);
  if (drift > 0.01)
    ig_warn(job->cx, "the energy balance is off by up to %.2g %%: take a smaller step",
            100 * drift);
  if (status == IG_OK && to)
    status = figures_write(m, k, drift, to);
  if (to)
    status = ig_ranks_agree(job->cx, status);
  if (status == IG_OK && to)
    status = ig_frac_probes_results(m, to);
  if (status == IG_OK && to)
    status = tables_write(&l, to);
  ig_frac_pieces_free(&l.pieces);
  free(l.numbering.name);
  free(l.sum);
  free(l.text);
  return status;
}
