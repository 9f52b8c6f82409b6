/* ingot path info|convert|draw: toolpaths without an analysis. They are read exactly as a run reads
   them, so `info` shows what a run would do. */
#include "cli.h"

#include <string.h>

/* A path file in one of many dialects, or a case, of which one beam's path is taken. Options that
   are zero were not given. Beams of a case count from 1, as everything that people count. */
static int open_path(ig_ctx *cx, const cli_args *args, ig_path **path) {
  const ig_path_options options = {.format = args->format,
                                   .power = args->power,
                                   .unit = args->unit,
                                   .travel = args->travel,
                                   .feed = args->feed,
                                   .z = args->z};
  /* The ending alone decides whether it is a case. */
  const char *file = args->words.item[0], *end = strrchr(file, '.');
  if (!end || (strcmp(end, ".yaml") != 0 && strcmp(end, ".yml") != 0))
    return cli_result(cx, ig_path_open(cx, file, &options, path));
  ig_case *c = NULL; /* a case: the path of one of its beams */
  int code = cli_result(cx, ig_case_open(cx, file, &c));
  if (code == CLI_GOOD)
    code = cli_result(cx, ig_path_of_case(c, args->beam ? args->beam : 1, path));
  ig_case_close(c);
  return code;
}

/* What is done with a path once it is open. */
typedef ig_status path_use(ig_ctx *cx, const ig_path *path, const cli_args *args);

/* Opens, uses and closes, for the three commands. The path is read whole and closed whatever `use`
 * returned. */
static int path_run(const cli_args *args, path_use *use) {
  ig_ctx *cx;
  ig_path *path = NULL;
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  code = open_path(cx, args, &path);
  if (code == CLI_GOOD)
    code = cli_result(cx, use(cx, path, args));
  ig_path_close(path);
  cli_close(cx);
  return code;
}

static ig_status info_use(ig_ctx *cx, const ig_path *path, const cli_args *args) {
  (void)args;
  return ig_path_describe(cx, path, cli_line, NULL);
}
static ig_status convert_use(ig_ctx *cx, const ig_path *path, const cli_args *args) {
  return ig_path_write(cx, path, args->words.item[1]);
}
static ig_status draw_use(ig_ctx *cx, const ig_path *path, const cli_args *args) {
  return ig_path_draw(cx, path, args->layer, args->words.item[1]);
}

static int info_run(const cli_args *args) {
  return path_run(args, info_use);
}
static int convert_run(const cli_args *args) {
  return path_run(args, convert_use);
}
static int draw_run(const cli_args *args) {
  return path_run(args, draw_use);
}

/* Options of all three commands. */
#define PATH_OPTIONS                                                                               \
  {"format",                                                                                       \
   'f',                                                                                            \
   CLI_TEXT,                                                                                       \
   CLI_AT(format),                                                                                 \
   0,                                                                                              \
   "NAME",                                                                                         \
   "csv|crs|segments|gcode|additivefoam|3dthesis|adamantine|ammt|cli",                             \
   "the dialect, where the file does not tell"},                                                   \
      {"power", 'p',     CLI_REAL, CLI_AT(power),                                                  \
       0,       "WATTS", NULL,     "nominal power, where the file gives none"},                    \
      {"unit", 'u',      CLI_REAL, CLI_AT(unit),                                                   \
       0,      "LENGTH", NULL,     "length unit of the file, mm for millimetres"},                 \
      {"travel", 0,                                                                                \
       CLI_REAL, CLI_AT(travel),                                                                   \
       0,        "M/S",                                                                            \
       NULL,     "speed with the beam off, where the file gives none; 1 if not given"},            \
      {"feed", 0,     CLI_REAL, CLI_AT(feed),                                                      \
       0,      "M/S", NULL,     "speed with the beam on, where the file gives none"},              \
      {"beam", 'b', CLI_COUNT, CLI_AT(beam),                                                       \
       0,      "N", NULL,      "of a case: which of its beams, from 1; 1 if not given"},           \
  {                                                                                                \
    "height", 'z', CLI_REAL, CLI_AT(z), 0, "LENGTH", NULL,                                         \
        "z of the path, where the file gives none"                                                 \
  }

static const cli_option info_options[] = {PATH_OPTIONS, {0}};
const cli_command cli_path_info = {
    .name = "path info",
    .words = "PATH",
    .least = 1,
    .most = 1,
    .about = "say how a toolpath, or that of a case, is read: pieces, lengths, times, bounds, "
             "speeds, powers, layers",
    .options = info_options,
    .run = info_run,
};

static const cli_option convert_options[] = {PATH_OPTIONS, CLI_QUIET, {0}};
const cli_command cli_path_convert = {
    .name = "path convert",
    .words = "FROM TO",
    .least = 2,
    .most = 2,
    .about = "read a toolpath, or that of a case, and write it as .csv (t,x,y,z,power) or .txt "
             "(AdditiveFOAM)",
    .options = convert_options,
    .run = convert_run,
};

/* Without --layer all layers lie above each other. */
static const cli_option draw_options[] = {
    PATH_OPTIONS,
    {"layer", 'l', CLI_COUNT, CLI_AT(layer), 0, "N", NULL, "draw this layer only, from 1"},
    CLI_QUIET,
    {0}};
const cli_command cli_path_draw = {
    .name = "path draw",
    .words = "PATH PICTURE.png",
    .least = 2,
    .most = 2,
    .about = "draw a toolpath, or that of a case, from above, colored by power",
    .options = draw_options,
    .run = draw_run,
};
