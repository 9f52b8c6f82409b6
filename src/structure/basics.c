/* What needs nothing else of the room: rotations, axes of nodes, nodes of sections, Newmark's rule.
 */
#include "structure/constrain.h"
#include "structure/expand.h"

#include <math.h>
#include <string.h>

void ig_structure_lever(const double r[3], double L[3][3]) {
  const double all[3][3] = {{0, r[2], -r[1]}, {-r[2], 0, r[0]}, {r[1], -r[0], 0}};
  memcpy(L, all, sizeof all);
}

void ig_structure_turned(const double t[3], double R[3][3], double T[3][3]) {
  const double angle = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  const double X[3][3] = {{0, -t[2], t[1]}, {t[2], 0, -t[0]}, {-t[1], t[0], 0}};
  const bool small = angle < 1e-4;
  const double a = small ? 1 - angle * angle / 6 : sin(angle) / angle;
  const double c = small ? 0.5 - angle * angle / 24 : (1 - cos(angle)) / (angle * angle);
  const double e = small ? 1. / 6 : (angle - sin(angle)) / (angle * angle * angle);
  for (int p = 0; p < 3; p++)
    for (int q = 0; q < 3; q++) {
      double square = 0;
      for (int m = 0; m < 3; m++)
        square += X[p][m] * X[m][q];
      R[p][q] = (p == q) + a * X[p][q] + c * square;
      T[p][q] = (p == q) + c * X[p][q] + e * square;
    }
}

ig_status ig_structure_unframed(const ig_structure *s, const ig_src *at, const ig_lid *node,
                                ig_lid count) {
  for (ig_lid k = 0; k < count && s->framed; k++)
    if (s->framed[node[k]] >= 0)
      return ig_fail_at(
          s->cx, at,
          "node %lld has `axes` of its own, and couplings and ties are in fixed axes: "
          "leave its axes out",
          (long long)(s->mesh->node_number ? s->mesh->node_number[node[k]] : node[k] + 1));
  return IG_OK;
}

void ig_structure_expansion_spread(const ig_structure *s, int width, double *value) {
  for (int32_t i = 0; i < s->members; i++)
    memcpy(value + (size_t)width * (size_t)s->member[i].node,
           value + (size_t)width * (size_t)s->member[i].of, (size_t)width * sizeof *value);
}

double ig_structure_acceleration(const ig_structure *s, int32_t i, double u, double dt) {
  return (u - dt * s->velocity[i] - dt * dt * (0.5 - s->beta) * s->acceleration[i]) /
         (s->beta * dt * dt);
}
