/* The structure room: whole cases of shells, beams, springs, masses and joints held against hand
   calculations, and what it refuses. */
#include "case_figures.h"
#include "folder.h"

static ig_case *case_of(ig_ctx *cx, const char *mesh, const entry *set) {
  char text[600];
  ig_case *c = case_with(cx, "structure", set);
  snprintf(text, sizeof text, "{file: '%s', loose_nodes: true}", mesh);
  GOOD(cx, ig_case_set(c, "mesh", text));
  return c;
}

static void hold(const char *name, const char *mesh, const entry *set, const wanted *want) {
  ig_ctx *cx = ctx_on("cpu", 1);
  case_holds(cx, case_of(cx, mesh, set), name, want);
}

static void refused(const char *mesh, const entry *set, const char *words) {
  ig_ctx *cx = ctx_on("cpu", 1);
  case_fails(cx, case_of(cx, mesh, set), words);
}

/* A strip 1 x 0.1 along x of `count` shells, or a line of beams; sets ROOT and TIP. Returns the
   number of nodes at the tip. */
static int strip(const char *path, const char *type, int count) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  const bool beam = type[0] == 'B', mids = type[1] == '8' || strncmp(type, "B32", 3) == 0;
  const int per = mids ? 2 : 1, across = beam ? 1 : mids ? 3 : 2;
  fprintf(f, "*NODE\n");
  for (int i = 0; i <= per * count; i++)
    for (int j = 0; j < across; j++)
      if (!(mids && across == 3 && i % 2 && j == 1))
        fprintf(f, "%d, %.12g, %.12g, 0\n", 10 * i + j + 1, (double)i / (per * count),
                across > 1 ? 0.1 * j / (across - 1) : 0);
  fprintf(f, "*NODE\n9999, 1.6, 0, 0.8\n*ELEMENT, TYPE=%s, ELSET=ALL_OF_IT\n", type);
  for (int e = 0; e < count; e++) {
    const int a = 10 * per * e + 1, b = a + 10 * per, m = a + 10;
    if (beam && mids)
      fprintf(f, "%d, %d, %d, %d\n", e + 1, a, m, b);
    else if (beam)
      fprintf(f, "%d, %d, %d\n", e + 1, a, b);
    else if (mids)
      fprintf(f, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", e + 1, a, b, b + 2, a + 2, m, b + 1, m + 2,
              a + 1);
    else
      fprintf(f, "%d, %d, %d, %d, %d\n", e + 1, a, b, b + 1, a + 1);
  }
  fprintf(f, "*NSET, NSET=ROOT\n");
  for (int j = 0; j < across; j++)
    fprintf(f, "%d\n", 1 + j);
  fprintf(f, "*NSET, NSET=TIP\n");
  for (int j = 0; j < across; j++)
    fprintf(f, "%d\n", 10 * per * count + 1 + j);
  fprintf(f, "*NSET, NSET=OFF\n9999\n");
  fclose(f);
  return across;
}

#define SOFT "{name: soft, density: 1e-6, young: 1e6, poisson: 0}"
#define STATIC "{kind: static}"
static const double E = 1e6, b = 0.1, t = 0.02;

static void strips_bend_as_beams(void **state) {
  (void)state;
  static const struct {
    const char *type;
    double tolerance;
  } all[] = {{"S8R", 0.005}, {"S8", 0.005}, {"S4", 0.005}, {"B32", 0.005}, {"B31", 0.005}};
  char *here = folder_new();
  char path[600], force[200];
  snprintf(path, sizeof path, "%s/strip.inp", here);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const int nodes = strip(path, all[i].type, 20);
    const double P = 1e-3, tip = P / (3 * E * b * t * t * t / 12);
    snprintf(force, sizeof force, "{set: TIP, force: [0, 0, %.17g]}", P / nodes);
    const entry set[] = {{"materials", SOFT},
                         {"supports", "{set: ROOT, fix: all}"},
                         {"loads", force},
                         {all[i].type[0] == 'B' ? "beams" : "shells",
                          all[i].type[0] == 'B' ? "{size: [0.02, 0.1]}" : "{thickness: 0.02}"},
                         {"analysis", STATIC},
                         {NULL, NULL}};
    const wanted want[] = {{"displacement_max", tip, all[i].tolerance}, {NULL, 0, 0}};
    hold(all[i].type, path, set, want);
  }
  folder_remove(here);
}

/* A moment at the end: M L^2 / 2 E I; large: a part of a circle. */
static void moments_bend_circles(void **state) {
  (void)state;
  char *here = folder_new();
  char path[600], moment[200];
  snprintf(path, sizeof path, "%s/beam.inp", here);
  strip(path, "B32", 10);
  const double EI = E * b * t * t * t / 12, angle[2] = {1e-3, 1};
  for (int large = 0; large < 2; large++) {
    const double r = 1 / angle[large];
    snprintf(moment, sizeof moment, "{set: TIP, moment: [0, %.17g, 0]}", EI * angle[large]);
    const entry set[] = {
        {"materials", SOFT},
        {"supports", "{set: ROOT, fix: all}"},
        {"loads", moment},
        {"beams", "{size: [0.02, 0.1]}"},
        {"sections", "{integration: full}"},
        {"analysis", large ? "{kind: static, large: true, first_step: 0.1}" : STATIC},
        {NULL, NULL}};
    const double x = 1 - r * sin(angle[large]), z = r * (1 - cos(angle[large]));
    const wanted want[] = {{"displacement_max", large ? sqrt(x * x + z * z) : 0.5e-3, 0.005},
                           {NULL, 0, 0}};
    hold(large ? "large moment" : "moment", path, set, want);
  }
  folder_remove(here);
}

/* A linear analysis takes one iteration a step (now and then a second one, for rounding), and no
   step is longer than `largest_step`, the first neither: it was, and a continued run took other
   steps than one that had not stopped. */
static void steps_are_no_longer_than_asked(void **state) {
  (void)state;
  char *here = folder_new();
  char path[600];
  snprintf(path, sizeof path, "%s/beam.inp", here);
  strip(path, "B31", 4);
#define BENT(analysis)                                                                             \
  {"materials", SOFT}, {"supports", "{set: ROOT, fix: all}"},                                      \
      {"loads", "{set: TIP, force: [0, 0, 1e-3]}"}, {"beams", "{size: [0.02, 0.1]}"},              \
      {"analysis", analysis}, {                                                                    \
    NULL, NULL                                                                                     \
  }
  const wanted want[] = {{"newton_iterations", 10, 0.3}, {NULL, 0, 0}};
  hold("largest step", path, (entry[]){BENT("{largest_step: 0.1 s}")}, want);
  refused(path, (entry[]){BENT("{largest_step: 0.1 s, first_step: 0.5 s}")},
          "it is longer than `largest_step`");
#undef BENT
  folder_remove(here);
}

/* A beam without mass that carries one: w^2 = 3 E I / m L^3; a spring under it adds to 3 E I / L^3.
 */
static void masses_swing(void **state) {
  (void)state;
  char *here = folder_new();
  char path[600];
  snprintf(path, sizeof path, "%s/beam.inp", here);
  strip(path, "B32", 8);
  const double k = 3 * E * b * t * t * t / 12;
  for (int spring = 0; spring < 2; spring++) {
    char springs[200];
    snprintf(springs, sizeof springs, "{nodes: [TIP], components: [z], stiffness: %.17g}", k);
    const entry set[] = {{"materials", SOFT},
                         {"supports", "{set: ROOT, fix: all}"},
                         {"beams", "{size: [0.02, 0.1]}"},
                         {"masses", "{set: TIP, mass: 2}"},
                         {"analysis", "{kind: frequency, modes: 1}"},
                         {spring ? "springs" : NULL, springs},
                         {NULL, NULL}};
    const wanted want[] = {{"mode_1", sqrt((1 + spring) * k / 2) / (2 * M_PI), 0.005},
                           {NULL, 0, 0}};
    hold(spring ? "mass and spring" : "mass", path, set, want);
  }
  /* its weight, P L^3 / 3 E I */
  const entry heavy[] = {{"materials", SOFT},
                         {"supports", "{set: ROOT, fix: all}"},
                         {"beams", "{size: [0.02, 0.1]}"},
                         {"masses", "{set: TIP, mass: 2}"},
                         {"loads", "{set: TIP, acceleration: [0, 0, -1e-3]}"},
                         {"analysis", STATIC},
                         {NULL, NULL}};
  const wanted want[] = {{"displacement_max", 2e-3 / k, 0.005}, {NULL, 0, 0}};
  hold("weight", path, heavy, want);
  folder_remove(here);
}

/* A spring along a line that turns: far pull on a loose node, force = stiffness x (length - 1). */
static void springs_turn(void **state) {
  (void)state;
  char *here = folder_new();
  char path[600];
  snprintf(path, sizeof path, "%s/beam.inp", here);
  strip(path, "B32", 2); /* stiff against the spring */
  const entry set[] = {{"materials", "{name: hard, young: 1e15, poisson: 0}"},
                       {"supports", "[{set: ROOT, fix: all}, {set: OFF, fix: y z}]"},
                       {"beams", "{size: [0.1, 0.1]}"},
                       {"springs", "{nodes: [TIP, '9999'], stiffness: 3}"},
                       {"loads", "{set: OFF, force: [1, 0, 0]}"},
                       {"analysis", "{kind: static, large: true, first_step: 0.05}"},
                       {NULL, NULL}};
  double low = 0, high = 10; /* 3 (l - 1) (0.6 + x) / l = 1, l^2 = (0.6 + x)^2 + 0.8^2 */
  for (int i = 0; i < 80; i++) {
    const double x = (low + high) / 2, l = hypot(0.6 + x, 0.8);
    *(3 * (l - 1) * (0.6 + x) / l < 1 ? &low : &high) = x;
  }
  const wanted want[] = {{"displacement_max", low, 1e-4}, {NULL, 0, 0}};
  hold("spring", path, set, want);
  folder_remove(here);
}

/* A spring of length 1 from (0, 0) to (0.6, 0.8) whose end is pushed down through the level of its
   foot: P = 3 (1 - l) h / l, l^2 = h^2 + 0.6^2, is largest at l^3 = 0.6^2, least at the mirror
   image of that, and reaches 1 far below. The arc length follows all of it, once from a load
   without a history and once from one with. */
static void springs_snap_through(void **state) {
  (void)state;
  char *here = folder_new();
  char path[600];
  snprintf(path, sizeof path, "%s/beam.inp", here);
  strip(path, "B32", 2);
  const double l = cbrt(0.36), limit = 3 * (1 - l) * sqrt(l * l - 0.36) / l;
  double low = 0, high = 10; /* depth below the foot */
  for (int i = 0; i < 80; i++) {
    const double h = (low + high) / 2, k = hypot(h, 0.6);
    *(3 * (k - 1) * h / k < 1 ? &low : &high) = h;
  }
  for (int i = 0; i < 2; i++) {
    const entry set[] = {{"materials", "{name: hard, young: 1e15, poisson: 0}"},
                         {"supports", "[{set: ROOT, fix: all}, {set: OFF, fix: x y}]"},
                         {"beams", "{size: [0.1, 0.1]}"},
                         {"springs", "{nodes: [TIP, '9999'], stiffness: 3}"},
                         {"loads", i ? "{set: OFF, force: [0, 0, -1], history: [[0, 0], [1, 1]]}"
                                     : "{set: OFF, force: [0, 0, -1]}"},
                         {"analysis",
                          "{kind: static, large: true, method: arc_length, first_step: 0.02, "
                          "largest_step: 0.02}"},
                         {NULL, NULL}};
    const wanted want[] = {{"limit_1", limit, 1e-3},
                           {"limit_2", -limit, 1e-3},
                           {"displacement_max", 0.8 + low, 1e-4},
                           {NULL, 0, 0}};
    hold("snap-through", path, set, want);
  }
#define SPRING                                                                                     \
  {"materials", "{name: hard, young: 1e15, poisson: 0}"},                                          \
      {"supports", "[{set: ROOT, fix: all}, {set: OFF, fix: x y}]"},                               \
      {"beams", "{size: [0.1, 0.1]}"}, {"springs", "{nodes: [TIP, '9999'], stiffness: 3}"},        \
      {"loads", "{set: OFF, force: [0, 0, -1]}"}
  refused(path, (entry[]){SPRING, {"analysis", "{until: {factor: 2}}"}, {NULL, NULL}},
          "`until` is for `method: arc_length`");
  refused(path,
          (entry[]){SPRING, {"analysis", "{method: arc_length, until: {factor: 0}}"}, {NULL, NULL}},
          "a path begins at the factor 0");
  refused(path,
          (entry[]){SPRING,
                    {"analysis", "{method: arc_length, until: {set: OFF, displacement: 1}}"},
                    {NULL, NULL}},
          "expected `set`, `component` and `displacement`");
  refused(path,
          (entry[]){SPRING,
                    {"analysis", "[{method: arc_length, until: {factor: 1}}, {kind: static}]"},
                    {NULL, NULL}},
          "`until` is for the last analysis");
  refused(path,
          (entry[]){SPRING, {"analysis", "{method: arc_length, kind: dynamic}"}, {NULL, NULL}},
          "is for `kind: static`");
#undef SPRING
  folder_remove(here);
}

/* A block of 3 x 2 elements, pressed down by 3.2 N, is pushed 2.5 m over a plate of elements of 1 m
   that do not match its own: what it takes is friction times 3.2 N, at every step of the second
   analysis, which also begins with the friction that the first one has left. Off the edge it finds
   nothing below. */
static void contact_slides_over_faces(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    const entry set[] = {
        {"mesh",
         "{boxes: [{size: [6, 2, 1], cells: [6, 2, 1]}, {origin: [1.2, 0.2, 1.01], size: [2, 1.6, "
         "1], cells: [3, 2, 1]}], sets: [{name: over, box: {min: [0, 0, 0.999], max: [6, 2, "
         "1.001]}}, {name: under, box: {min: [0, 0, 1.009], max: [9, 2, 1.011]}}, {name: top, box: "
         "{min: [0, 0, 2.009], max: [9, 2, 2.011]}}]}"},
        {"materials", "{name: m, young: 1e6, poisson: 0.3}"},
        {"supports", i ? "[{set: zmin, fix: all}, {set: top, components: x y, displacement: [2.5, "
                         "0, 0], history: [[0, 0], [1, 0], [2, 1]]}]"
                       : "[{set: zmin, fix: all}, {set: top, components: x y z, displacement: "
                         "[6, 0, -0.02], history: [[0, 0], [1, 1]]}]"},
        {"loads", "{set: top, pressure: 1, history: [[0, 0], [1, 1], [2, 1]]}"},
        {"contacts",
         i ? "{set: under, to: over, friction: 0.3, clearance: 0}" : "{set: under, to: over}"},
        {"analysis", i ? "[{kind: static, large: true}, {kind: static, large: true, first_step: "
                         "0.1}]"
                       : "{kind: static, large: true, first_step: 0.1}"},
        {NULL, NULL}};
    /* the sum over the set, at the end: reactions of the block's top are the load's opposite */
    const wanted slides[] = {{"contact_force_x", -0.96, 2e-3}, {NULL, 0, 0}};
    const wanted leaves[] = {{"contact_force_z", 0, 1e-9}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set), i ? "slides" : "leaves", i ? slides : leaves);
  }
}

/* Friction over its limit, the largest of all steps, from the reactions of the plate. */
static double rubbed(const char *folder, int *steps) {
  char path[600], line[400];
  double most = 0, along, across;
  snprintf(path, sizeof path, "%s/tables.csv", folder);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  for (*steps = 0; fgets(line, sizeof line, f);)
    if (sscanf(line, "%*d,%*d,%*[^,],total_reaction,plate,0,0,%lf,%*[^,],%lf", &along, &across) ==
        2) {
      most = fmax(most, fabs(along / (0.3 * across)));
      ++*steps;
    }
  fclose(f);
  return most;
}

/* A block is pressed on a plate, slides over it by 2.5 faces and back; or stands while its pressure
   goes down to a tenth and up again, before it goes back. Friction is never above its limit but for
   the slope of the bent plate, and reaches it, whatever the length of steps and the number of
   analyses. */
static void friction_has_its_limit(void **state) {
  (void)state;
  static const double step[] = {1, 0.5, 0.2, 0.1};
  char *here = folder_new();
  for (int i = 0; i < 8; i += 1 + 2 * SANITIZED) {
    char analysis[600];
    int steps;
    const char *large = i % 2 ? "true" : "false";
    const bool stands = i / 2 % 2;
    const int used = snprintf(analysis, sizeof analysis, "[{kind: static, large: %s}", large);
    for (int k = 0, at = used; k < (stands ? 3 : 2); k++)
      at += snprintf(analysis + at, sizeof analysis - (size_t)at,
                     ", {kind: static, large: %s, first_step: %g, fixed_steps: true}%s", large,
                     step[i / 2], k == (stands ? 2 : 1) ? "]" : "");
    const entry set[] = {
        {"mesh",
         "{boxes: [{size: [6, 2, 1], cells: [6, 2, 1]}, {origin: [1.2, 0.2, 1.01], size: [2, 1.6, "
         "1], cells: [3, 2, 1]}], sets: [{name: over, box: {min: [0, 0, 0.999], max: [6, 2, "
         "1.001]}}, {name: under, box: {min: [0, 0, 1.009], max: [9, 2, 1.011]}}, {name: top, box: "
         "{min: [0, 0, 2.009], max: [9, 2, 2.011]}}, {name: plate, box: {min: [0, 0, 0], max: [6, "
         "2, 0.001]}}]}"},
        {"materials", "{name: m, young: 1e6, poisson: 0.3}"},
        {"tables", "{set: plate, quantity: reaction, total: only}"},
        {"supports",
         stands ? "[{set: zmin, fix: all}, {set: top, components: x y, displacement: [2.5, 0, 0], "
                  "history: [[0, 0], [1, 0], [2, 1], [3, 1], [4, 0]]}]"
                : "[{set: zmin, fix: all}, {set: top, components: x y, displacement: [2.5, 0, 0], "
                  "history: [[0, 0], [1, 0], [2, 1], [3, 0]]}]"},
        {"loads", stands ? "{set: top, pressure: 1000, history: [[0, 0], [1, 1], [2, 1], [2.5, "
                           "0.1], [3, 1], [4, 1]]}"
                         : "{set: top, pressure: 1000, history: [[0, 0], [1, 1], [3, 1]]}"},
        {"contacts", "{set: under, to: over, friction: 0.3, clearance: 0, penetration: 1e-4}"},
        {"analysis", analysis},
        {NULL, NULL}};
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_with(cx, "structure", set);
    GOOD(cx, ig_run(c, &(ig_run_options){.out = here, .force = true}));
    const double ratio = rubbed(here, &steps);
    if (!(ratio < 1.004 && ratio > 0.998))
      fail_msg("steps of %g, large: %s: friction is %g of its limit", step[i / 2], large, ratio);
    assert_in_range(steps, 8, 200);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
  folder_remove(here);
}

/* Rigid tools: a plane compresses a block by a hundredth; one that moves sideways, too, pulls by
   friction, at its limit; a tube is shrunk into a hollow cylinder, by Lame's formula, where facets
   of its surface reach 0.1 mm less far than its nodes. */
static void tools_press(void **state) {
  (void)state;
#define BLOCK                                                                                      \
  {"mesh", "{boxes: {size: [2, 1, 1], cells: [4, 2, 2]}}"}, {                                      \
    "materials", "{name: m, young: 1e6, poisson: 0}"                                               \
  }
  const entry press[] = {
      BLOCK,
      {"supports", "[{set: zmin, fix: z}, {set: xmin, fix: x}, {set: ymin, fix: y}]"},
      {"tools", "{name: die, axis: [0, 0, -2], point: [0, 0, 1.005], displacement: [0, 0, -0.015], "
                "history: [[0, 0], [1, 1]]}"},
      {"contacts", "{set: zmax, to: die, penetration: 1e-5}"},
      {"analysis", STATIC},
      {NULL, NULL}};
  const entry rub[] = {
      BLOCK,
      {"supports", "{set: zmin, fix: all}"},
      {"tools", "[{name: die, axis: [0, 0, -1], point: [0, 0, 1], displacement: [1, 0, -0.01], "
                "history: [[0, 0], [1, 1]]}]"},
      {"contacts", "{set: zmax, to: die, friction: 0.2, penetration: 1e-5}"},
      {"analysis", "[{kind: static, large: true, duration: 0.5}, {kind: static, large: true, "
                   "duration: 0.5}]"},
      {NULL, NULL}};
  const entry shrink[] = {
      {"mesh", "{tube: {inner: 1, outer: 2, height: 0.5, angle: 90 deg, cells: [6, 48, 1]}}"},
      {"materials", "{name: m, young: 1e6, poisson: 0}"},
      {"supports", "[{set: bottom, fix: z}, {set: start, fix: y}, {set: end, fix: x}]"},
      {"tools", "{name: ring, shape: cylinder, radius: 1.98, hollow: true}"},
      {"contacts", "{set: outer, to: ring, of: nodes}"},
      {"analysis", STATIC},
      {NULL, NULL}};
  const wanted pressed[] = {{"contact_force_z", -2e4, 1e-3},
                            {"reaction_z", 0, 1e-3},
                            {"penetration_share", 0, 1e-5},
                            {NULL, 0, 0}};
  const wanted rubbed_by[] = {{"contact_force_z", -2e4, 0.05},
                              {"contact_force_x", 4e3, 0.05},
                              {"reaction_x", 0, 1e-2},
                              {NULL, 0, 0}};
  const wanted shrunk[] = {{"contact_force_x", -6e3, 0.01}, {"reaction_y", 0, 1}, {NULL, 0, 0}};
  const entry *const set[] = {press, rub, shrink};
  const wanted *const want[] = {pressed, rubbed_by, shrunk};
  static const char *const name[] = {"press", "rub", "shrink"};
  for (int i = 0; i < 3; i++) {
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set[i]), name[i], want[i]);
  }
  static const struct {
    const char *tools, *contacts, *words;
  } bad[] = {{"{name: die}", "{set: zmax, to: zmin}", "no contact is `to: die`"},
             {"{name: die, shape: sphere}", "{set: zmax, to: die}", "needs a `radius` above 0"},
             {"{name: die, hollow: true}", "{set: zmax, to: die}", "are for spheres and cylinders"},
             {"{name: die, axis: [0, 0, 0]}", "{set: zmax, to: die}", "`axis` has no length"},
             {"{name: die, shape: sphere, radius: 1, axis: [1, 0, 0]}", "{set: zmax, to: die}",
              "a sphere has none"},
             {"{name: zmin}", "{set: zmax, to: zmin}", "a set of faces is named 'zmin'"},
             {"{name: die}", "{set: zmax, to: die, tied: true}", "contact with the tool 'die'"},
             /* the wrong way round: zeros, or the part is drawn into it */
             {"{name: die, point: [0, 0, 1], displacement: [0, 0, -0.01]}", "{set: zmax, to: die}",
              "begins behind the tool 'die': turn its `axis`"},
             {"{name: die, point: [0, 0, -9], axis: [0, 0, -1]}", "{set: zmax, to: die}",
              "begins behind the tool 'die': turn its `axis`"},
             {"{name: die, point: [1, 0, 0.5], shape: cylinder, axis: [0, 1, 0], radius: 9}",
              "{set: all, to: die, of: nodes}", "`hollow: true`"},
             {"{name: die, point: [1, 0, 9], shape: sphere, hollow: true, radius: 8}",
              "{set: zmax, to: die}", "leave that out"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const entry wrong[] = {BLOCK,
                           {"tools", bad[i].tools},
                           {"contacts", bad[i].contacts},
                           {"analysis", STATIC},
                           {NULL, NULL}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_fails(cx, case_with(cx, "structure", wrong), bad[i].words);
  }
#undef BLOCK
}

/* A path by arc length ends just beyond `until`, whatever its steps have grown to. */
static void paths_end_where_asked(void **state) {
  (void)state;
  static const struct {
    const char *until, *figure;
    double tolerance;
  } all[] = {{"{factor: 0.55}", "until_passed_by_factor", 0.005 * 0.55},
             {"{set: tip, component: x, displacement: 0.01}", "until_passed_by", 0.005 * 0.01}};
  for (int i = 0; i < 2; i++) {
    char analysis[200];
    snprintf(analysis, sizeof analysis, "{kind: static, method: arc_length, until: %s}",
             all[i].until);
    const entry set[] = {{"mesh", "{boxes: {size: [1, 1, 1], cells: [1, 1, 1]}, sets: [{name: tip, "
                                  "box: {min: [1, 0, 0], max: [1, 0, 0]}}]}"},
                         {"materials", "{name: m, young: 1e6, poisson: 0}"},
                         {"supports", "{set: xmin, fix: all}"},
                         {"loads", "{set: xmax, pressure: -2e4, history: [[0, 0], [1, 1]]}"},
                         {"analysis", analysis},
                         {NULL, NULL}};
    const wanted want[] = {{all[i].figure, 0, all[i].tolerance}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set), all[i].until, want);
  }
}

/* Two supports of one component: the same value twice is one, another one is refused, unless the
   second says that it counts or begins later. In decks the last one counts. */
static void supports_agree(void **state) {
  (void)state;
  static const struct {
    const char *supports;
    double most; /* displacement_max, NaN: refused */
  } all[] = {
      {"[{set: xmin, fix: all}, {set: xmax, displacement: [0.01, 0, 0], components: x}, "
       "{set: zmax, displacement: [0.01, 0, 0], components: x, first: 2}]",
       0.01},
      {"[{set: xmin, fix: all}, {set: xmin, displacement: [0, 0, 0], components: xyz}]", 0},
      {"[{set: xmin, fix: all}, {set: zmax, displacement: [0.01, 0, 0], components: x}]", NAN},
      {"[{set: xmin, fix: x}, {set: all, fix: y z}, {set: zmax, displacement: [0.01, 0, 0], "
       "components: x, replaces: true}]",
       0.01},
      {"[{set: xmax, displacement: [0.01, 0, 0]}, {set: xmax, displacement: [0.02, 0, 0], history: "
       "[[0, 0], [1, 0.5]]}]",
       NAN},
      {"[{set: xmax, displacement: [0.01, 0, 0], history: [[0, 0], [1, 1]]}, {set: xmax, "
       "displacement: [0.02, 0, 0], history: [[0, 0], [1, 0.5]]}]",
       0.01}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const entry set[] = {{"mesh", "{boxes: {size: [1, 1, 1], cells: [2, 1, 1]}}"},
                         {"materials", "{name: m, young: 1e6, poisson: 0}"},
                         {"supports", all[i].supports},
                         {"analysis", STATIC},
                         {NULL, NULL}};
    const wanted want[] = {{"displacement_max", all[i].most, 1e-9}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_with(cx, "structure", set);
    if (isnan(all[i].most))
      case_fails(cx, c, "whose supports have it at different places");
    else
      case_holds(cx, c, all[i].supports, want);
  }
}

/* A cube under 1 MPa that creeps by 1 in a second: strain 0.8 is computed, 3 is an error and not a
   number. A load of a wrong unit crept by 2000 % in millions of steps before. */
static void creep_ends_at_large_strains(void **state) {
  (void)state;
#define PULLED(time)                                                                               \
  {"mesh", "{boxes: {size: [1, 1, 1], cells: [2, 1, 1]}}"},                                        \
      {"materials", "{name: m, density: 1, young: 1 GPa, poisson: 0.3, mechanical: {creep: "       \
                    "{factor: 1e-6, power: 1}}}"},                                                 \
      {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]"},             \
      {"loads", "{set: xmax, pressure: -1 MPa, history: [[0, 1], [10, 1]]}"},                      \
      {"analysis", "{creep: true, duration: " time "}"}, {                                         \
    NULL, NULL                                                                                     \
  }
  const wanted want[] = {{"displacement_max", 0.981, 0.001}, {NULL, 0, 0}};
  ig_ctx *cx = ctx_on("cpu", 1);
  case_holds(cx, case_with(cx, "structure", (entry[]){PULLED("0.8 s")}), "crept", want);
  cx = ctx_on("cpu", 1);
  case_fails(cx, case_with(cx, "structure", (entry[]){PULLED("3 s")}), "has crept by a strain of");
#undef PULLED
}

/* What a support says of a tied node: right where the tie says so, too, as on planes of symmetry or
   of nodes that all move alike; else refused. It replaced the tie without a word. */
static void supports_agree_with_ties(void **state) {
  (void)state;
  static const struct {
    const char *more;
    double most; /* displacement_max, NaN: refused */
  } all[] = {
      {"", 2.04450e-3},
      {", {set: all, displacement: [0, 0.01, 0], components: y, history: [[0, 0], [1, 1]]}", NAN},
      {", {set: on, fix: x}", NAN}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char supports[300];
    snprintf(supports, sizeof supports,
             "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}%s]", all[i].more);
    const entry set[] = {
        {"mesh",
         "{boxes: [{size: [1, 1, 1], cells: [2, 2, 2]}, {origin: [1.00001, 0, 0], size: "
         "[1, 1, 1], cells: [2, 2, 2]}], sets: [{name: under, box: {min: [0.9, 0, 0], max: "
         "[1.000001, 1, 1]}}, {name: on, box: {min: [1.000009, 0, 0], max: [1.1, 1, 1]}}]}"},
        {"materials", "{name: m, young: 1e6, poisson: 0.3}"},
        {"ties", "{set: on, to: under}"},
        {"supports", supports},
        {"loads", "{set: xmax, pressure: -1e3}"},
        {"analysis", STATIC},
        {NULL, NULL}};
    const wanted want[] = {{"displacement_max", all[i].most, 1e-5}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_with(cx, "structure", set);
    if (isnan(all[i].most))
      case_fails(cx, c, i == 1 ? "supports have it at different places" : "which do not agree");
    else
      case_holds(cx, c, supports, want);
  }
}

/* The same of a body, which holds its nodes, and of one node in two bodies. */
static void supports_agree_with_bodies(void **state) {
  (void)state;
  static const struct {
    const char *couplings, *more;
    bool fits;
  } all[] = {
      {"{node: OFF, set: TIP, kind: rigid}", "{set: OFF, fix: all}, {set: TIP, fix: z}", true},
      {"{node: OFF, set: TIP, kind: rigid}",
       "{set: OFF, displacement: [0, 0, 1e-3], components: z}, {set: OFF, fix: x y rx ry rz}, "
       "{set: TIP, displacement: [0, 0, 1e-3], components: z}",
       true},
      {"{node: OFF, set: TIP, kind: rigid}",
       "{set: OFF, displacement: [0, 0, 1e-3], components: z}, {set: TIP, fix: z}", false},
      {"[{node: OFF, set: TIP, kind: rigid}, {node: ROOT, set: TIP, kind: rigid}]",
       "{set: OFF, fix: y}", false}};
  char *here = folder_new();
  char path[600], supports[300];
  snprintf(path, sizeof path, "%s/beam.inp", here);
  strip(path, "B31", 10);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    snprintf(supports, sizeof supports, "[{set: ROOT, fix: all}, %s]", all[i].more);
    const entry set[] = {{"materials", SOFT},
                         {"couplings", all[i].couplings},
                         {"supports", supports},
                         {"loads", "{set: OFF, force: [0, 0, 1e-9]}"},
                         {"beams", "{size: [0.02, 0.1]}"},
                         {"analysis", STATIC},
                         {NULL, NULL}};
    const wanted want[] = {{"displacement_max", i == 1 ? 1e-3 : 0, 1e-9}, {NULL, 0, 0}};
    if (all[i].fits)
      hold(supports, path, set, want);
    else
      refused(path, set, "which do not agree");
  }
  folder_remove(here);
}

/* Temperatures in several steps, of a model without contact: a bar that is heated at one end. */
static void bars_warm_up(void **state) {
  (void)state;
  const entry set[] = {
      {"mesh", "{boxes: {size: [1, 0.1, 0.1], cells: [10, 1, 1]}}"},
      {"materials", "{name: m, density: 1, specific_heat: 1, conductivity: 1}"},
      {"initial_temperatures", "{set: all, temperature: 300}"},
      {"prescribed_temperatures", "[{set: xmin, temperature: 400}, {set: xmax, temperature: 300}]"},
      {"analysis", "{kind: heat, duration: 5, first_step: 0.5}"},
      {NULL, NULL}};
  const wanted want[] = {
      {"temperature_max", 400, 1e-9}, {"temperature_min", 300, 1e-9}, {NULL, 0, 0}};
  ig_ctx *cx = ctx_on("cpu", 1);
  case_holds(cx, case_with(cx, "structure", set), "warm", want);
}

/* A cube that nothing keeps is pulled by a pressure of 1 kPa at once: 0.5 m after a second, with
   large displacements, where the pressure is a load that follows, as without. */
static void pressures_accelerate(void **state) {
  (void)state;
  for (int large = 0; large < 2; large++) {
    const entry set[] = {{"mesh", "{boxes: {size: [1, 1, 1], cells: [1, 1, 1]}}"},
                         {"materials", "{name: m, young: 1e9, poisson: 0, density: 1000}"},
                         {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}]"},
                         {"loads", "{set: zmax, pressure: -1000}"},
                         {"analysis", large ? "{kind: dynamic, large: true, first_step: 0.25, "
                                              "fixed_steps: true, alpha: -0.3}"
                                            : "{kind: dynamic, first_step: 0.25, fixed_steps: "
                                              "true, alpha: -0.3}"},
                         {NULL, NULL}};
    const wanted want[] = {{"displacement_max", 0.5, 1e-5}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set), large ? "large" : "small", want);
  }
}

/* Two cubes shorten by 1 mm each under a pressure. Contact as soft as one of them gives way by
   another millimetre, but for pressures that are added until hardly anything penetrates. */
static void contact_is_augmented(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    const entry set[] = {
        {"mesh",
         "{boxes: [{size: [1, 1, 1], cells: [2, 2, 2]}, {origin: [0, 0, 1.01], size: [1, 1, "
         "1], cells: [3, 3, 3]}], sets: [{name: over, box: {min: [0, 0, 0.999], max: [1, 1, "
         "1.001]}}, {name: under, box: {min: [0, 0, 1.009], max: [1, 1, 1.011]}}]}"},
        {"materials", "{name: m, young: 1e9, poisson: 0}"},
        {"supports", "[{set: zmin, fix: z}, {set: xmin, fix: x}, {set: ymin, fix: y}]"},
        {"loads", "{set: zmax, pressure: 1e6}"},
        {"contacts", i ? "{set: under, to: over, clearance: 0, stiffness: 1e9, penetration: 1e-5}"
                       : "{set: under, to: over, clearance: 0, stiffness: 1e9}"},
        {"analysis",
         i == 2 ? "{kind: static, method: arc_length, first_step: 0.5, until: {factor: 0.9}}"
                : STATIC},
        {NULL, NULL}};
    const wanted soft[] = {{"displacement_max", 3e-3, 1e-6}, {NULL, 0, 0}};
    const wanted hard[] = {
        {"displacement_max", 2e-3, 5e-3}, {"penetration_share", 0, 1e-5}, {NULL, 0, 0}};
    const wanted path[] = {{"penetration_share", 0, 1e-5}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set),
               i == 2 ? "path"
               : i    ? "augmented"
                      : "soft",
               i == 2 ? path
               : i    ? hard
                      : soft);
  }
}

/* A tool that stands where it is from the start: its push is released over the steps, and what was
   added to pressures at first has to go again. Force E A u / h of the block at the end. */
static void pressures_fall_again(void **state) {
  (void)state;
  static const double step[] = {1, 0.25, 0.1};
  for (int i = 0; i < 3; i++) {
    char analysis[64];
    snprintf(analysis, sizeof analysis, "{kind: static, large: false, first_step: %g}", step[i]);
    const entry set[] = {
        {"mesh", "{boxes: {size: [4 mm, 4 mm, 4 mm], cells: [1, 3, 2]}}"},
        {"materials", "{name: m, young: 2 GPa, poisson: 0}"},
        {"supports", "{set: zmin, fix: all}"},
        {"tools", "{name: die, point: [2 mm, 2 mm, 4 mm], axis: [0, 0, -1], displacement: [0, 0, "
                  "-40 um]}"},
        {"contacts", "{set: zmax, to: die, penetration: 1e-6}"},
        {"analysis", analysis},
        {NULL, NULL}};
    const wanted want[] = {{"contact_force_z", -320, 1e-3}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set), analysis, want);
  }
}

/* What an analysis before has yielded is nothing to the drawn structure, and unloaded it vibrates
   as that does. */
static void yielding_leaves_frequencies(void **state) {
  (void)state;
  const entry set[] = {
      {"mesh", "{boxes: {size: [0.1, 0.01, 0.01], cells: [10, 2, 2]}}"},
      {"materials",
       "{name: m, density: 7850, young: 2e11, poisson: 0.3, yield: 2e8, hardening: 2e9}"},
      {"supports", "{set: xmin, fix: x y z}"},
      {"loads", "{set: xmax, force: [0, 0, -60], history: [[0, 0], [1, 1], [2, 0]]}"},
      {"analysis", "[{kind: frequency, modes: 1}, {kind: static, duration: 1 s}, {kind: frequency, "
                   "modes: 1}, {kind: static, duration: 1 s}, {kind: frequency, modes: 1, reached: "
                   "true}]"},
      {NULL, NULL}};
  const wanted want[] = {{"analysis_1_mode_1", 822.10005, 1e-6},
                         {"analysis_3_mode_1", 822.10005, 1e-6},
                         {"analysis_5_mode_1", 822.10005, 1e-6},
                         {NULL, 0, 0}};
  ig_ctx *cx = ctx_on("cpu", 1);
  case_holds(cx, case_with(cx, "structure", set), "frequencies", want);
}

/* A steel block 10 um above a plate falls on it by its weight, which is tilted by 30 degrees:
   friction of 0.8 holds it, of 0.5 does not. */
static void loose_blocks_fall(void **state) {
  (void)state;
  entry set[] = {
      {"mesh",
       "{boxes: [{size: [0.06, 0.04, 0.01], cells: [6, 4, 1]}, {origin: [0.015, 0.009, 0.01001], "
       "size: [0.02, 0.02, 0.015], cells: [3, 3, 2]}], sets: [{name: over, box: {min: [0, 0, "
       "0.009999], max: [0.06, 0.04, 0.010001]}}, {name: under, box: {min: [0, 0, 0.010009], max: "
       "[0.06, 0.04, 0.010011]}}]}"},
      {"materials", "{name: m, density: 7850, young: 2e11, poisson: 0.3}"},
      {"supports", "{set: zmin, fix: x y z}"},
      {"loads", "{set: all, acceleration: [4.905, 0, -8.495709]}"},
      {"contacts", "{set: under, to: over, friction: 0.8}"},
      {"analysis", STATIC},
      {NULL, NULL}};
  const wanted want[] = {{"contact_force_x", -0.2310255, 1e-4},
                         {"contact_force_z", 0.4001479, 1e-4},
                         {"displacement_max", 1e-5, 1e-4},
                         {NULL, 0, 0}};
  ig_ctx *cx = ctx_on("cpu", 1);
  case_holds(cx, case_with(cx, "structure", set), "falls", want);
  cx = ctx_on("cpu", 1); /* case_holds closes it */
  set[4].value = "{set: under, to: over, friction: 0.5}";
  ig_case *c = case_with(cx, "structure", set);
  assert_int_equal(ig_run(c, NULL), IG_NUMERIC);
  SAYS(cx, "may slide, tip or be pushed away");
  ig_case_close(c);
  ig_ctx_close(cx);
}

/* By how much the last node of the tables moved along z at last. */
static double lowered(const char *folder) {
  char path[600], line[400];
  double z = NAN;
  snprintf(path, sizeof path, "%s/tables.csv", folder);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f))
    sscanf(line, "%*d,%*d,%*[^,],displacement,under,%*d,0,%*[^,],%*[^,],%lf", &z);
  fclose(f);
  return z;
}

/* A block is pressed onto a plate by a tool, with friction on both sides, and let go: nothing is
   left of the forces, and it lies where the tool left it, 10 um lower than drawn. */
static void pressed_blocks_are_let_go(void **state) {
  (void)state;
  char *here = folder_new();
  static const char *const analysis[] = {"{kind: static, duration: 2}",
                                         "[{kind: static}, {kind: static}]"};
  for (int i = 0; i < 2; i++) {
    const entry set[] = {
        {"mesh", "{boxes: [{size: [0.06, 0.04, 0.01], cells: [6, 4, 1]}, {origin: [0.015, 0.009, "
                 "0.01001], size: [0.02, 0.02, 0.015], cells: [3, 3, 2]}], sets: [{name: over, "
                 "box: {min: [0, 0, 0.009999], max: [0.06, 0.04, 0.010001]}}, {name: under, box: "
                 "{min: [0, 0, 0.010009], max: [0.06, 0.04, 0.010011]}}]}"},
        {"materials", "{name: m, young: 2e11, poisson: 0.3}"},
        {"supports", "{set: zmin, fix: all}"},
        {"tools", "{name: die, point: [0, 0, 0.02501], axis: [0, 0, -1], displacement: [0, 0, "
                  "-3e-5], history: [[0, 0], [1, 1], [2, 0]]}"},
        {"contacts",
         "[{set: under, to: over, friction: 0.2}, {set: zmax, to: die, friction: 0.2}]"},
        {"tables", "{set: under}"},
        {"analysis", analysis[i]},
        {NULL, NULL}};
    /* rounding decides by how much the last bit of friction turns and shifts it */
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_with(cx, "structure", set);
    seen_figures seen = {.want = (wanted[]){{"contact_force_z", 0, 0}, {"reaction_z", 0, 0}, {0}}};
    GOOD(cx, ig_run(c, &(ig_run_options){
                           .figure = figure_see, .user = &seen, .out = here, .force = true}));
    assert_true(fabs(seen.value[0]) < 1e-4 && fabs(seen.value[1]) < 1e-4);
    assert_true(fabs(lowered(here) + 1e-5) < 1e-9);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
  folder_remove(here);
}

/* Half of a strip over supports is bent by a round punch that moves by four times its thickness:
   the same force in one step of the case, at whose end the punch would stand on the far side of a
   strip that has not moved, as in twenty. By hand 24 E I u / L^3, with both halves. */
static void punches_bend_strips(void **state) {
  (void)state;
  static const char *const analysis[] = {"{kind: static}", "{kind: static, largest_step: 0.05}"};
  const double bent = 24 * 2e11 * 0.01 * 8e-9 / 12 * 8e-3 / pow(0.16, 3);
  for (int i = SANITIZED; i < 2; i++) {
    const entry set[] = {
        {"mesh", "{boxes: {size: [100 mm, 10 mm, 2 mm], cells: [20, 2, 1]}, sets: [{name: ends, "
                 "box: {min: [80 mm, 0, 0], max: [80 mm, 1, 0]}}]}"},
        {"materials", "{name: m, young: 200 GPa, poisson: 0}"},
        {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: ends, fix: z}]"},
        {"tools", "{name: punch, shape: cylinder, radius: 3 mm, axis: [0, 1, 0], point: [0, 0, 5 "
                  "mm], displacement: [0, 0, -8 mm], history: [[0, 0], [1, 1]]}"},
        {"contacts", "{set: zmax, to: punch}"},
        {"analysis", analysis[i]},
        {NULL, NULL}};
    const wanted want[] = {{"contact_force_z", -bent, 0.02}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set), analysis[i], want);
  }
}

/* A strip is bent beyond yield by a punch, which then goes back, further than the strip springs:
   what stays is 3.593 mm by the moments of bars that harden. Newton's method ended as the punch let
   go: at its new place it left the strip with all of its force. */
static void strips_spring_back(void **state) {
  (void)state;
  if (SANITIZED) /* half a minute there, in functions that punches_bend_strips and others run */
    skip();
  const entry set[] = {
      {"mesh", "{boxes: {size: [0.1, 0.002, 0.002], cells: [20, 1, 4]}, sets: [{name: edge, box: "
               "{min: [0, 0, 0], max: [1e-6, 0.01, 1e-6]}}]}"},
      {"materials", "{name: m, young: 2e11, poisson: 0, yield: 250 MPa, hardening: 1 GPa}"},
      {"supports", "[{set: edge, fix: z}, {set: xmax, fix: x}, {set: ymin, fix: y}]"},
      {"tools", "{name: punch, shape: cylinder, radius: 2 mm, axis: [0, 1, 0], point: [0.1, 0, 4 "
                "mm], displacement: [0, 0, -10 mm], history: [[0, 0], [1, 1], [2, 0]]}"},
      {"contacts", "{set: zmax, to: punch}"},
      {"analysis", "[{kind: static, large: true, largest_step: 0.5}, {kind: static, large: true}]"},
      {NULL, NULL}};
  const wanted want[] = {
      {"displacement_max", 3.593e-3, 0.04}, {"contact_force_z", 0, 1e-6}, {NULL, 0, 0}};
  ig_ctx *cx = ctx_on("cpu", 1);
  case_holds(cx, case_with(cx, "structure", set), "springs back", want);
}

/* Two cubes on each other under a pressure of E / 1000 shorten by 2 edges / 1000, contact adds
   little, whatever the unit of length: the default stiffness follows the elements. */
static void contact_is_hard_in_any_unit(void **state) {
  (void)state;
  static const double edge[] = {1, 0.01};
  for (int i = 0; i < 4; i++) {
    const double a = edge[i / 2];
    char mesh[900], contact[200];
    snprintf(mesh, sizeof mesh,
             "{boxes: [{size: [%g, %g, %g], cells: [2, 2, 2]}, {origin: [0, 0, %g], size: [%g, %g, "
             "%g], cells: [3, 3, 3]}], sets: [{name: over, box: {min: [0, 0, %g], max: [1, 1, "
             "%g]}}, {name: under, box: {min: [0, 0, %g], max: [1, 1, %g]}}]}",
             a, a, a, 1.01 * a, a, a, a, 0.999 * a, 1.001 * a, 1.009 * a, 1.011 * a);
    snprintf(contact, sizeof contact, "{set: under, to: over, clearance: 0%s}",
             i % 2 ? ", of: nodes" : "");
    const entry set[] = {
        {"materials", "{name: m, young: 1e9, poisson: 0}"},
        {"supports", "[{set: zmin, fix: z}, {set: xmin, fix: x}, {set: ymin, fix: y}]"},
        {"loads", "{set: zmax, pressure: 1e6}"},
        {"contacts", contact},
        {"analysis", STATIC},
        {"mesh", mesh},
        {NULL, NULL}};
    const wanted want[] = {{"displacement_max", 2e-3 * a, 0.03}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set), contact, want);
  }
}

/* Motions that the 2 x 2 x 2 points of hex20 do not see are no modes of one element, nor of a row
   of them, which has some of its own: they came below all others. 325.5 Hz by CalculiX (C3D20R)
   beside its own false ones; Euler's load; 5764 Hz by 3 x 3 x 3 points. */
static void rows_of_reduced_elements_have_no_false_modes(void **state) {
  (void)state;
  static const struct {
    const char *mesh, *loads, *analysis;
    wanted want[4];
  } all[] = {
      {"{element: hex20, boxes: {size: [0.5, 0.1, 0.1], cells: [5, 1, 1]}}",
       "[]",
       "{kind: frequency, modes: 4}",
       {{"mode_1", 325.5, 0.004}, {"mode_2", 325.5, 0.004}, {NULL, 0, 0}}},
      {"{element: hex20, boxes: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}",
       "[]",
       "{kind: frequency, modes: 2}",
       {{"mode_1", 5764, 0.01}, {NULL, 0, 0}}},
      {"{element: hex20, boxes: {size: [1, 0.1, 0.1], cells: [10, 1, 1]}}",
       "{set: xmax, pressure: 1 MPa}",
       "{kind: buckling, modes: 4}",
       {{"mode_1", 411.2, 0.01}, {"mode_2", 411.2, 0.01}, {"mode_3", 3514, 0.01}, {NULL, 0, 0}}}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const bool loaded = *all[i].loads == '{';
    const entry set[] = {{"mesh", all[i].mesh},
                         {"materials", "{name: s, young: 200 GPa, poisson: 0.3, density: 7800}"},
                         {"supports", "{set: xmin, fix: xyz}"},
                         {"analysis", all[i].analysis},
                         {loaded ? "loads" : NULL, all[i].loads},
                         {NULL, NULL}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set), all[i].mesh, all[i].want);
  }
}

/* A column of 50 x 1 x 2: Euler's load, whether the load has a history or not; where nothing
   changes over the analysis there is nothing to multiply. Every analysis leaves its factors. */
static void columns_buckle(void **state) {
  (void)state;
  static const char *const loads[] = {"{set: xmax, pressure: 1e3}",
                                      "{set: xmax, pressure: 1e3, history: [[0, 0], [1, 1]]}"};
  const double euler = M_PI * M_PI / 4 * 1e9 * 2. / 12 / 2500 / 2e3;
#define COLUMN                                                                                     \
  {"mesh", "{boxes: {size: [50, 1, 2], cells: [20, 1, 2]}, element: hex20}"},                      \
      {"materials", "{name: m, young: 1e9, poisson: 0.3, density: 1}"}, {                          \
    "supports", "{set: xmin, fix: all}"                                                            \
  }
  for (int i = 0; i < 2; i++) {
    const entry set[] = {COLUMN,
                         {"loads", loads[i]},
                         {"analysis", "[{kind: buckling}, {kind: frequency}]"},
                         {NULL, NULL}};
    const double swing = pow(1.875104, 2) / 2 / M_PI * sqrt(1e9 / 12 / pow(50, 4));
    const wanted want[] = {
        {"analysis_1_mode_1", euler, 0.01}, {"mode_1", swing, 0.01}, {NULL, 0, 0}};
    ig_ctx *cx = ctx_on("cpu", 1);
    case_holds(cx, case_with(cx, "structure", set), loads[i], want);
  }
  const entry still[] = {COLUMN,
                         {"loads", loads[0]},
                         {"analysis", "[{kind: static}, {kind: buckling, reached: true}]"},
                         {NULL, NULL}};
#undef COLUMN
  ig_ctx *cx = ctx_on("cpu", 1);
  case_fails(cx, case_with(cx, "structure", still), "nothing that acts changes");
}

/* A load goes up beyond yield and to nothing within one analysis: at the defaults steps end where
   it turns, and plastic strain remains. */
static void steps_end_where_loads_turn(void **state) {
  (void)state;
  const entry set[] = {
      {"mesh", "{boxes: {size: [1, 0.2, 0.2], cells: [5, 2, 2]}}"},
      {"materials", "{name: m, young: 1e11, poisson: 0, yield: 8e7, hardening: 1e10}"},
      {"supports", "[{set: xmin, fix: x}, {set: ymin, fix: y}, {set: zmin, fix: z}]"},
      {"loads", "{set: xmax, pressure: -1e8, history: [[0, 0], [1, 1], [4, 0]]}"},
      {"analysis", "{kind: static, duration: 4}"},
      {NULL, NULL}};
  /* 20 MPa above yield: a plastic strain of 2e-3 along x, half of it across with volume kept */
  const wanted want[] = {{"displacement_max", sqrt(4e-6 + 2 * pow(1e-3 * 0.2, 2)), 1e-3},
                         {NULL, 0, 0}};
  ig_ctx *cx = ctx_on("cpu", 1);
  case_holds(cx, case_with(cx, "structure", set), "a load that turns", want);
}

static char said[512];
static void listen(void *user, ig_log_level level, const char *message) {
  (void)user;
  if (level == IG_LOG_WARN)
    snprintf(said, sizeof said, "%s", message);
}

static ig_ctx *listening(void) {
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1, .log = listen};
  said[0] = 0;
  assert_int_equal(ig_ctx_open(&options, &cx), IG_OK);
  return cx;
}

/* Forces at the tip, weight and pressure on a bar 1 x 0.1 x 0.1, which a spring carries too; then a
   round beam clamped in all six components, with a force and a moment at its end. */
static void loads_and_reactions_balance(void **state) {
  (void)state;
  const entry set[] = {{"mesh", "{boxes: {size: [1, 0.1, 0.1], cells: [10, 2, 2]}}"},
                       {"materials", "{name: m, young: 1e9, poisson: 0.3, density: 1000}"},
                       {"supports", "{set: xmin, fix: xyz}"},
                       {"springs", "{nodes: ['11'], components: [z], stiffness: 1e5}"},
                       {"loads", "[{set: xmax, force: [10, 0, -100]}, {set: all, acceleration: [0, "
                                 "0, -10]}, {set: ymax, pressure: 1000}]"},
                       {"analysis", STATIC},
                       {NULL, NULL}};
  /* 9 nodes at the tip; 100 N of weight; 100 N of pressure at y = 0.1 */
  const wanted want[] = {{"load_x", 90, 1e-9},
                         {"load_y", -100, 1e-9},
                         {"load_z", -1000, 1e-9},
                         {"reaction_x", -90, 1e-6},
                         {"reaction_y", 100, 1e-6},
                         {"reaction_z", 1000, 1e-6},
                         {"load_moment_x", -45, 1e-9},
                         {"load_moment_y", 954.5, 1e-9},
                         {"load_moment_z", -54.5, 1e-9},
                         {"reaction_moment_x", 45, 1e-6},
                         {"reaction_moment_y", -954.5, 1e-6},
                         {"reaction_moment_z", 54.5, 1e-6},
                         {NULL, 0, 0}};
  ig_ctx *cx = listening();
  case_holds(cx, case_with(cx, "structure", set), "bar", want);
  assert_null(strstr(said, "balance"));
  char *here = folder_new();
  char path[600];
  snprintf(path, sizeof path, "%s/beam.inp", here);
  strip(path, "B32", 4);
  const entry beam[] = {{"materials", SOFT},
                        {"supports", "{set: ROOT, fix: all}"},
                        {"beams", "{size: [0.2, 0.1], profile: ellipse}"},
                        {"loads", "{set: TIP, force: [0, 1, 2], moment: [0.3, 0.4, 0.5]}"},
                        {"analysis", STATIC},
                        {NULL, NULL}};
  const wanted root[] = {{"load_moment_x", 0.3, 1e-9},
                         {"load_moment_y", 0.4 - 2, 1e-9},
                         {"load_moment_z", 0.5 + 1, 1e-9},
                         {"reaction_moment_x", -0.3, 1e-6},
                         {"reaction_moment_y", 1.6, 1e-6},
                         {"reaction_moment_z", -1.5, 1e-6},
                         {"reaction_y", -1, 1e-6},
                         {"reaction_z", -2, 1e-6},
                         {NULL, 0, 0}};
  cx = listening();
  case_holds(cx, case_of(cx, path, beam), "round beam", root);
  assert_null(strstr(said, "balance"));
  folder_remove(here);
}

/* A block that stands on a plane can slide on it, though nothing pushes it: that is said with the
   direction. Supports in the other directions end it, and a slender cantilever is none. */
static void free_motions_are_named(void **state) {
  (void)state;
  static const struct {
    const char *mesh, *supports, *words;
  } all[] = {
      {"{boxes: {size: [0.3, 0.2, 0.1], cells: [3, 2, 2]}}", "{set: zmin, fix: z}",
       "a motion has no stiffness"},
      {"{boxes: {size: [0.3, 0.2, 0.1], cells: [3, 2, 2]}}",
       "[{set: zmin, fix: z}, {set: ymin, fix: y}]", "along x"},
      {"{boxes: {size: [0.3, 0.2, 0.1], cells: [3, 2, 2]}}",
       "[{set: zmin, fix: z}, {set: ymin, fix: y}, {set: xmin, fix: x}]", ""},
      {"{boxes: {size: [0.3, 0.0003, 0.0003], cells: [300, 1, 1]}}", "{set: xmin, fix: xyz}", ""}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const entry set[] = {
        {"mesh", all[i].mesh},         {"materials", "{name: m, young: 2e11, poisson: 0.3}"},
        {"supports", all[i].supports}, {"loads", "{set: zmax, pressure: 1}"},
        {"analysis", STATIC},          {NULL, NULL}};
    ig_ctx *cx = listening();
    ig_case *c = case_with(cx, "structure", set);
    GOOD(cx, ig_run(c, &(ig_run_options){0}));
    if (all[i].words[0] ? !strstr(said, all[i].words) : said[0] != 0)
      fail_msg("%s: '%s', expected '%s'", all[i].supports, said, all[i].words);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

/* A sheet so thin that forces cancel to the last digits: refinement finds the deflection q L^4 / 8
   E I; where it cannot, that is said. */
static void thin_sheets_are_refined(void **state) {
  (void)state;
  for (int thinner = 0; thinner < 2; thinner++) {
    const entry set[] = {{"mesh", thinner
                                      ? "{boxes: {size: [1, 0.2, 0.0001], cells: [50, 10, 1]}}"
                                      : "{boxes: {size: [1, 0.2, 0.0002], cells: [50, 10, 1]}}"},
                         {"materials", "{name: m, young: 2e11, poisson: 0, density: 8000}"},
                         {"supports", "{set: xmin, fix: xyz}"},
                         {"loads", "{set: all, acceleration: [0, 0, -1]}"},
                         {"analysis", STATIC},
                         {NULL, NULL}};
    const wanted want[] = {{"displacement_max", 1.5, 1e-3}, {NULL, 0, 0}};
    ig_ctx *cx = listening();
    ig_case *c = case_with(cx, "structure", set);
    if (thinner) {
      assert_int_equal(ig_run(c, &(ig_run_options){0}), IG_NUMERIC);
      assert_non_null(strstr(ig_ctx_message(cx), "rounding leaves displacements uncertain"));
      ig_case_close(c);
      ig_ctx_close(cx);
    } else
      case_holds(cx, c, "thin sheet", want);
    assert_null(strstr(said, "no stiffness"));
  }
}

/* What a later analysis lacks is found before the first; what fails later leaves the tables. */
static void failures_leave_tables(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    char *here = folder_new();
    const entry set[] = {{"mesh", "{boxes: {size: [1, 1, 1], cells: [1, 1, 1]}}"},
                         {"materials", "{name: m, young: 1e6, poisson: 0}"},
                         {"supports", "{set: zmin, fix: all}"},
                         {"loads", "{set: zmax, pressure: 1, history: [[0, 0], [1, 1]]}"},
                         {"tables", "{set: zmax}"},
                         {"analysis", i == 0 ? "[{kind: static}, {kind: dynamic}]"
                                      : i == 1
                                          ? "[{kind: static}, {kind: heat}]"
                                          : "[{kind: static}, {kind: buckling, reached: true}]"},
                         {NULL, NULL}};
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_with(cx, "structure", set);
    assert_int_not_equal(ig_run(c, &(ig_run_options){.out = here, .force = true}), IG_OK);
    assert_int_equal(file_exists(in_folder(here, "tables.csv")), i == 2);
    assert_int_equal(file_exists(in_folder(here, "summary.json")), i == 2);
    ig_case_close(c);
    ig_ctx_close(cx);
    folder_remove(here);
  }
}

/* A tool that stops before the part is warned of, one that presses at some time is not. */
static void idle_tools_are_named(void **state) {
  (void)state;
  for (int touches = 0; touches < 2; touches++) {
    const entry set[] = {{"mesh", "{boxes: {size: [1, 1, 1], cells: [1, 1, 1]}}"},
                         {"materials", "{name: m, young: 1e6, poisson: 0}"},
                         {"supports", "{set: zmin, fix: all}"},
                         {"tools", touches ? "{name: die, axis: [0, 0, -1], point: [0, 0, 1.01], "
                                             "displacement: [0, 0, -0.02], history: [[0, 0], [1, "
                                             "1], [2, 0]]}"
                                           : "{name: die, axis: [0, 0, -1], point: [0, 0, 1.01], "
                                             "displacement: [0, 0, -0.005], history: [[0, 0], [1, "
                                             "1], [2, 0]]}"},
                         {"contacts", "{set: zmax, to: die}"},
                         {"analysis", "{kind: static, duration: 2}"},
                         {NULL, NULL}};
    ig_ctx *cx = listening();
    ig_case *c = case_with(cx, "structure", set);
    GOOD(cx, ig_run(c, &(ig_run_options){0}));
    assert_true((strstr(said, "'die' pressed on nothing") == NULL) == touches);
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

static void what_is_missing_is_named(void **state) {
  (void)state;
  char *here = folder_new();
  char shell[600], beam[600];
  snprintf(shell, sizeof shell, "%s/shell.inp", here);
  snprintf(beam, sizeof beam, "%s/beam.inp", here);
  strip(shell, "S8", 2);
  strip(beam, "B32", 2);
#define FIXED {"materials", SOFT}, {"supports", "{set: ROOT, fix: all}"}, {"analysis", STATIC}
  refused(shell, (entry[]){FIXED, {NULL, NULL}}, "`shells` gives it no thickness");
  refused(beam, (entry[]){FIXED, {NULL, NULL}}, "`beams` gives it no section");
  refused(beam,
          (entry[]){{"materials", "{name: m, stiffness: [1, 0, 1, 0, 0, 1, 1, 1, 1]}"},
                    {"supports", "{set: ROOT, fix: all}"},
                    {"analysis", STATIC},
                    {"trusses", "{area: 1}"},
                    {NULL, NULL}},
          "trusses are isotropic");
  refused(beam, (entry[]){FIXED, {"trusses", "{area: 0}"}, {NULL, NULL}}, "area");
  refused(beam, (entry[]){FIXED, {"beams", "{size: [1, 1], direction: [1, 0, 0]}"}, {NULL, NULL}},
          "`direction` is along the axis of beam element 1");
  refused(shell, (entry[]){FIXED, {"shells", "{thickness: -1}"}, {NULL, NULL}}, "thickness");
  refused(
      shell,
      (entry[]){FIXED, {"shells", "{thickness: 1}"}, {"springs", "{nodes: ['1']}"}, {NULL, NULL}},
      "either a `stiffness` or a `curve`");
  refused(shell,
          (entry[]){FIXED,
                    {"shells", "{thickness: 1}"},
                    {"springs", "{nodes: ['1'], stiffness: 1}"},
                    {NULL, NULL}},
          "expected two nodes");
  refused(shell,
          (entry[]){FIXED,
                    {"shells", "{thickness: 1}"},
                    {"joints", "{kind: mean_rotation, nodes: ['1', '2']}"},
                    {NULL, NULL}},
          "needs `node`");
  refused(shell,
          (entry[]){FIXED,
                    {"shells", "{thickness: 1}"},
                    {"normals", "{element: 7, node: 1, normal: [0, 0, 1]}"},
                    {NULL, NULL}},
          "element 7 is no shell or beam");
  refused(shell,
          (entry[]){FIXED,
                    {"shells", "{thickness: 1}"},
                    {"axes", "{set: TIP, a: [1, 1, 0], b: [0, 1, 0]}"},
                    {"couplings", "{node: OFF, set: TIP}"},
                    {NULL, NULL}},
          "couplings and ties are in fixed axes");
#undef FIXED
  folder_remove(here);
  /* a block on a plane is pushed along it: there is no equilibrium; pressed onto it there is */
  for (int along = 0; along < 2; along++) {
    const entry set[] = {
        {"mesh", "{boxes: {size: [0.01, 0.01, 0.01], cells: [2, 2, 2]}}"},
        {"materials", "{name: m, young: 2e11, poisson: 0.3}"},
        {"supports", "{set: zmin, fix: z}"},
        {"loads", along ? "{set: xmax, pressure: 1e6}" : "{set: zmax, pressure: 1e6}"},
        {"analysis", STATIC},
        {NULL, NULL}};
    ig_ctx *cx = ctx_on("cpu", 1);
    ig_case *c = case_with(cx, "structure", set);
    assert_int_equal(ig_run(c, &(ig_run_options){0}), along ? IG_NUMERIC : IG_OK);
    assert_true(!along || strstr(ig_ctx_message(cx), "a part that nothing holds there is pushed"));
    ig_case_close(c);
    ig_ctx_close(cx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(strips_bend_as_beams),
                                     cmocka_unit_test(moments_bend_circles),
                                     cmocka_unit_test(steps_are_no_longer_than_asked),
                                     cmocka_unit_test(masses_swing),
                                     cmocka_unit_test(springs_turn),
                                     cmocka_unit_test(springs_snap_through),
                                     cmocka_unit_test(contact_slides_over_faces),
                                     cmocka_unit_test(friction_has_its_limit),
                                     cmocka_unit_test(tools_press),
                                     cmocka_unit_test(supports_agree),
                                     cmocka_unit_test(supports_agree_with_ties),
                                     cmocka_unit_test(supports_agree_with_bodies),
                                     cmocka_unit_test(paths_end_where_asked),
                                     cmocka_unit_test(idle_tools_are_named),
                                     cmocka_unit_test(failures_leave_tables),
                                     cmocka_unit_test(creep_ends_at_large_strains),
                                     cmocka_unit_test(bars_warm_up),
                                     cmocka_unit_test(pressures_accelerate),
                                     cmocka_unit_test(contact_is_augmented),
                                     cmocka_unit_test(pressures_fall_again),
                                     cmocka_unit_test(yielding_leaves_frequencies),
                                     cmocka_unit_test(loose_blocks_fall),
                                     cmocka_unit_test(punches_bend_strips),
                                     cmocka_unit_test(strips_spring_back),
                                     cmocka_unit_test(pressed_blocks_are_let_go),
                                     cmocka_unit_test(contact_is_hard_in_any_unit),
                                     cmocka_unit_test(columns_buckle),
                                     cmocka_unit_test(steps_end_where_loads_turn),
                                     cmocka_unit_test(loads_and_reactions_balance),
                                     cmocka_unit_test(rows_of_reduced_elements_have_no_false_modes),
                                     cmocka_unit_test(free_motions_are_named),
                                     cmocka_unit_test(thin_sheets_are_refined),
                                     cmocka_unit_test(what_is_missing_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
