/* ingot gradient: the derivative of a figure by numbers of a case, as a table. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One number: value, derivative, what a change of one percent does. A field: its extremes. */
static void row_show(const ig_gradient *g, const ig_gradient_row *r) {
  char text[200];
  if (r->count == 1) {
    int used = snprintf(text, sizeof text, "%-12.6g %14.8g   %+.3g %s for +1 %%", r->value[0],
                        r->derivative[0], 0.01 * r->value[0] * r->derivative[0], g->unit);
    if (!isnan(r->difference))
      snprintf(text + used, sizeof text - (size_t)used, "   difference %.8g (%.1e)", r->difference,
               fabs(r->difference - r->derivative[0]) / fmax(fabs(r->derivative[0]), 1e-300));
    cli_line(NULL, r->key, text);
    return;
  }
  double low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < r->count; i++) {
    low = fmin(low, r->derivative[i]);
    high = fmax(high, r->derivative[i]);
  }
  snprintf(text, sizeof text, "%" PRId64 " numbers, derivatives from %.6g to %.6g", r->count, low,
           high);
  cli_line(NULL, r->key, text);
}

/* key,number,value,derivative,difference */
static bool table_write(const ig_gradient *g, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    return false;
  fprintf(file, "key,number,value,derivative,difference\n");
  for (int i = 0; i < g->rows; i++)
    for (int64_t k = 0; k < g->row[i].count; k++) {
      const ig_gradient_row *r = &g->row[i];
      fprintf(file, "\"%s\",%" PRId64 ",%.17g,%.17g,", r->key, k, r->value[k], r->derivative[k]);
      if (!isnan(r->difference))
        fprintf(file, "%.17g", r->difference);
      fprintf(file, "\n");
    }
  return fclose(file) == 0;
}

int cli_with_figure(const cli_args *args, int (*with)(const cli_args *, ig_ctx *, ig_case *)) {
  ig_ctx *cx;
  ig_case *c = NULL;
  if (!args->figure || !args->vary.count) {
    cli_error("give --figure FIGURE, as a probe of the case, and --wrt KEY");
    return CLI_BAD_INPUT;
  }
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  cli_catch_signals(CLI_KEEPS);
  code = cli_open_case(cx, args, &c);
  if (code == CLI_GOOD)
    code = with(args, cx, c);
  ig_case_close(c);
  cli_close(cx);
  return code;
}

static int derive(const cli_args *args, ig_ctx *cx, ig_case *c) {
  ig_gradient *g = NULL;
  char text[160];
  int code = cli_result(cx, ig_case_gradient(c, args->figure, args->vary.item, args->vary.count,
                                             &(ig_gradient_options){args->differences}, &g));
  if (code == CLI_GOOD && !args->quiet) {
    snprintf(text, sizeof text, "%.10g %s (%" PRId64 " steps)", g->value, g->unit, g->steps);
    cli_line(NULL, g->figure, text);
    cli_line(NULL, "key", "value        derivative, SI");
    for (int i = 0; i < g->rows; i++)
      row_show(g, &g->row[i]);
  }
  if (code == CLI_GOOD && args->out && !table_write(g, args->out)) {
    cli_error("%s: cannot be written", args->out);
    code = CLI_FAILED;
  }
  ig_gradient_free(g);
  return code;
}

static int gradient_run(const cli_args *args) {
  return cli_with_figure(args, derive);
}

static const cli_option gradient_options[] = {
    {"figure", 'f', CLI_TEXT, CLI_AT(figure), 0, "NAME", NULL,
     "of thermal a probe at the end (NAME) or at a time (NAME@0.5 s), mean(NAME), max(NAME), "
     "variance(NAME, VALUE), volume(TEMPERATURE) in place of NAME, or misfit(FILE.csv): the sum of "
     "squares of differences to measured temperatures; of structure displacement(SET, x), "
     "reaction(SET, x), compliance, von_mises(SET), stress(SET, xx); of topopt objective, volume, "
     "constraint_1; of dynamics probes, displacement(SET, x), velocity(SET, x), reaction(SET, x), "
     "energy(SET), plastic_strain(SET), von_mises(SET), and functions of them"},
    {"wrt", 'w', CLI_REPEAT, CLI_AT(vary), 0, "KEY", NULL,
     "a number of the case, as in boundary[0].convection; beams[0].powers: the power of each piece "
     "of a path; initial_temperatures: of each node; design, thicknesses: of each element; "
     "initial_velocities. "
     "May be repeated"},
    {"differences", 0, CLI_FLAG, CLI_AT(differences), 0, NULL, NULL,
     "beside each derivative the difference of two whole runs"},
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "FILE.csv", NULL, "write the derivatives as a table"},
    CLI_SET,
    CLI_THREADS,
    CLI_QUIET,
    {0}};
const cli_command cli_gradient = {
    .name = "gradient",
    .words = "CASE.yaml",
    .least = 1,
    .most = 1,
    .about = "derivatives of a figure by numbers of a case, by one run forward and one backward",
    .detail = "For thermal and explicit dynamics, on a CPU, static analyses of structure and the "
              "first design of topopt. Steps and births are taken as they are "
              "(docs/how-to/gradients.md).",
    .options = gradient_options,
    .run = gradient_run,
};
