/* An analysis of your own: Fisher's equation dc/dt = D laplace(c) + k c (1 - c) along edges of a
   mesh of unit steps. A front runs through it at 2 sqrt(D k), whatever the start. */
#include "heat.h"
#include <math.h>

static const ig_room_number numbers[] = {
    {"diffusivity", "m^2/s", "of the species", "1 mm^2/s", 1e-30, 1},
    {"growth", "Hz", "rate of growth where there is little of it", NULL, 0, 1e12},
    {0}};
static const ig_room_array arrays[] = {
    {"concentration", "", IG_AT_POINTS, 1, true}, {"rate", "Hz", IG_AT_POINTS, 1, false}, {0}};
static const ig_room_figure figures[] = {{"amount", ""}, {0}};
static const double spacing = 0.25e-3; /* of the nodes of the case below */

/* The species is at one end; the longest stable step is taken four times shorter. */
static ig_status begin(void *user, ig_room_state *s) {
  (void)user;
  const ig_set *end = ig_mesh_find_set(s->mesh, "xmin", IG_SET_NODES);
  if (!end)
    return ig_room_fail(s->cx, IG_INPUT, "the mesh has no set 'xmin' to start from");
  for (ig_lid i = 0; i < end->count; i++)
    s->array[0][end->item[i]] = 1;
  s->dt = 0.25 / (2 * s->number[0] / (spacing * spacing) + s->number[1]);
  return IG_OK;
}

/* Node i of this bar has neighbours i - 1 and i + 1 on each of its four long edges. */
static ig_status step(void *user, ig_room_state *s) {
  (void)user;
  double *c = s->array[0], *rate = s->array[1];
  const double d = s->number[0] / (spacing * spacing);
  const ig_lid along = s->mesh->nodes / 4;
  for (ig_lid i = 0; i < s->mesh->nodes; i++) {
    const ig_lid at = i % along;
    const double left = c[at > 0 ? i - 1 : i], right = c[at + 1 < along ? i + 1 : i];
    rate[i] = d * (left - 2 * c[i] + right) + s->number[1] * c[i] * (1 - c[i]);
  }
  for (ig_lid i = 0; i < s->mesh->nodes; i++)
    c[i] += s->dt * rate[i];
  return IG_OK;
}

static ig_status amount(void *user, ig_room_state *s, double *value) {
  (void)user;
  for (ig_lid i = value[0] = 0; i < s->mesh->nodes; i++)
    value[0] += s->array[0][i] / s->mesh->nodes;
  return IG_OK;
}

static void look(void *user, int columns, const char *const *names, const double *values) {
  double(*row)[2] = user; /* the last two rows */
  (void)columns, (void)names;
  row[0][0] = row[1][0], row[0][1] = row[1][1];
  row[1][0] = values[0], row[1][1] = values[1];
}

int main(void) {
  ig_ctx *cx;
  ig_case *c;
  double row[2][2] = {{0}};
  const ig_room_description fisher = {.size = sizeof fisher,
                                      .name = "fisher",
                                      .about = "species that spread and grow",
                                      .elements = "hex8",
                                      .number = numbers,
                                      .array = arrays,
                                      .figure = figures,
                                      .begin = begin,
                                      .step = step,
                                      .figures = amount};
  TRY(cx, ig_ctx_open(&(ig_ctx_options){.backend = "cpu"}, &cx));
  TRY(cx, ig_room_add(cx, &fisher));
  TRY(cx, ig_case_new(cx, &c));
  TRY(cx, ig_case_set(c, "physics", "fisher"));
  TRY(cx, ig_case_set(c, "mesh", "{boxes: {size: [500 mm, 1 mm, 1 mm], cells: [2000, 1, 1]}}"));
  TRY(cx, ig_case_set(c, "growth", "1 Hz"));
  TRY(cx, ig_case_set(c, "duration", "100 s"));
  TRY(cx, ig_case_set(c, "output", "{count: 0, history_every: 1600}"));
  TRY(cx, ig_run(c, &(ig_run_options){.user = row, .row = look}));
  const double speed = 0.5 * (row[1][1] - row[0][1]) / (row[1][0] - row[0][0]);
  printf("speed of the front %.4g mm/s, exact 2 mm/s after a long time\n", 1e3 * speed);
  ig_case_close(c);
  ig_ctx_close(cx);
  return fabs(speed - 2e-3) < 0.05e-3 ? 0 : 1;
}
