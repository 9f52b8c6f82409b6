/* Rigid tools: how far away they are, and whether the part is on their side. */
#include "contact/points.h"
#include "mesh/named.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_contact_tool_find(const ig_contact *s, const ig_contact_case *c, int *tool) {
  *tool = 0;
  for (int i = 0; i < s->tools->count; i++)
    if (strcmp(IG_ITEM(const ig_contact_tool, *s->tools, i)->name, c->to) == 0)
      *tool = i + 1;
  if (*tool && (c->tied || c->sliding || !isnan(c->clearance) || !isnan(c->distance) ||
                !isnan(c->adjust) || c->adjust_nodes))
    return ig_fail_at(s->bodies.cx, &c->at,
                      "contact with the tool '%s': `tied`, `sliding: small`, `clearance`, "
                      "`distance` and `adjust` are for faces: leave them out",
                      c->to);
  return IG_OK;
}

double ig_contact_tool_gap(const ig_contact *s, int tool, double time, const double x[3],
                           double n[3], double moved[3], double bend[9]) {
  const ig_contact_tool *c = IG_ITEM(const ig_contact_tool, *s->tools, tool - 1);
  const double way = c->history.count ? s->bodies.factor(s->bodies.self, &c->history, time) : 1;
  const double long_ =
      sqrt(c->axis[0] * c->axis[0] + c->axis[1] * c->axis[1] + c->axis[2] * c->axis[2]);
  const bool plane = c->shape == IG_RIGID_PLANE, round = c->shape == IG_RIGID_SPHERE;
  double d[3], along = 0, far = 0;
  for (int k = 0; k < 3; k++) {
    moved[k] = d[k] = x[k] - c->point[k] - way * c->displacement[k];
    along += d[k] * c->axis[k] / long_;
  }
  for (int k = 0; k < 3; k++) {
    d[k] = plane ? c->axis[k] / long_ : round ? d[k] : d[k] - along * c->axis[k] / long_;
    far += d[k] * d[k];
  }
  far = sqrt(far);
  const double sign = c->hollow ? -1 : 1;
  for (int k = 0; k < 3; k++)
    n[k] = far > 0 ? sign * d[k] / far : 0;
  for (int i = 0; i < 9 && bend; i++)
    bend[i] = plane || !(far > 0)
                  ? 0
                  : sign / far *
                        ((i % 4 == 0) - n[i / 3] * n[i % 3] -
                         (round ? 0 : c->axis[i / 3] * c->axis[i % 3] / (long_ * long_)));
  return plane ? sign * along : sign * (far - c->radius);
}

bool ig_contact_round_passes(const double a[3], const double b[3], double radius) {
  double aa = 0, ab = 0, bb = 0;
  for (int k = 0; k < 3; k++) {
    aa += a[k] * a[k];
    ab += a[k] * b[k];
    bb += b[k] * b[k];
  }
  /* nearest place of the way between them, where it is not an end */
  const double long_ = aa - 2 * ab + bb, least = long_ > 0 ? (aa * bb - ab * ab) / long_ : aa;
  return ab < 0 && least < 0.8 * radius * radius;
}

bool ig_contact_tool_passes(const ig_contact *s, const ig_contact_point *p, const double now[3]) {
  const ig_contact_tool *c = IG_ITEM(const ig_contact_tool, *s->tools, p->tool - 1);
  double a[3], b[3], axis = 0, along[2] = {0, 0};
  if (c->shape == IG_RIGID_PLANE || c->hollow)
    return false;
  for (int k = 0; k < 3; k++) {
    axis += c->axis[k] * c->axis[k];
    along[0] += c->axis[k] * p->before[k];
    along[1] += c->axis[k] * now[k];
  }
  for (int k = 0; k < 3; k++) {
    const double out = c->shape == IG_RIGID_CYLINDER ? c->axis[k] / axis : 0;
    a[k] = p->before[k] - along[0] * out;
    b[k] = now[k] - along[1] * out;
  }
  return ig_contact_round_passes(a, b, c->radius);
}

/* Where a tool comes nearest to the nodes of a contact, or stands deepest in them: its distance,
   the largest one, and the node. Nothing is moved: the state is that in which the analysis begins.
 */
typedef struct {
  double least, most;
  ig_lid node;
} reach;

static ig_status reach_find(const ig_contact *s, const ig_contact_case *c, int tool, reach *r) {
  ig_lid *node = NULL, count = 0;
  IG_TRY(ig_mesh_named_nodes(s->bodies.cx, s->bodies.mesh, &c->at, c->set, &node, &count));
  *r = (reach){INFINITY, -INFINITY, -1};
  for (ig_lid k = 0; k < count; k++) {
    double x[3], n[3], moved[3];
    s->bodies.place(s->bodies.self, node[k], NULL, x);
    const double gap = ig_contact_tool_gap(s, tool, s->time, x, n, moved, NULL);
    r->most = fmax(r->most, gap);
    if (gap < r->least)
      r->least = gap, r->node = node[k];
  }
  free(node);
  return IG_OK;
}

/* The distance of the middle of the elements around a node to a tool, NaN: it has none; and the
   largest distance of their nodes from that middle. */
static double within(const ig_contact *s, int tool, ig_lid node, double *size) {
  const ig_mesh *mesh = s->bodies.mesh;
  double sum = 0;
  int count = 0;
  *size = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const int npe = ig_elem_info_get(mesh->block[b].type)->nodes;
    for (ig_lid e = 0; e < mesh->block[b].count; e++) {
      const ig_lid *conn = mesh->block[b].conn + (size_t)e * (size_t)npe;
      double middle[3] = {0, 0, 0}, x[3], n[3], moved[3], far = 0;
      bool around = false;
      for (int a = 0; a < npe; a++)
        around |= conn[a] == node;
      for (int a = 0; a < npe && around; a++) {
        s->bodies.place(s->bodies.self, conn[a], NULL, x);
        for (int d = 0; d < 3; d++)
          middle[d] += x[d] / npe;
      }
      if (!around)
        continue;
      s->bodies.place(s->bodies.self, node, NULL, x);
      for (int d = 0; d < 3; d++)
        far += (x[d] - middle[d]) * (x[d] - middle[d]);
      *size = fmax(*size, sqrt(far));
      sum += ig_contact_tool_gap(s, tool, s->time, middle, n, moved, NULL);
      count++;
    }
  }
  return count ? sum / count : NAN;
}

/* Where the tool is on its right side, the part's inside is farther from it than the place that
   touches first (bars that lie along it have none), and the tool is not past all of them. */
ig_status ig_contact_tool_side(const ig_contact *s, const ig_contact_case *c, int tool) {
  const ig_contact_tool *t = IG_ITEM(const ig_contact_tool, *s->tools, tool - 1);
  reach r;
  double size = 0;
  IG_TRY(reach_find(s, c, tool, &r));
  const double inside = r.node < 0 ? NAN : within(s, tool, r.node, &size);
  if (isnan(inside) || (inside > r.least - 1e-6 * size && r.most > -2 * size))
    return IG_OK;
  return ig_fail_at(
      s->bodies.cx, &t->at, "the part of '%s' begins behind the tool '%s': %s", c->set, t->name,
      t->shape == IG_RIGID_PLANE ? "turn its `axis`, which points to where the part is, or move it"
      : t->hollow                ? "the part is inside a `hollow` one: leave that out, or move it"
                                 : "give `hollow: true` where the part is inside, or move it");
}
