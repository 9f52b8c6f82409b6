/* Joints between nodes.

   Derivatives are by fourth-order differences of the condition itself: joints are few, and one
   formula cannot disagree with its derivative. Equations and slaves are described in joint.h. */
#include "structure/joint.h"
#include "structure/constrain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One equation.
   node: `nodes` entries, owned. size: the largest distance from the first node, m, by which
   conditions are made dimensionless; it is also the scale of the difference step. */
struct ig_structure_condition {
  const ig_structure_joint *c;
  int nodes;
  ig_lid *node;
  int part;       /* straight: which component of the product */
  int32_t angle;  /* mean rotation: unknown, -1: none */
  double axis[3]; /* of it */
  double size;    /* of the nodes at the start */
  int32_t slave, number;
};

static double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

static void minus3(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++)
    c[d] = a[d] - b[d];
}

/* Sum of the sines of the rotations of nodes about an axis through their centre.
   Positions are taken from the centre of the nodes, at the start (X) and now (x), and projected
   across the axis; the sine of a node's rotation is axis . (p0 x p1) / (|p0| |p1|). A node on
   the axis has none. */
static double sines(const ig_structure_condition *j, const double *X, const double *x) {
  double centre[2][3] = {{0}}, sum = 0;
  for (int i = 0; i < j->nodes; i++)
    for (int d = 0; d < 3; d++) {
      centre[0][d] += X[3 * i + d] / j->nodes;
      centre[1][d] += x[3 * i + d] / j->nodes;
    }
  for (int i = 0; i < j->nodes; i++) {
    double p[2][3], turned[3];
    for (int k = 0; k < 2; k++) {
      minus3((k ? x : X) + (size_t)(3 * i), centre[k], p[k]);
      const double along = dot3(p[k], j->axis);
      for (int d = 0; d < 3; d++)
        p[k][d] -= along * j->axis[d];
    }
    const double lengths = sqrt(dot3(p[0], p[0]) * dot3(p[1], p[1]));
    cross3(p[0], p[1], turned);
    sum += lengths > 0 ? dot3(turned, j->axis) / lengths : 0;
  }
  return sum;
}

/* g at positions x, over a length; X: at the start.
   distance: (|x1 - x0| - |X1 - X0|) / size; straight: component `part` of (x_last - x0) x (x1 -
   x0); plane: (x_last - x0) . ((x1 - x0) x (x2 - x0)); each over the power of size that makes it
   a number. */
static double condition(const ig_structure_condition *j, const double *X, const double *x,
                        double angle) {
  double a[3], b[3], n[3], p[3];
  if (j->c->kind == IG_JOINT_MEAN_ROTATION)
    return sines(j, X, x) - j->nodes * sin(angle);
  if (j->c->kind == IG_JOINT_DISTANCE) {
    minus3(x + 3, x, a);
    minus3(X + 3, X, b);
    return (sqrt(dot3(a, a)) - sqrt(dot3(b, b))) / j->size;
  }
  const int last = j->nodes - 1;
  minus3(x + 3, x, a);
  minus3(x + (size_t)(3 * last), x, p);
  if (j->c->kind == IG_JOINT_STRAIGHT) {
    cross3(p, a, n);
    return n[j->part] / (j->size * j->size);
  }
  minus3(x + 6, x, b);
  cross3(a, b, n);
  return dot3(p, n) / (j->size * j->size * j->size);
}

/* Positions at the start and now.
   Returns the angle of a mean rotation, 0 of others. */
static double places(const ig_structure *s, const ig_structure_condition *j, const double *add,
                     double *X, double *x) {
  ig_structure_gather(s, j->node, j->nodes, add, X, x);
  for (int i = 0; i < 3 * j->nodes; i++)
    x[i] += X[i];
  return j->angle < 0 ? 0 : s->u[j->angle] + (add ? add[j->angle] : 0);
}

/* Derivatives by the components of the nodes, in their axes.
   step 1e-5 of the size: the fourth-order error is about 1e-20 relative, rounding about 1e-11. x
   is restored. */
static void slopes(const ig_structure *s, const ig_structure_condition *j, const double *X,
                   double *x, double angle, double *slope) {
  const double step = 1e-5 * j->size;
  for (int i = 0; i < 3 * j->nodes; i++) {
    const double at = x[i];
    double side[4]; /* fourth-order differences */
    static const int by[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; k++) {
      x[i] = at + by[k] * step;
      side[k] = condition(j, X, x, angle);
    }
    x[i] = at;
    slope[i] = (side[0] - 8 * side[1] + 8 * side[2] - side[3]) / (12 * step);
  }
  ig_structure_to_local(s, j->node, j->nodes, slope, NULL);
}

/* Positions at the start (X), now (x), and derivatives; one block of memory. */
typedef struct {
  double *X, *x, *slope;
} scratch;

/* One allocation, of X, x and slope (3 nodes each); free w->X. */
static ig_status scratch_new(ig_structure *s, int nodes, scratch *w) {
  IG_TRY(IG_NEW(s->cx, &w->X, 9 * (size_t)nodes, "joints"));
  w->x = w->X + 3 * (size_t)nodes;
  w->slope = w->x + 3 * (size_t)nodes;
  return IG_OK;
}

/* Whether the condition has a component of a node: part d of a product has no component d. */
static bool has(const ig_structure_condition *j, int i) {
  return j->c->kind != IG_JOINT_STRAIGHT || i % 3 != j->part;
}

/* A free component to solve for: the one with the largest derivative of the preferred nodes, the
   last ones of lines and planes.
   row[] < 0: no constraint has the unknown yet. 1 + 1e-9: among equal derivatives the first is
   taken, whatever the rounding. */
static int slave_find(const ig_structure *s, const ig_structure_condition *j, const double *slope) {
  int best = -1;
  double most = 0;
  for (int i = 0; i < 3 * j->nodes; i++)
    most = fmax(most, fabs(slope[i]));
  for (int pass = 0; pass < 2 && best < 0; pass++)
    for (int i = 0; i < 3 * j->nodes; i++) {
      const bool last = i / 3 == j->nodes - 1;
      if (pass == 0 && !last && j->c->kind != IG_JOINT_MEAN_ROTATION)
        continue;
      if (has(j, i) && s->system->row[3 * j->node[i / 3] + i % 3] < 0 &&
          fabs(slope[i]) > 1e-6 * most &&
          (best < 0 || fabs(slope[i]) > fabs(slope[best]) * (1 + 1e-9)))
        best = i;
    }
  return best;
}

/* Linear analyses use the derivatives of the drawn positions and the angle 0. */
static ig_status row_add(ig_structure *s, ig_structure_condition *j) {
  scratch w;
  int32_t *master = NULL;
  double *factor = NULL;
  ig_status status;
  IG_TRY(scratch_new(s, j->nodes, &w));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &master, 3 * j->nodes + 1, "joints"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &factor, 3 * j->nodes + 1, "joints"));
  const double angle = places(s, j, NULL, w.X, w.x);
  if (!s->large)
    memcpy(w.x, w.X, 3 * (size_t)j->nodes * sizeof *w.x);
  slopes(s, j, w.X, w.x, s->large ? angle : 0, w.slope);
  const int slave = slave_find(s, j, w.slope);
  if (slave < 0) {
    status = ig_fail_at(s->cx, &j->c->at,
                        "nothing is left for this joint to move: other constraints have all "
                        "components of its nodes");
    goto done;
  }
  int count = 0;
  for (int i = 0; i < 3 * j->nodes; i++)
    if (i != slave && (s->framed || has(j, i))) {
      master[count] = 3 * j->node[i / 3] + i % 3;
      factor[count++] = -w.slope[i] / w.slope[slave];
    }
  if (j->angle >= 0) {
    master[count] = j->angle;
    factor[count++] = j->nodes * cos(s->large ? angle : 0) / w.slope[slave];
  }
  j->slave = 3 * j->node[slave / 3] + slave % 3;
  status = ig_system_constrain(s->system, j->slave, count, master, factor, 0, &j->number);
done:
  free(w.X);
  free(master);
  free(factor);
  return status;
}

/* Newton's method for the slave alone, at most 20 passes, to 1e-13 of the size; then the
   coefficients of the constraint at the new positions, in the order in which row_add wrote them. */
void ig_structure_joints_follow(ig_structure *s, double *u) {
  for (int i = 0; i < s->rows; i++) {
    const ig_structure_condition *j = &s->row[i];
    scratch w;
    if (scratch_new(s, j->nodes, &w) != IG_OK)
      return;
    int slave = 0;
    double angle = 0;
    while (3 * j->node[slave / 3] + slave % 3 != j->slave)
      slave++;
    for (int turn = 0; turn < 20; turn++) {
      angle = places(s, j, u, w.X, w.x);
      slopes(s, j, w.X, w.x, angle, w.slope);
      const double off = condition(j, w.X, w.x, angle);
      if (w.slope[slave] == 0)
        break;
      u[j->slave] -= off / w.slope[slave];
      if (fabs(off) < 1e-13)
        break;
    }
    double *to = s->system->coefficient + s->system->constraint[j->number].at;
    for (int k = 0; k < 3 * j->nodes && w.slope[slave] != 0; k++)
      if (k != slave && (s->framed || has(j, k)))
        *to++ = -w.slope[k] / w.slope[slave];
    if (j->angle >= 0 && w.slope[slave] != 0)
      *to = j->nodes * cos(angle) / w.slope[slave];
    free(w.X);
  }
}

/* Nodes of a joint, each once. */
static ig_status nodes_read(ig_structure *s, const ig_structure_joint *c, ig_lid **node,
                            int *nodes) {
  *node = NULL;
  *nodes = 0;
  for (int i = 0; i < c->nodes.count; i++) {
    ig_lid *some = NULL, count = 0;
    ig_status status = ig_structure_term_nodes(s, &c->at, c->nodes.value[i], &some, &count);
    for (ig_lid k = 0; k < count && status == IG_OK; k++) {
      bool again = false;
      for (int m = 0; m < *nodes; m++)
        again |= (*node)[m] == some[k];
      if (!again)
        status = IG_MORE(s->cx, node, *nodes, "joints");
      if (!again && status == IG_OK)
        (*node)[(*nodes)++] = some[k];
    }
    free(some);
    IG_TRY(status);
  }
  return IG_OK;
}

/* node[0 .. fixed) are those that define line or plane; last: index of the node that is to lie
   on it, -1: none. */
static ig_status row_new(ig_structure *s, const ig_structure_joint *c, const ig_lid *node,
                         int fixed, int last, ig_structure_condition **to) {
  IG_TRY(IG_MORE(s->cx, &s->row, s->rows, "joints"));
  ig_structure_condition *j = &s->row[s->rows];
  *j = (ig_structure_condition){.c = c, .nodes = fixed + (last >= 0), .angle = -1};
  IG_TRY(IG_NEW(s->cx, &j->node, j->nodes, "joints"));
  s->rows++;
  memcpy(j->node, node, (size_t)fixed * sizeof *node);
  if (last >= 0)
    j->node[fixed] = node[last];
  for (int i = 1; i < j->nodes; i++) {
    double off[3];
    minus3(s->mesh->x + 3 * (size_t)j->node[i], s->mesh->x + 3 * (size_t)j->node[0], off);
    j->size = fmax(j->size, sqrt(dot3(off, off)));
  }
  if (!(j->size > 0))
    return ig_fail_at(s->cx, &c->at, "the nodes of this joint are at one place");
  *to = j;
  return IG_OK;
}

/* The node's position is the direction of the axis and its first displacement the angle, as
   CalculiX has it for MEANROT. */
static ig_status rotation_read(ig_structure *s, const ig_structure_joint *c,
                               ig_structure_condition *j) {
  ig_lid *node = NULL, count = 0;
  if (!c->node)
    return ig_fail_at(s->cx, &c->at, "a mean rotation needs `node`, whose x is the angle");
  const ig_status status = ig_structure_term_nodes(s, &c->at, c->node, &node, &count);
  const ig_lid at = status == IG_OK && count == 1 ? node[0] : -1;
  free(node);
  IG_TRY(status);
  if (at < 0)
    return ig_fail_at(s->cx, &c->at, "'%s' has %d nodes: expected 1", c->node, (int)count);
  memcpy(j->axis, s->mesh->x + 3 * (size_t)at, sizeof j->axis);
  const double length = sqrt(dot3(j->axis, j->axis));
  if (!(length > 0))
    return ig_fail_at(s->cx, &c->at, "node '%s' is at the origin: its position is the axis",
                      c->node);
  for (int d = 0; d < 3; d++)
    j->axis[d] /= length;
  j->angle = 3 * at;
  return IG_OK;
}

/* straight: two equations for each further node, plane: one. */
static ig_status joint_add(ig_structure *s, const ig_structure_joint *c, const ig_lid *node,
                           int nodes) {
  /* Nodes that each kind needs. */
  static const int least[] = {2, 3, 4, 2};
  ig_structure_condition *j;
  if (nodes < least[c->kind] || (c->kind == IG_JOINT_DISTANCE && nodes != 2))
    return ig_fail_at(s->cx, &c->at, "%d nodes: expected %s%d", nodes,
                      c->kind == IG_JOINT_DISTANCE ? "" : "at least ", least[c->kind]);
  if (c->kind == IG_JOINT_DISTANCE || c->kind == IG_JOINT_MEAN_ROTATION) {
    IG_TRY(row_new(s, c, node, nodes, -1, &j));
    if (c->kind == IG_JOINT_MEAN_ROTATION)
      IG_TRY(rotation_read(s, c, j));
    return row_add(s, j);
  }
  const int fixed = c->kind == IG_JOINT_STRAIGHT ? 2 : 3;
  double along[3];
  minus3(s->mesh->x + 3 * (size_t)node[1], s->mesh->x + 3 * (size_t)node[0], along);
  int most = 0; /* of the three components of the product, the one along the line says nothing */
  for (int d = 1; d < 3; d++)
    most = fabs(along[d]) > fabs(along[most]) ? d : most;
  for (int i = fixed; i < nodes; i++)
    for (int part = 0; part < 3; part++) {
      if (fixed == 2 ? part == most : part > 0)
        continue;
      IG_TRY(row_new(s, c, node, fixed, i, &j));
      j->part = part;
      IG_TRY(row_add(s, j));
    }
  return IG_OK;
}

/* Made anew for each analysis, since slaves depend on the other constraints. */
ig_status ig_structure_joints_constrain(ig_structure *s) {
  ig_structure_joints_free(s);
  for (int i = 0; i < s->c->joints.count; i++) {
    const ig_structure_joint *c = IG_ITEM(const ig_structure_joint, s->c->joints, i);
    ig_lid *node;
    int nodes;
    ig_status status = nodes_read(s, c, &node, &nodes);
    if (status == IG_OK)
      status = joint_add(s, c, node, nodes);
    free(node);
    IG_TRY(status);
  }
  return IG_OK;
}

void ig_structure_joints_free(ig_structure *s) {
  for (int i = 0; i < s->rows; i++)
    free(s->row[i].node);
  free(s->row);
  s->row = NULL;
  s->rows = 0;
}
