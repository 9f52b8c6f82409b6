/* Constraints: supports, equations, couplings to reference nodes, ties.

   Every constraint is a row of implicit/system.h: slave = sum of coefficient x master + g, with
   the slave eliminated. g is 0 but for supports, whose increments ig_structure_motions sets
   before each step. A later constraint of the same slave replaces the earlier one, which must hold
   all the same (overruled.c). The order of ig_structure_constrain: solids of shells and beams
   first, then equations, couplings, ties, and supports on top; joints take what is free.

   In matrix form u = C q + g with q the free unknowns; the engine solves C^T K C dq = C^T r. For
   large rotations C depends on u: ig_structure_follow puts slaves in their places and renews the
   coefficients after each correction. */
#include "structure/structure.h"
#include "structure/constrain.h"
#include "structure/expand.h"
#include "structure/joint.h"
#include "mesh/named.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- supports */

/* Where a support has an unknown at a time: `where: reached` leaves it where it is. */
static double held_at(const ig_structure *s, int32_t unknown, const ig_structure_support *c,
                      double scale, double time) {
  return c->where ? s->u[unknown] : scale * ig_structure_factor(s, &c->history, time);
}

/* Whether two supports have an unknown at the same places through the analysis under way. Histories
   are straight lines between their rows: it is enough to look there. */
static bool same_held(const ig_structure *s, const ig_structure_held *h,
                      const ig_structure_held *o) {
  const ig_structure_analysis *a =
      IG_ITEM(const ig_structure_analysis, s->c->analysis, s->analysis);
  const ig_structure_support *c[2] = {
      IG_ITEM(const ig_structure_support, s->c->supports, h->support),
      IG_ITEM(const ig_structure_support, s->c->supports, o->support)};
  const double end = s->begin + a->duration;
  if (a->kind == IG_STRUCTURE_FREQUENCY)
    return true; /* both hold it */
  for (int k = 0; k < 2; k++)
    for (int i = -2; i < c[k]->history.count; i++) {
      const double time = i == -2 ? s->begin : i == -1 ? end : c[k]->history.x[i];
      const double one = held_at(s, h->unknown, c[0], h->scale, time),
                   two = held_at(s, h->unknown, c[1], o->scale, time);
      if (time >= s->begin && time <= end && fabs(one - two) > 1e-12 * fmax(fabs(one), fabs(two)))
        return false;
    }
  return true;
}

/* Two supports that have one component at different places: only one of them can count. One that
   begins in a later analysis, or says so, takes the place of the other. */
static ig_status held_check(ig_structure *s, const ig_structure_held *h,
                            const ig_structure_held *before) {
  const ig_structure_support *c = IG_ITEM(const ig_structure_support, s->c->supports, h->support),
                             *o = IG_ITEM(const ig_structure_support, s->c->supports,
                                          before->support);
  char name[96];
  if (c->replaces || c->first > o->first || same_held(s, h, before))
    return IG_OK;
  ig_structure_unknown_name(s, h->unknown, name, sizeof name);
  return ig_fail_at(s->cx, &c->at,
                    "%s is in '%s' and in '%s' (line %d), whose supports have it at different "
                    "places: take it out of one of the sets or `components`, or, where this one is "
                    "to count, give it `replaces: true`",
                    name, c->set, o->set, o->at.line);
}

/* A support of a later entry on the same unknown has the same value, or replaces the former one. */
static ig_status held_add(ig_structure *s, int32_t unknown, int support, double scale) {
  const ig_structure_held held = {unknown, support, scale, 0, 0};
  int32_t number;
  IG_TRY(ig_system_constrain(s->system, unknown, 0, NULL, NULL, 0, &number));
  if (s->held_of[unknown] >= 0) {
    ig_structure_held *before = &s->held[s->held_of[unknown]];
    IG_TRY(held_check(s, &held, before));
    *before = held;
    before->number = number;
    return IG_OK;
  }
  if (s->helds == s->held_space) {
    const int space = s->held_space ? 2 * s->held_space : 256;
    void *more = realloc(s->held, (size_t)space * sizeof *s->held);
    if (!more)
      return IG_FAIL(s->cx, IG_MEMORY, "no memory for supports");
    s->held = more;
    s->held_space = space;
  }
  s->held_of[unknown] = s->helds;
  s->held[s->helds] = held;
  s->held[s->helds++].number = number;
  return IG_OK;
}

/* i: number of the entry. `fix` takes components by their letters, "x y rz" or "all"; a
   prescribed motion takes those of `components`, unless its value is NaN (left out). Rotations
   of nodes that do not turn are skipped: solids have none. */
static ig_status support_read(ig_structure *s, int i, const ig_structure_support *c) {
  const double *value[2] = {c->displacement, c->rotation};
  double scale[6];
  bool on[6] = {false};
  const bool moves = !isnan(c->displacement[0]) || !isnan(c->rotation[0]);
  const char *text = c->fix ? c->fix : c->components;
  if (moves == (c->fix != NULL))
    return ig_fail_at(s->cx, &c->at,
                      "a support has either `fix` or a `displacement` or `rotation`");
  for (const char *p = text; *p; p++) {
    if (*p == ' ' || *p == ',')
      continue;
    if (strncmp(p, "all", 3) == 0) {
      for (int d = 0; d < 6; d++)
        on[d] = true;
      p += 2;
      continue;
    }
    const int turn = *p == 'r' ? 3 : 0;
    p += *p == 'r';
    if (*p < 'x' || *p > 'z')
      return ig_fail_at(s->cx, &c->at, "'%s': expected some of x y z rx ry rz", text);
    on[turn + *p - 'x'] = true;
  }
  for (int d = 0; d < 6; d++) {
    scale[d] = moves ? value[d / 3][d % 3] : 0;
    on[d] = on[d] && !isnan(scale[d]);
  }
  ig_lid *node, count;
  IG_TRY(ig_structure_nodes(s, &c->at, c->set, &node, &count));
  ig_status status = IG_OK;
  for (ig_lid k = 0; k < count && status == IG_OK; k++)
    for (int d = 0; d < 6 && status == IG_OK; d++) {
      const int32_t unknown = on[d] ? ig_structure_unknown_at(s, node[k], d) : -1;
      if (unknown >= 0)
        status = held_add(s, unknown, i, scale[d]);
    }
  free(node);
  return status;
}

ig_status ig_structure_motions(void *self, double from, double to) {
  ig_structure *s = self;
  for (int i = 0; i < s->helds; i++)
    s->system->constraint[s->held[i].number].g = ig_structure_led(s, &s->held[i], from, to);
  return IG_OK;
}

/* `where: reached` keeps the offset at 0: the node stays where the analysis found it. */
static ig_status supports_read(ig_structure *s, int analysis) {
  s->helds = 0;
  for (int32_t i = 0; i < s->unknowns; i++)
    s->held_of[i] = -1;
  for (int i = 0; i < s->c->supports.count; i++) {
    const ig_structure_support *c = IG_ITEM(const ig_structure_support, s->c->supports, i);
    if (ig_structure_acts(analysis, c->first, c->last))
      IG_TRY(support_read(s, i, c));
  }
  for (int i = 0; i < s->helds; i++) {
    const ig_structure_support *c =
        IG_ITEM(const ig_structure_support, s->c->supports, s->held[i].support);
    if (!c->where)
      s->held[i].offset = s->u[s->held[i].unknown] -
                          s->held[i].scale * ig_structure_factor(s, &c->history, s->begin);
  }
  return IG_OK;
}

/* --- equations */

/* sum of factor x unknown = 0 is solved for the first unknown. Terms that name it again are
   added to its factor. */
static ig_status equation_add(ig_structure *s, const ig_structure_equation *c, int terms,
                              const int32_t *unknown) {
  int32_t *master = NULL;
  double *factor = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &master, terms, "equation"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &factor, terms, "equation"));
  /* The factor of the first unknown, with repeated terms. */
  double own = 0;
  for (int i = 0; i < terms; i++)
    own += unknown[i] == unknown[0] ? c->factors.value[i] : 0;
  if (own == 0) {
    status = ig_fail_at(s->cx, &c->at, "the factor of the first term is 0");
    goto done;
  }
  int count = 0;
  for (int i = 1; i < terms; i++)
    if (unknown[i] != unknown[0]) {
      master[count] = unknown[i];
      factor[count++] = -c->factors.value[i] / own;
    }
  status = ig_system_constrain(s->system, unknown[0], count, master, factor, 0, NULL);
done:
  free(master);
  free(factor);
  return status;
}

/* Sets: row r takes the r-th node of each set; a set of one node stands in all rows. */
static ig_status equation_read(ig_structure *s, const ig_structure_equation *c) {
  const int terms = c->nodes.count;
  ig_lid **node = NULL, *count = NULL, rows = 1;
  int32_t *unknown = NULL;
  ig_status status;
  if (terms < 1 || c->components.count != terms || c->factors.count != terms)
    return ig_fail_at(s->cx, &c->at,
                      "%d nodes, %d components, %d factors: expected as many of each", terms,
                      c->components.count, c->factors.count);
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &node, terms, "equation"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &count, terms, "equation"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &unknown, terms, "equation"));
  for (int i = 0; i < terms; i++) {
    IG_TRY_GOTO(status, done,
                ig_structure_term_nodes(s, &c->at, c->nodes.value[i], &node[i], &count[i]));
    rows = count[i] > rows ? count[i] : rows;
  }
  for (ig_lid r = 0; r < rows; r++) {
    for (int i = 0; i < terms; i++) {
      const int component = ig_structure_component(c->components.value[i]);
      if (component < 0 || (count[i] != 1 && count[i] != rows)) {
        status = ig_fail_at(s->cx, &c->at,
                            component < 0 ? "'%s': expected x, y, z, rx, ry or rz"
                                          : "'%s': sets of an equation have the same size, or 1",
                            component < 0 ? c->components.value[i] : c->nodes.value[i]);
        goto done;
      }
      unknown[i] = ig_structure_unknown_at(s, node[i][count[i] == 1 ? 0 : r], component);
      if (unknown[i] < 0) {
        status = ig_fail_at(s->cx, &c->at, "node '%s' does not turn", c->nodes.value[i]);
        goto done;
      }
    }
    IG_TRY_GOTO(status, done, equation_add(s, c, terms, unknown));
  }
done:
  for (int i = 0; node && i < terms; i++)
    free(node[i]);
  free(node);
  free(count);
  free(unknown);
  return status;
}

/* --- couplings */

/* Components of a coupled node in axes R (rows) that move with the body: with e the axes of those
   that are coupled, e u = e (u_reference + L turn), solved for as many components of u.

   A: the rows that are coupled, brought to unit columns of the pivots, so that each row has one
   slave. Other components of the node stay masters. */
static ig_status turned_add(ig_structure *s, ig_lid node, const bool on[3], const double R[9],
                            ig_lid reference, int32_t turn, double L[3][3]) {
  double A[3][6]; /* coefficients of u; of the motion of the body at the node */
  int rows = 0, pivot[3] = {-1, -1, -1};
  for (int d = 0; d < 3; d++)
    if (on[d]) {
      for (int k = 0; k < 3; k++)
        A[rows][k] = A[rows][3 + k] = R[3 * d + k];
      rows++;
    }
  for (int r = 0; r < rows; r++) { /* Gauss-Jordan, the largest of the row as pivot */
    int p = 0;
    for (int k = 1; k < 3; k++)
      p = fabs(A[r][k]) > fabs(A[r][p]) ? k : p;
    const double size = A[r][p];
    pivot[r] = p;
    for (int k = 0; k < 6; k++)
      A[r][k] /= size;
    for (int q = 0; q < rows; q++) {
      const double times = A[q][p];
      for (int k = 0; k < 6 && q != r; k++)
        A[q][k] -= times * A[r][k];
    }
  }
  for (int r = 0; r < rows; r++) {
    int32_t master[9];
    double factor[9];
    int count = 0;
    for (int k = 0; k < 3; k++)
      if (k != pivot[r] && fabs(A[r][k]) > 1e-14) {
        master[count] = 3 * node + k;
        factor[count++] = -A[r][k];
      }
    for (int k = 0; k < 3; k++) {
      master[count] = 3 * reference + k;
      factor[count++] = A[r][3 + k];
    }
    for (int k = 0; k < 3; k++) {
      master[count] = turn + k;
      factor[count++] = A[r][3] * L[0][k] + A[r][4] * L[1][k] + A[r][5] * L[2][k];
    }
    IG_TRY(ig_system_constrain(s->system, 3 * node + pivot[r], count, master, factor, 0, NULL));
  }
  return IG_OK;
}

/* turn: first of the three rotations of the body: those of the reference, or the displacements
   of a rotation node (CalculiX's ROT NODE). Rigid bodies couple all components, kinematic ones
   some. Bodies without axes of their own are stored in s->body, so that large rotations can
   follow. */
static ig_status body_add(ig_structure *s, const ig_structure_coupling *c, ig_lid reference,
                          int32_t turn, const ig_lid *node, ig_lid count) {
  bool on[3] = {true, true, true};
  for (int d = 0; d < 3 && c->kind == IG_COUPLING_KINEMATIC; d++) {
    on[d] = false;
    for (const char *p = c->components; *p; p++)
      on[d] |= *p == 'x' + d && (p == c->components || p[-1] != 'r');
  }
  if (c->kind == IG_COUPLING_KINEMATIC && c->axes && s->large)
    return ig_fail_at(s->cx, &c->at,
                      "a kinematic coupling with `axes` of its own is for small displacements: "
                      "leave out `large`, or couple all components without axes");
  const double *x = s->mesh->x;
  for (ig_lid k = 0; k < count; k++) {
    const ig_lid n = node[k];
    if (n == reference || 3 * n == turn)
      continue;
    double r[3], L[3][3];
    for (int d = 0; d < 3; d++)
      r[d] = x[3 * (size_t)n + (size_t)d] - x[3 * (size_t)reference + (size_t)d];
    ig_structure_lever(r, L);
    if (c->kind == IG_COUPLING_KINEMATIC && c->axes) {
      double R[9];
      ig_structure_coupling_axes(c, x + 3 * (size_t)n, R);
      IG_TRY(turned_add(s, n, on, R, reference, turn, L));
    }
    for (int d = 0; d < 3 && !(c->kind == IG_COUPLING_KINEMATIC && c->axes); d++) {
      if (!on[d])
        continue;
      const int32_t master[4] = {3 * reference + d, turn, turn + 1, turn + 2};
      const double factor[4] = {1, L[d][0], L[d][1], L[d][2]};
      /* Kept for large rotations: ig_structure_follow overwrites the coefficients of this
         constraint. */
      ig_structure_body body = {3 * n + d, d, 3 * reference, turn, {r[0], r[1], r[2]}, 0};
      IG_TRY(ig_system_constrain(s->system, 3 * n + d, 4, master, factor, 0, &body.number));
      IG_TRY(IG_MORE(s->cx, &s->body, s->bodies, "couplings"));
      s->body[s->bodies++] = body;
    }
    const bool turning = s->turn && s->cluster && n < s->drawn && s->cluster[n].turning;
    for (int d = 0; d < 3 && turning; d++) { /* shells and beams turn, too */
      const char turns[3] = {'r', (char)('x' + d), 0};
      const int32_t master = turn + d;
      const double one = 1;
      if (c->kind == IG_COUPLING_RIGID || strstr(c->components, turns))
        IG_TRY(ig_system_constrain(s->system, s->turn[n] + d, 1, &master, &one, 0, NULL));
    }
  }
  return IG_OK;
}

/* The reference moves with the weighted mean of the nodes: u = sum w u_i, turn = J^-1 sum w r x
 * u_i.

   J = sum of w (r.r 1 - r r^T) / sum w is the inertia of the weights about their centre; for a
   rigid motion of the nodes the formula returns exactly its rotation. det > 1e-12 of the cube of
   its largest diagonal entry: nodes on one line have a singular J. The reference need not be at
   the centre: the lever L carries the motion there. Virtual work then distributes its forces and
   moments over the nodes. */
static ig_status mean_add(ig_structure *s, ig_lid reference, int32_t turn, const ig_lid *node,
                          const double *weight, ig_lid count) {
  const double *x = s->mesh->x;
  double centre[3] = {0, 0, 0}, sum = 0, J[9] = {0}, inverse[9];
  for (ig_lid k = 0; k < count; k++) {
    sum += weight[k];
    for (int d = 0; d < 3; d++)
      centre[d] += weight[k] * x[3 * (size_t)node[k] + (size_t)d];
  }
  for (int d = 0; d < 3; d++)
    centre[d] /= sum;
  for (ig_lid k = 0; k < count; k++) {
    double r[3], square = 0;
    for (int d = 0; d < 3; d++) {
      r[d] = x[3 * (size_t)node[k] + (size_t)d] - centre[d];
      square += r[d] * r[d];
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        J[3 * i + j] += weight[k] / sum * ((i == j ? square : 0) - r[i] * r[j]);
  }
  const double det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                     J[2] * (J[3] * J[7] - J[4] * J[6]);
  const double most = fmax(J[0], fmax(J[4], J[8]));
  if (!(det > 1e-12 * most * most * most))
    return IG_FAIL(s->cx, IG_INPUT,
                   "a distributing coupling has its nodes on one line: it cannot take moments");
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
      inverse[3 * i + j] = (J[3 * a + c] * J[3 * b + e] - J[3 * a + e] * J[3 * b + c]) / det;
    }
  /* From the centre of the weights to the reference. */
  double arm[3], L[3][3];
  for (int d = 0; d < 3; d++)
    arm[d] = x[3 * (size_t)reference + (size_t)d] - centre[d];
  ig_structure_lever(arm, L);
  int32_t *master;
  double *factor;
  IG_TRY(IG_NEW(s->cx, &master, 3 * (size_t)count, "coupling"));
  const ig_status got = IG_NEW(s->cx, &factor, 18 * (size_t)count, "coupling");
  if (got != IG_OK) {
    free(master);
    return got;
  }
  /* rows 3 to 5: the turn; rows 0 to 2: the mean at the centre, carried to the reference */
  for (ig_lid k = 0; k < count; k++) {
    double r[3], T[3][3]; /* turn by the node: J^-1 w [r x] */
    for (int d = 0; d < 3; d++)
      r[d] = x[3 * (size_t)node[k] + (size_t)d] - centre[d];
    const double X[3][3] = {{0, -r[2], r[1]}, {r[2], 0, -r[0]}, {-r[1], r[0], 0}};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        T[i][j] = 0;
        for (int m = 0; m < 3; m++)
          T[i][j] += inverse[3 * i + m] * X[m][j] * weight[k] / sum;
      }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const size_t at = 3 * (size_t)k + (size_t)j, width = 3 * (size_t)count;
        master[at] = 3 * node[k] + j;
        factor[(3 + (size_t)i) * width + at] = T[i][j];
        factor[(size_t)i * width + at] = (i == j ? weight[k] / sum : 0) + L[i][0] * T[0][j] +
                                         L[i][1] * T[1][j] + L[i][2] * T[2][j];
      }
  }
  /* Rows 0 to 2 and 3 to 5 are turned to the axes of the reference, column by column: `row` is
     the entry of component 0, the others are `width` apart. */
  if (s->framed && s->framed[reference] >= 0) { /* motions and rotations in axes of the reference */
    const double *R = s->frame[s->framed[reference]];
    const size_t width = 3 * (size_t)count;
    for (size_t at = 0; at < 2 * width; at++) {
      double *row = factor + at / width * 3 * width + at % width, fixed[3];
      for (int i = 0; i < 3; i++)
        fixed[i] = row[(size_t)i * width];
      for (int i = 0; i < 3; i++)
        row[(size_t)i * width] =
            R[3 * i] * fixed[0] + R[3 * i + 1] * fixed[1] + R[3 * i + 2] * fixed[2];
    }
  }
  ig_status status = IG_OK;
  for (int i = 0; i < 6 && status == IG_OK; i++)
    if (i < 3 || turn >= 0)
      status = ig_system_constrain(s->system, i < 3 ? 3 * reference + i : turn + i - 3, 3 * count,
                                   master, factor + (size_t)i * 3 * (size_t)count, 0, NULL);
  free(master);
  free(factor);
  return status;
}

/* Areas of nodes in a set of faces; 1 each in a set of nodes.
   A set of faces: the integral of each node's shape function, so that a coupling does not depend
   on how fine the mesh is. Cost: faces x nodes of the set; sets of couplings are small. */
static ig_status weights_of(ig_structure *s, const char *name, const ig_lid *node, ig_lid count,
                            double *weight) {
  const ig_set *faces = ig_mesh_find_set(s->mesh, name, IG_SET_FACES);
  for (ig_lid k = 0; k < count; k++)
    weight[k] = faces ? 0 : 1;
  for (ig_lid i = 0; faces && i < faces->count; i++) {
    ig_lid on[8];
    double w[8];
    const int nodes = ig_mesh_face_nodes(s->mesh, faces->item[i], faces->face[i], on);
    ig_structure_face_weights(s->mesh, nodes, on, w);
    for (int a = 0; a < nodes; a++)
      for (ig_lid k = 0; k < count; k++)
        if (node[k] == on[a])
          weight[k] += w[a];
  }
  return IG_OK;
}

/* u = sum w u_i / sum w. */
static ig_status average_add(ig_structure *s, ig_lid reference, const ig_lid *node,
                             const double *weight, ig_lid count) {
  int32_t *master = NULL;
  double *share = NULL, sum = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &master, count, "coupling"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &share, count, "coupling"));
  for (ig_lid k = 0; k < count; k++)
    sum += weight[k];
  for (int d = 0; d < 3 && status == IG_OK; d++) {
    for (ig_lid k = 0; k < count; k++) {
      master[k] = 3 * node[k] + d;
      share[k] = weight[k] / sum;
    }
    status = ig_system_constrain(s->system, 3 * reference + d, count, master, share, 0, NULL);
  }
done:
  free(master);
  free(share);
  return status;
}

/* Order of kinds: rigid and kinematic (nodes follow the reference) come before distributing and
   mean (the reference follows the nodes). */
static ig_status coupling_read(ig_structure *s, const ig_structure_coupling *c) {
  ig_lid *node = NULL, *one = NULL, count, ones;
  double *weight = NULL;
  ig_status status;
  IG_TRY_GOTO(status, done, ig_structure_nodes(s, &c->at, c->node, &one, &ones));
  const ig_lid reference = one[0];
  int32_t turn = s->turn ? s->turn[reference] : -1;
  if (c->rotation_node) {
    free(one);
    one = NULL;
    IG_TRY_GOTO(status, done, ig_structure_nodes(s, &c->at, c->rotation_node, &one, &ones));
    turn = 3 * one[0];
  }
  IG_TRY_GOTO(status, done, ig_structure_nodes(s, &c->at, c->set, &node, &count));
  if (c->kind != IG_COUPLING_DISTRIBUTING)
    IG_TRY_GOTO(status, done, ig_structure_unframed(s, &c->at, &reference, 1));
  IG_TRY_GOTO(status, done, ig_structure_unframed(s, &c->at, node, count));
  if (c->kind < IG_COUPLING_DISTRIBUTING) {
    status = body_add(s, c, reference, turn, node, count);
    goto done;
  }
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &weight, count, "coupling"));
  IG_TRY_GOTO(status, done, weights_of(s, c->set, node, count, weight));
  status = c->kind == IG_COUPLING_MEAN ? average_add(s, reference, node, weight, count)
                                       : mean_add(s, reference, turn, node, weight, count);
done:
  free(node);
  free(one);
  free(weight);
  return status;
}

/* Bodies turn by large angles: slaves and coefficients at the rotation vector reached.

   Called by Newton's method with the increments u of the step (large displacements only). A
   slave is put where the rotated arm has it, u_ref + R(t) arm - arm, and the coefficients become
   the derivative there, so that the tangent is consistent. */
void ig_structure_follow(void *self, double *u) {
  ig_structure *s = self;
  for (int i = 0; i < s->bodies; i++) {
    const ig_structure_body *b = &s->body[i];
    double t[3], A[3][3], R[3][3], T[3][3];
    for (int d = 0; d < 3; d++)
      t[d] = s->u[b->turn + d] + u[b->turn + d];
    ig_structure_turned(t, R, T);
    double now[3];
    for (int d = 0; d < 3; d++)
      now[d] = R[d][0] * b->arm[0] + R[d][1] * b->arm[1] + R[d][2] * b->arm[2];
    ig_structure_lever(now, A);
    const int d = b->component;
    u[b->slave] =
        s->u[b->reference + d] + u[b->reference + d] + now[d] - b->arm[d] - s->u[b->slave];
    double *to = s->system->coefficient + s->system->constraint[b->number].at;
    for (int q = 0; q < 3; q++)
      to[1 + q] = A[d][0] * T[0][q] + A[d][1] * T[1][q] + A[d][2] * T[2][q];
  }
  ig_structure_knots_follow(s, u);
  ig_structure_joints_follow(s, u);
}

/* Joints come last: they choose slaves among components that no other constraint has. */
ig_status ig_structure_constrain(ig_structure *s, int analysis) {
  const int32_t *made = &s->system->constraints;
  s->bodies = s->sources = 0;
  IG_TRY(ig_structure_expansion_constrain(s));
  for (int i = 0; i < s->c->equations.count; i++) {
    const ig_structure_equation *c = IG_ITEM(const ig_structure_equation, s->c->equations, i);
    const int32_t begin = *made;
    if (analysis + 1 >= c->first && (c->last == 0 || analysis + 1 <= c->last))
      IG_TRY(equation_read(s, c));
    IG_TRY(ig_structure_source_add(s, "equation", &c->at, begin));
  }
  for (int i = 0; i < s->c->couplings.count; i++) {
    const ig_structure_coupling *c = IG_ITEM(const ig_structure_coupling, s->c->couplings, i);
    const int32_t begin = *made;
    IG_TRY(coupling_read(s, c));
    IG_TRY(ig_structure_source_add(s, "coupling", &c->at, begin));
  }
  for (int i = 0; i < s->c->ties.count; i++) {
    const ig_structure_tie *c = IG_ITEM(const ig_structure_tie, s->c->ties, i);
    const int32_t begin = *made;
    IG_TRY(ig_structure_tie_read(s, c));
    IG_TRY(ig_structure_source_add(s, "tie", &c->at, begin));
  }
  IG_TRY(supports_read(s, analysis));
  IG_TRY(ig_structure_overruled_check(s));
  return ig_structure_joints_constrain(s);
}
