/* A stranger's program: a cooling block, described, run and asked for its figures from C. */
#include <ingot/ingot.h>
#include <stdio.h>
#include <string.h>

static void look(void *user, const char *key, double value, const char *unit, const char *text) {
  (void)unit;
  if (!text && strcmp(key, "T_max") == 0)
    *(double *)user = value;
}

int main(void) {
  static const char *const keys[][2] = {
      {"physics", "thermal"},
      {"backend", "cpu"},
      {"mesh", "{boxes: [{size: [10 mm, 10 mm, 10 mm], cells: [4, 4, 4]}]}"},
      {"materials", "[{name: steel, density: 7800, conductivity: 40, specific_heat: 500}]"},
      {"initial_temperature", "400 K"},
      {"boundary", "[{set: surface, convection: 100 W/(m^2 K)}]"},
      {"duration", "10 s"}};
  ig_ctx *cx;
  ig_case *c = NULL;
  double hottest = 0;
  ig_status status = ig_ctx_open(NULL, &cx);
  if (status == IG_OK)
    status = ig_case_new(cx, &c);
  for (size_t i = 0; i < sizeof keys / sizeof *keys && status == IG_OK; i++)
    status = ig_case_set(c, keys[i][0], keys[i][1]);
  if (status == IG_OK)
    status = ig_run(c, &(ig_run_options){.figure = look, .user = &hottest});
  if (status == IG_OK)
    printf("ingot %s on %s: %.2f K\n", ig_version(), ig_ctx_device(cx), hottest);
  else
    fprintf(stderr, "%s\n", ig_ctx_message(cx));
  ig_case_close(c);
  ig_ctx_close(cx);
  return !(status == IG_OK && hottest > 370 && hottest < 400);
}
