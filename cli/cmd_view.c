/* ingot view: a picture of a snapshot. Options are read here, drawing is the library's. */
#include "movie.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_in(const char *name, const char *ending) {
  const size_t length = strlen(name), tail = strlen(ending);
  return length >= tail && strcmp(name + length - tail, ending) == 0;
}

/* A folder of results stands for its last snapshot: *path becomes that, written into `text`. With
   `design` the surface of an optimised part comes first. Names are compared by length, then by
   letters: snap_1000000 is later than snap_999999. A path that is no folder stays as it is. On
   failure a message was printed. */
static int last_snapshot(const char **path, bool design, char *text, size_t size) {
  char last[256] = "";
  DIR *folder = opendir(*path);
  if (!folder)
    return CLI_GOOD; /* a file, or nothing: the reader reports it */
  for (const struct dirent *entry; (entry = readdir(folder));) {
    const char *name = entry->d_name;
    /* Numbers have at least six digits and grow beyond them. */
    const int longer = (int)strlen(name) - (int)strlen(last);
    if (strncmp(name, "snap_", 5) == 0 && ends_in(name, ".vtkhdf") &&
        (longer > 0 || (longer == 0 && strcmp(name, last) > 0)))
      snprintf(last, sizeof last, "%s", name);
  }
  closedir(folder);
  snprintf(text, size, "%s%spart.stl", *path, ends_in(*path, "/") ? "" : "/");
  if (*last && design && access(text, R_OK) == 0) {
    *path = text;
    return CLI_GOOD;
  }
  if (!*last) {
    cli_error("%s: no snapshot in this folder: expected snap_*.vtkhdf", *path);
    return CLI_BAD_INPUT;
  }
  snprintf(text, size, "%s%s%s", *path, ends_in(*path, "/") ? "" : "/", last);
  *path = text;
  return CLI_GOOD;
}

/* snap_000010.vtkhdf -> snap_000010.png; with a field named, snap_000010-T.png: one picture does
   not replace another A field with a slash cannot be part of a file's name and is left out. */
static void usual_picture(const char *path, const char *field, char *png, size_t size) {
  /* A dot in the folder's name is no ending of the file. */
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  const bool named = field && !strchr(field, '/');
  snprintf(png, size, "%.*s%s%s.png", dot ? (int)(dot - path) : (int)strlen(path), path,
           named ? "-" : "", named ? field : "");
}

/* Reads "x=4 mm": across which axis, 1 to 3 in cut_axis, and where in metres. */
static int plane_read(const char *name, const char *text, ig_view_options *o) {
  static const struct {
    const char *unit;
    double metres;
  } units[] = {{"", 1}, {"m", 1}, {"mm", 1e-3}, {"um", 1e-6}, {"cm", 1e-2}};
  /* NULL where no axis was found: both loops are then passed over. */
  char *end = NULL;
  o->cut_axis = text[0] >= 'x' && text[0] <= 'z' && text[1] == '=' ? text[0] - 'x' + 1 : 0;
  o->cut_at = o->cut_axis ? strtod(text + 2, &end) : 0;
  for (; end && *end == ' '; end++)
    ;
  for (size_t i = 0; end && end > text + 2 && i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].unit) == 0) {
      o->cut_at *= units[i].metres;
      return CLI_GOOD;
    }
  cli_error("--%s %s: expected an axis and a length, as in x=4mm or z=0.002", name, text);
  return CLI_BAD_INPUT;
}

/* Fills the options of the library; also used for movies. Contradictions are refused. `second` may
   be NULL. Zeroes stand for the usual size, zoom and scale. Colours of a difference and fields are
   chosen by the library. */
static int options_read(const cli_args *args, const char *second, ig_view_options *o) {
  *o = (ig_view_options){
      .field = args->field,
      .palette = args->palette,
      .fixed_range = args->given_range,
      .range = {args->range[0], args->range[1]},
      .width = args->width,
      .height = args->height,
      .fixed_camera = args->given_view,
      .azimuth = args->view[0],
      .elevation = args->view[1],
      .zoom = args->zoom,
      .edges = args->edges,
      .threshold = args->threshold,
      .threshold_range = {args->threshold_range[0], args->threshold_range[1]},
      .warp = args->warp,
      .warp_scale = args->warp_scale,
      .title = args->title,
      .bare = args->bare,
      .arrows = args->arrows,
      .outline = args->outline,
      .second = second,
      .difference = args->difference,
      .dpi = args->dpi,
      .slice = args->slice != NULL,
      .elementwise = args->elementwise,
      .celsius = args->celsius,
      .loads = args->loads,
  };
  if (args->dpi != 0 && !(args->dpi >= 10 && args->dpi <= 2400)) {
    cli_error("--dpi %g: expected 10 to 2400", args->dpi);
    return CLI_BAD_INPUT;
  }
  /* Print: 2.54 cm to an inch. */
  if (args->dpi > 0 && !args->width && !args->height) { /* 16 x 10 cm on paper */
    o->width = (int)(16 / 2.54 * args->dpi + 0.5);
    o->height = (int)(10 / 2.54 * args->dpi + 0.5);
  }
  if (args->clip && args->slice) {
    cli_error("--clip and --slice: only one of them");
    return CLI_BAD_INPUT;
  }
  if (args->threshold && !args->given_threshold_range) {
    cli_error("--threshold %s: say which values to keep with --keep LOW:HIGH", args->threshold);
    return CLI_BAD_INPUT;
  }
  if (args->clip || args->slice)
    return plane_read(args->clip ? "clip" : "slice", args->clip ? args->clip : args->slice, o);
  return CLI_GOOD;
}

/* A picture that is replaced is mentioned, as its name was perhaps not chosen. Whether a picture
   was there is asked before drawing, since afterwards it always is. */
static int picture_draw(const cli_args *args, ig_ctx *cx, const char *snapshot,
                        const ig_view_options *options, const char *png) {
  const bool there = access(png, F_OK) == 0;
  const int code = cli_result(cx, ig_view(cx, snapshot, options, png));
  if (code == CLI_GOOD && there && !args->quiet)
    fprintf(stderr, "ingot: %s was there and is replaced\n", png);
  if (code == CLI_GOOD)
    printf("%s\n", png);
  return code;
}

/* A design is drawn from its surface only when nothing was asked for that needs fields. The name of
   the picture goes to standard output, for scripts; remarks go to standard error. */
static int view_run(const cli_args *args) {
  /* Paths that were not given but found; the pointers below may lead into them. */
  char usual[4096], last[4096], other[4096];
  const char *snapshot = args->words.item[0];
  const char *second = args->words.count > 1 ? args->words.item[1] : NULL;
  ig_view_options options;
  if (args->movie)
    return movie_run(args, options_read);
  const bool design = !second && !args->field && !args->threshold && !args->warp && !args->arrows;
  int code = last_snapshot(&snapshot, design, last, sizeof last);
  if (code == CLI_GOOD && second)
    code = last_snapshot(&second, false, other, sizeof other);
  if (code == CLI_GOOD)
    code = options_read(args, second, &options);
  if (code != CLI_GOOD)
    return code;
  usual_picture(snapshot, args->field, usual, sizeof usual);
  const char *png = args->out ? args->out : usual;
  if (!ends_in(png, ".png")) {
    cli_error("--out %s: expected a name that ends in .png", png);
    return CLI_BAD_INPUT;
  }
  ig_ctx *cx;
  code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  code = picture_draw(args, cx, snapshot, &options, png);
  cli_close(cx);
  return code;
}

/* Options with two numbers have a flag in cli_args that says whether they were given, as 0:0 is a
   valid pair. */
static const cli_option options[] = {
    {"field", 'f', CLI_TEXT, CLI_AT(field), 0, "NAME", NULL,
     "field to color by; displacement.z takes a component, a bare vector its magnitude, none plain "
     "grey; if not given, density, temperature, damage, stress, or else the first field"},
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "FILE.png", NULL,
     "picture to write; the snapshot's name, the field's if it is named, and .png if not given"},
    {"range", 'r', CLI_PAIR, CLI_AT(range), CLI_AT(given_range), "LOW:HIGH", NULL,
     "values at the ends of the color bar; the field's own if not given"},
    {"palette", 'p', CLI_TEXT, CLI_AT(palette), 0, "NAME",
     "viridis|cividis|inferno|coolwarm|rainbow|gray|embers|steel|distinct", "colors"},
    {"edges", 'e', CLI_FLAG, CLI_AT(edges), 0, NULL, NULL, "draw element edges"},
    {"threshold", 0, CLI_TEXT, CLI_AT(threshold), 0, "FIELD", NULL,
     "draw only cells whose value of this field is within --keep"},
    {"keep", 'k', CLI_PAIR, CLI_AT(threshold_range), CLI_AT(given_threshold_range), "LOW:HIGH",
     NULL, "the values that --threshold keeps"},
    {"warp", 0, CLI_TEXT, CLI_AT(warp), 0, "FIELD", NULL,
     "move the points by this vector field, none: leave them; if nothing is asked for, by the "
     "displacement"},
    {"scale", 0, CLI_REAL, CLI_AT(warp_scale), 0, "X", NULL, "magnify --warp so many times"},
    {"camera", 'c', CLI_PAIR, CLI_AT(view), CLI_AT(given_view), "AZIMUTH:ELEVATION", NULL,
     "look from there, in degrees; a three-quarter view if not given"},
    {"zoom", 'z', CLI_REAL, CLI_AT(zoom), 0, "X", NULL, "magnify the picture"},
    {"width", 0, CLI_COUNT, CLI_AT(width), 0, "PIXELS", NULL, "1600 if not given"},
    {"height", 0, CLI_COUNT, CLI_AT(height), 0, "PIXELS", NULL, "1000 if not given"},
    {"title", 0, CLI_TEXT, CLI_AT(title), 0, "TEXT", NULL, "a line above the picture"},
    {"clip", 0, CLI_TEXT, CLI_AT(clip), 0, "AXIS=WHERE", NULL,
     "draw only what is below this plane, with the cut closed, as in x=4mm"},
    {"slice", 0, CLI_TEXT, CLI_AT(slice), 0, "AXIS=WHERE", NULL,
     "draw only the section by this plane"},
    {"arrows", 0, CLI_TEXT, CLI_AT(arrows), 0, "FIELD", NULL, "draw this vector field as arrows"},
    {"outline", 0, CLI_FLAG, CLI_AT(outline), 0, NULL, NULL,
     "with --warp: draw the edges of the shape before it was deformed"},
    {"loads", 0, CLI_FLAG, CLI_AT(loads), 0, NULL, NULL,
     "draw loads and supports of the folder's loads.csv; usual where nothing else is asked for"},
    {"elementwise", 0, CLI_FLAG, CLI_AT(elementwise), 0, NULL, NULL,
     "draw values of elements as they are; if not given, stresses and other quantities with a unit "
     "are averaged at the nodes"},
    {"celsius", 0, CLI_FLAG, CLI_AT(celsius), 0, NULL, NULL,
     "temperatures in degrees Celsius, those of --range and --keep too"},
    {"difference", 0, CLI_FLAG, CLI_AT(difference), 0, NULL, NULL,
     "of two results on one mesh: draw the first minus the second"},
    {"movie", 0, CLI_FILE, CLI_AT(movie), 0, "FILE.mp4", NULL,
     "draw all snapshots of a folder with one color scale and join them by ffmpeg; without ffmpeg "
     "they stay as numbered pictures"},
    {"dpi", 0, CLI_REAL, CLI_AT(dpi), 0, "N", NULL,
     "pixels per inch for print; the picture is 16 x 10 cm then, unless its size is given"},
    {"bare", 0, CLI_FLAG, CLI_AT(bare), 0, NULL, NULL, "no color bar, axes or time"},
    CLI_QUIET,
    {0}};
const cli_command cli_view = {
    .name = "view",
    .words = "SNAPSHOT|FOLDER [SECOND]",
    .least = 1,
    .most = 2,
    .about = "draw a snapshot's outer surface, colored by a field, to a PNG file",
    .detail =
        "Of a folder of results it is the last snapshot, of an optimisation the part's surface, "
        "part.stl, with its loads and supports. Displacements are shown magnified, with the factor "
        "beside the time and the outline of the undeformed shape. For example:\n"
        "  ingot view first-out --field T -o hot.png\n"
        "  ingot view first-out/snap_000010.vtkhdf --field T --edges\n"
        "  ingot view first-out --slice y=3mm --movie section.mp4\n"
        "Two results are drawn side by side with one color scale, or as their difference:\n"
        "  ingot view coarse-out fine-out --difference -o difference.png",
    .options = options,
    .run = view_run,
};
