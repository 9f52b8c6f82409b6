/* Verification of closed cracks: two blocks that press, rub and collide along a line of facets. */
#include "verify/fracture/verify.h"

#include "geometry/mesh_case.h"

#include <math.h>
#include <stdio.h>

static const double height = 0.1, young = 1e9, rho = 1000;
static const char *const contact_names[] = {"penalty", "rigid"};

/* A flat block on another, the line between them a closed crack. */
static ig_status blocks(ig_frac_problem *p, ig_ctx *cx, ig_elem_type type, int contact, int high) {
  ig_frac_problem_init(p, cx);
  ig_frac_problem_material(p, young, 0, rho, 1, 1e6);
  ig_frac_case *c = &p->c;
  c->safety = 0.3;
  c->cohesive.check_every = 0;
  c->cohesive.contact = contact;
  p->crack = (ig_frac_crack_case){
      .from = {0, 0.05}, .to = {1, 0.05}, .depth = {0, 0, 0.05}, .closed = true};
  c->cracks = (ig_list){1, &p->crack};
  return ig_mesh_box(cx, type, (double[]){1, height, 0.05}, (int[]){20, high, 1}, &p->job.mesh);
}

typedef struct {
  double v[2][2]; /* mean velocity of the lower and the upper block */
  double overlap; /* of the crack's sides, at most */
  double figures[IG_FRAC_FIGURES];
} view;

static ig_status look(ig_frac_model *m, view *out) {
  void *v, *minv, *conn, *node, *cs;
  IG_TRY(ig_frac_model_figures(m, out->figures));
  IG_TRY(ig_frac_model_pull(m, "v", &v));
  IG_TRY(ig_frac_model_pull(m, "minv", &minv));
  IG_TRY(ig_frac_model_pull(m, "conn", &conn));
  IG_TRY(ig_frac_model_pull(m, "node", &node));
  ig_frac_pieces pieces = {0};
  IG_TRY(ig_frac_pieces_find(m, &pieces));
  double mass[2] = {0};
  for (int b = 0; b < 2; b++)
    out->v[b][0] = out->v[b][1] = 0;
  for (int64_t i = 0; i < (int64_t)m->shape.nodes * m->s.ne; i++) {
    const int b = pieces.of[i % m->s.ne] != pieces.of[0];
    const int64_t n = ((int32_t *)conn)[i];
    const double w = 1 / (ig_frac_model_real(m, minv, n) * ((ig_frac_node *)node)[n].used);
    mass[b] += w;
    for (int d = 0; d < 2; d++)
      out->v[b][d] += w * ig_frac_model_real(m, v, n * m->shape.dim + d);
  }
  ig_frac_pieces_free(&pieces);
  for (int b = 0; b < 2; b++)
    for (int d = 0; d < 2; d++)
      out->v[b][d] /= mass[b];
  IG_TRY(ig_frac_model_pull(m, "cs", &cs));
  out->overlap = 0;
  for (int64_t i = 0; i < (int64_t)m->count.cohesive * m->shape.points; i++)
    out->overlap = fmax(out->overlap, -ig_frac_model_real(m, cs, i * m->shape.state));
  return IG_OK;
}

static ig_status look_at(ig_frac_model *m, double t, view *out) {
  IG_TRY(ig_frac_model_run(m, (int64_t)(t / m->s.dt)));
  return look(m, out);
}

/* Pressed by p and pulled along by t: the upper block slides with (t - mu p) / (rho h), or stays.
 */
static ig_status rub(ig_ctx *cx, const ig_verify_sink *sink, ig_elem_type type, int contact,
                     bool slides) {
  double early[] = {0, 1e-3}, late[] = {1e-3, 1.5e-3}, grows[] = {0, 1};
  const double mu = 0.3, p0 = 1e5, pull = slides ? 0.5e5 : 0.2e5, t1 = 2e-3, t2 = 5e-3;
  ig_frac_problem p;
  ig_frac_model m = {0};
  IG_TRY(blocks(&p, cx, type, contact, 4));
  p.c.cohesive.friction = mu;
  p.load[0] = (ig_frac_load_case){
      .set = "ymax", .pressure = p0, .traction = {NAN}, .history = {2, early, grows}};
  p.load[1] = (ig_frac_load_case){
      .set = "ymax", .pressure = NAN, .traction = {pull}, .history = {2, late, grows}};
  p.c.loads = (ig_list){2, p.load};
  p.support[0] = ig_support_fix("ymin", "all");
  p.c.supports = (ig_list){1, p.support};
  view one, two;
  ig_status status = ig_frac_setup(&p.job, &m);
  if (status == IG_OK)
    status = look_at(&m, t1, &one);
  if (status == IG_OK)
    status = look_at(&m, t2, &two);
  if (status == IG_OK) {
    char text[96];
    const char *name = ig_elem_info_get(type)->name;
    const double *f = two.figures, balance = f[IG_FRAC_KINETIC] + f[IG_FRAC_STRAIN] +
                                             f[IG_FRAC_COHESIVE_WORK] - f[IG_FRAC_EXTERNAL];
    snprintf(text, sizeof text, "%s, %s: %s [m/s^2]", name, contact_names[contact],
             slides ? "acceleration of a block that slides" : "of one that friction holds");
    row(sink, text, slides ? "(t - mu p) / (rho h)" : "0",
        slides ? (pull - mu * p0) / (rho * 0.5 * height) : 0,
        (two.v[1][0] - one.v[1][0]) / (t2 - t1), slides ? 0.02 : 4, slides);
    snprintf(text, sizeof text, "%s, %s: energy balance over work", name, contact_names[contact]);
    row(sink, text, "conserved", 0, balance / f[IG_FRAC_EXTERNAL], 5e-3, false);
  }
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  return status;
}

ig_status ig_frac_verify_friction(ig_ctx *cx, const ig_verify_sink *sink) {
  static const ig_elem_type types[] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};
  for (int i = 0; i < 4; i++)
    for (int contact = 0; contact < 2; contact++)
      for (int slides = 0; slides < 2; slides++)
        IG_TRY(rub(cx, sink, types[i], contact, slides));
  return IG_OK;
}

/* The upper block comes down on the lower one, both free: equal bars exchange their velocities. */
static ig_status collide(ig_ctx *cx, const ig_verify_sink *sink, ig_elem_type type, int contact,
                         double *overlap) {
  const double fall = -1, c = sqrt(young / rho);
  ig_frac_problem p;
  ig_frac_model m = {0};
  IG_TRY(blocks(&p, cx, type, contact, 12));
  view now = {.overlap = 0};
  double before[IG_FRAC_FIGURES] = {0};
  ig_frac_pieces pieces = {0};
  void *v = NULL, *u = NULL, *conn = NULL;
  ig_status status = ig_frac_setup(&p.job, &m);
  if (status == IG_OK)
    status = ig_frac_model_pull(&m, "conn", &conn);
  if (status == IG_OK)
    status = ig_frac_model_pull(&m, "v", &v);
  if (status == IG_OK)
    status = ig_frac_model_pull(&m, "u", &u);
  if (status == IG_OK)
    status = ig_frac_pieces_find(&m, &pieces);
  if (status == IG_OK) { /* a few steps away */
    const size_t bytes = (size_t)m.count.nodes * (size_t)m.shape.dim * (m.wide ? 8 : 4);
    for (int64_t i = 0; i < (int64_t)m.shape.nodes * m.s.ne; i++)
      if (pieces.of[i % m.s.ne] != pieces.of[0]) {
        const int64_t at = (int64_t)((int32_t *)conn)[i] * m.shape.dim + 1;
        ig_frac_model_put(&m, v, at, fall);
        ig_frac_model_put(&m, u, at, -2.5 * fall * m.s.dt);
      }
    status = cx->backend->copy_in(cx, m.s.nodal.v, v, bytes);
    if (status == IG_OK)
      status = cx->backend->copy_in(cx, m.s.nodal.u, u, bytes);
  }
  ig_frac_pieces_free(&pieces);
  if (status == IG_OK)
    status = ig_frac_model_figures(&m, before);
  *overlap = 0;
  for (int i = 1; status == IG_OK && i <= 20; i++) { /* there and back through both takes 10 */
    status = look_at(&m, height / c * 0.1 * i, &now);
    *overlap = fmax(*overlap, now.overlap);
  }
  if (status == IG_OK) {
    char text[96];
    const char *name = ig_elem_info_get(type)->name;
    const double *f = now.figures,
                 all = f[IG_FRAC_KINETIC] + f[IG_FRAC_STRAIN] + f[IG_FRAC_COHESIVE_WORK];
    snprintf(text, sizeof text, "%s, %s: velocity passed on", name, contact_names[contact]);
    row(sink, text, "equal bars", 1, now.v[0][1] / fall, 0.1, false);
    snprintf(text, sizeof text, "%s, %s: energy balance", name, contact_names[contact]);
    row(sink, text, "conserved", 1, all / before[IG_FRAC_KINETIC], 5e-3, false);
  }
  ig_frac_model_free(&m);
  ig_frac_problem_free(&p);
  return status;
}

ig_status ig_frac_verify_impact(ig_ctx *cx, const ig_verify_sink *sink) {
  static const ig_elem_type types[] = {IG_TRI3, IG_TRI6, IG_TET4, IG_TET10};
  for (int i = 0; i < 4; i++) {
    double overlap[2];
    for (int contact = 0; contact < 2; contact++)
      IG_TRY(collide(cx, sink, types[i], contact, &overlap[contact]));
    char text[96];
    snprintf(text, sizeof text, "%s: overlap, rigid over penalty",
             ig_elem_info_get(types[i])->name);
    /* nodes touch exactly; between those of a quadratic facet the sides may still cross */
    row(sink, text, "0", 0, overlap[1] / overlap[0], 0.3, false);
  }
  return IG_OK;
}
