/* ingot result probe|extremes|join: results on disk, after the run. Snapshots are read one by one,
   except by join, which needs all of them in memory. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Reads "1e-3,2 mm,0": three lengths, in metres unless they name a unit; false: they are not
   three. */
static bool point_read(const char *text, double point[3]) {
  for (int d = 0; d < 3; d++) {
    char one[64];
    /* A comma must follow the first two and not the third. */
    const size_t length = strcspn(text, ",");
    if (length >= sizeof one || (d < 2) != (text[length] == ','))
      return false;
    memcpy(one, text, length);
    one[length] = '\0';
    if (!cli_length(one, &point[d]))
      return false;
    text += length + (d < 2);
  }
  return true;
}

/* A row of CSV: cells of numbers and names need no quotes. */
static void csv_row(void *user, int columns, const char *const *cell) {
  (void)user;
  for (int c = 0; c < columns; c++)
    printf("%s%s", c ? "," : "", cell[c]);
  putchar('\n');
}

/* A row of a table: the field, least or greatest, then value, time and place. */
static void table_row(void *user, int columns, const char *const *cell) {
  (void)user;
  printf("%-28s %-3s", cell[0], cell[1]);
  for (int c = 2; c < columns; c++)
    printf(" %13s", cell[c]);
  putchar('\n');
}

/* The nearest node is taken, so the point may lie outside of the part. One row a snapshot, as CSV
   on standard output, for spreadsheets and scripts. */
static int probe_run(const cli_args *args) {
  double point[3];
  ig_ctx *cx;
  if (!args->at || !point_read(args->at, point)) {
    cli_error("--at X,Y,Z: expected three lengths in metres or with a unit, as in 1mm,2mm,0");
    return CLI_BAD_INPUT;
  }
  int code = cli_open("cpu", args, &cx);
  if (code == CLI_GOOD)
    code =
        cli_result(cx, ig_result_probe(cx, args->words.item[0], point, args->field, csv_row, NULL));
  cli_close(cx);
  return code;
}

/* All snapshots, one after the other; with --of only nodes or elements of a set. */
static int extremes_run(const cli_args *args) {
  ig_ctx *cx;
  int code = cli_open("cpu", args, &cx);
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_result_extremes(cx, args->words.item[0], args->of, table_row, NULL));
  cli_close(cx);
  return code;
}

/* The file is written beside and renamed, as all results are. All snapshots must fit into
   memory. */
static int join_run(const cli_args *args) {
  ig_ctx *cx;
  int code = cli_open("cpu", args, &cx);
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_result_join(cx, args->words.item[0], args->words.item[1]));
  cli_close(cx);
  return code;
}

/* --at is required; it is checked in probe_run with its form. */
static const cli_option probe_options[] = {
    {"at", 0, CLI_TEXT, CLI_AT(at), 0, "X,Y,Z", NULL,
     "the point, in metres or with units: 1mm,2mm,0; the nearest node or cell is taken"},
    {"field", 'f', CLI_TEXT, CLI_AT(field), 0, "NAME", NULL, "this field only"},
    {0}};
const cli_command cli_result_probe = {
    .name = "result probe",
    .words = "FOLDER",
    .least = 1,
    .most = 1,
    .about = "print fields at a point over time, from the snapshots of a run, as CSV",
    .detail = "One row a snapshot: time, the place of the nearest node, then the fields there (or "
              "in the nearest cell), with units.",
    .options = probe_options,
    .run = probe_run,
};

static const cli_option extremes_options[] = {
    {"of", 0, CLI_TEXT, CLI_AT(of), 0, "SET", NULL, "only in this set of the run's mesh"}, {0}};
const cli_command cli_result_extremes = {
    .name = "result extremes",
    .words = "FOLDER",
    .least = 1,
    .most = 1,
    .about = "print least and greatest values of all fields over the snapshots of a run",
    .options = extremes_options,
    .run = extremes_run,
};

static const cli_option join_options[] = {CLI_QUIET, {0}};
const cli_command cli_result_join = {
    .name = "result join",
    .words = "FOLDER FILE.vtkhdf",
    .least = 2,
    .most = 2,
    .about = "write the snapshots of a run as one file, the mesh stored once (VTKHDF 2: ParaView "
             "5.12 and later)",
    .options = join_options,
    .run = join_run,
};
