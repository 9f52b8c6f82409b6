/* Forces through a set of faces, from the stresses of the elements, or heat from their fluxes:
   values of the points are continued to the nodes of each element, averaged over the elements of a
   node, and the tractions on the outward normals are integrated over the faces. Forces of nodes
   (reactions) are in equilibrium to rounding; these are as accurate as stresses are.

   force = integral of sigma n dA, moment = integral of x cross (sigma n) dA about the origin;
   normal force, shear, torque and bending follow from these at the centre of area with the mean
   normal. Heat: integral of q . n dA. */
#include "structure/constrain.h"
#include "mesh/face_place.h"
#include "mesh/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stresses (width 6) or heat fluxes (3) of the nodes that are marked.
   value: nodes x width, zeros on entry; filled for nodes of all elements that touch a marked
   one. Hollow beams are left out: their points do not fill the hex20 that the fit is for. */
static ig_status values_at_nodes(const ig_structure *s, int width, const uint8_t *marked,
                                 double *value) {
  int *elements;
  IG_TRY(IG_NEW(s->cx, &elements, s->nodes, "stresses of nodes"));
  ig_status status = IG_OK;
  for (int i = 0; i < s->groups; i++) {
    const ig_structure_group *g = &s->group[i];
    const int npe = ig_solid_info_get(g->kind)->nodes, points = ig_solid_info_get(g->kind)->points;
    for (int32_t e = 0; e < g->count && status == IG_OK; e++) {
      double report[IG_SOLID_POINTS * IG_SOLID_REPORT], own[6 * IG_SOLID_POINTS],
          at[6 * IG_SOLID_NODES];
      bool near = false;
      for (int a = 0; a < npe; a++)
        near |= marked[g->node[e][a]];
      if (!near || ig_structure_law(g, e)->rule)
        continue;
      if (width == 6) {
        status = ig_structure_report(s, g, e, NULL, report);
        for (int q = 0; q < points; q++)
          memcpy(own + 6 * q, report + q * IG_SOLID_REPORT, 6 * sizeof *own);
      } else {
        status = ig_structure_flux(s, g, e, own);
      }
      ig_solid_to_nodes(g->kind, width, own, at);
      for (int a = 0; a < npe; a++) {
        elements[g->node[e][a]]++;
        for (int k = 0; k < width; k++)
          value[width * g->node[e][a] + k] += at[width * a + k];
      }
    }
  }
  for (ig_lid n = 0; n < s->nodes; n++)
    for (int k = 0; k < width && elements[n]; k++)
      value[width * n + k] /= elements[n];
  free(elements);
  return status;
}

static void cross_add(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++)
    c[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Sums over the faces so far. */
typedef struct {
  double force[6], centre[6], area; /* force and moment about the origin; centre and normal */
  double heat;
} section;

/* Traction = stress . n; moments about the origin of the axes. Large: present positions, to
   which Cauchy stresses belong. */
static void face_add(const ig_structure *s, int width, const double *value, int nodes,
                     const ig_lid *node, section *out) {
  double x[8][3], at[9][2], weight[9];
  for (int a = 0; a < nodes; a++) {
    double u[3];
    ig_structure_gather(s, &node[a], 1, NULL, x[a], u);
    for (int d = 0; d < 3 && s->large; d++)
      x[a][d] += u[d];
  }
  const int points = ig_face_rule(nodes, at, weight);
  for (int q = 0; q < points; q++) {
    double N[8], d[8][2], t[2][3] = {{0}}, p[3] = {0}, n[3] = {0}, S[6] = {0}, f[3];
    ig_face_values(nodes, at[q], N, d);
    for (int a = 0; a < nodes; a++) {
      for (int i = 0; i < 3; i++) {
        p[i] += N[a] * x[a][i];
        t[0][i] += d[a][0] * x[a][i];
        t[1][i] += d[a][1] * x[a][i];
      }
      for (int k = 0; k < width; k++)
        S[k] += N[a] * value[width * node[a] + k];
    }
    /* Area vector of the point: outward, of the length of its area once weighted. */
    cross_add(t[0], t[1], n);
    for (int i = 0; i < 3; i++) {
      n[i] *= weight[q];
      out->centre[3 + i] += n[i];
    }
    out->heat += S[0] * n[0] + S[1] * n[1] + S[2] * n[2];
    const double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++) { /* components xx yy zz xy yz zx */
      f[i] = S[i] * n[i] + S[3 + i] * n[(i + 1) % 3] + S[3 + (i + 2) % 3] * n[(i + 2) % 3];
      out->force[i] += f[i];
      out->centre[i] += area * p[i];
    }
    out->area += area;
    cross_add(p, f, out->force + 3);
  }
}

/* First pass marks nodes, second integrates. Moments are shifted from the origin to the centre
   before torque and bending are taken. */
ig_status ig_structure_section_force(ig_structure *s, const ig_structure_table *c,
                                     double row[3][6]) {
  const ig_set *set;
  section out = {.area = 0};
  uint8_t *marked = NULL;
  const int width = c->quantity == IG_TABLE_SECTION ? 6 : 3;
  double *value = NULL, moment[3], about[3] = {0}, *n = out.centre + 3;
  ig_status status;
  IG_TRY(ig_mesh_named_set(s->cx, s->mesh, &c->at, c->set, IG_OF_FACES, &set));
  if (c->total)
    return ig_fail_at(s->cx, &c->at, "a section is a sum already: leave out `total`");
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &marked, s->nodes, "stresses of nodes"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &value, 6 * (size_t)s->nodes, "stresses of nodes"));
  for (int pass = 0; pass < 2; pass++) {
    for (ig_lid f = 0; f < set->count; f++) {
      ig_lid node[8];
      const int nodes = ig_mesh_face_nodes(s->mesh, set->item[f], set->face[f], node);
      for (int a = 0; a < nodes && pass == 0; a++)
        marked[node[a]] = 1;
      if (pass)
        face_add(s, width, value, nodes, node, &out);
    }
    if (pass == 0)
      IG_TRY_GOTO(status, done, values_at_nodes(s, width, marked, value));
  }
  if (width == 3) {
    row[0][0] = out.heat;
    goto done;
  }
  const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int i = 0; i < 3; i++) {
    out.centre[i] /= out.area > 0 ? out.area : 1;
    n[i] /= size > 0 ? size : 1;
  }
  cross_add(out.centre, out.force, about);
  double along = 0, torque = 0, shear = 0, bending = 0;
  for (int i = 0; i < 3; i++) {
    moment[i] = out.force[3 + i] - about[i];
    along += out.force[i] * n[i];
    torque += moment[i] * n[i];
  }
  for (int i = 0; i < 3; i++) {
    shear += (out.force[i] - along * n[i]) * (out.force[i] - along * n[i]);
    bending += (moment[i] - torque * n[i]) * (moment[i] - torque * n[i]);
  }
  memcpy(row[0], out.force, sizeof out.force);
  memcpy(row[1], out.centre, sizeof out.centre);
  memcpy(row[2], (double[]){out.area, along, sqrt(shear), torque, sqrt(bending)}, 5 * sizeof **row);
done:
  free(marked);
  free(value);
  return status;
}
