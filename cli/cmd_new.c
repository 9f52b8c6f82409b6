/* ingot new: a commented case of a chosen kind that runs as it is. Its size and material can be
   chosen; numbers of cells follow from the size, so that elements stay well shaped. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The texts are the files of cli/new, which CMake turns into strings. ${L}, ${W*0.5} are sides in
   mm times a factor, ${cells L H/4} the number of cells of H/4 along L, "3 cells" three times as
   many, "even cells" the nearest even number, ${cells W H/5 4} at least 4, ${M} the material,
   ${growth} its law in grains, ${speed} of a front, ${note} what its file says of the room, ${path}
   the time of a path, ${cell} of a grid of cubes, ${whole W} a side in whole ones, ${pull} the
   speed that breaks a bar, in ${time},
   ${FILE} the case. */
extern const char cli_new_statics[], cli_new_vibration[], cli_new_impact[], cli_new_print[],
    cli_new_powder[], cli_new_grains[], cli_new_distortion[], cli_new_design[], cli_new_crack[];

/* A kind of case: its room, a material that has all values the room needs, and a usual size. */
typedef struct {
  const char *name, *room, *about, *material;
  double size[3]; /* mm */
  const char *text;
} kind;
static const kind kinds[] = {
    {"statics",
     "dynamics",
     "a loaded part at rest: displacements, stresses",
     "S355",
     {100, 10, 10},
     cli_new_statics},
    {"vibration", "structure", "natural frequencies", "Al6061-T6", {100, 30, 3}, cli_new_vibration},
    {"design",
     "topopt",
     "the stiffest shape with little material",
     "AlSi10Mg",
     {60, 30, 30},
     cli_new_design},
    {"print",
     "thermal",
     "temperatures while a part is printed",
     "SS316L",
     {24, 4, 4},
     cli_new_print},
    {"powder",
     "powder",
     "the melt pool of tracks in a powder bed",
     "IN625",
     {1, 0.2, 0.04},
     cli_new_powder},
    {"grains",
     "grains",
     "grains of a solidifying melt",
     "IN625",
     {0.06, 0.06, 0.09},
     cli_new_grains},
    {"distortion",
     "stress",
     "residual stress and distortion of a printed part",
     "IN625",
     {40, 4, 8},
     cli_new_distortion},
    {"impact",
     "dynamics",
     "a part that strikes a wall",
     "copper-OFHC",
     {25, 7.5, 7.5},
     cli_new_impact},
    {"crack", "fracture", "a part that breaks", "alumina", {40, 10, 10}, cli_new_crack},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One line a kind, for --list and before a question. */
static void kinds_put(FILE *to) {
  for (int i = 0; i < KINDS; i++)
    fprintf(to, "  %-11s %-10s %s\n", kinds[i].name, kinds[i].room, kinds[i].about);
}

/* By its name, or by its room: the first kind of that room. NULL after a message. */
static const kind *kind_find(const char *word) {
  for (int i = 0; i < KINDS; i++)
    if (strcmp(kinds[i].name, word) == 0)
      return &kinds[i];
  for (int i = 0; i < KINDS; i++)
    if (strcmp(kinds[i].room, word) == 0)
      return &kinds[i];
  const char *names[KINDS + 1] = {0};
  for (int i = 0; i < KINDS; i++)
    names[i] = kinds[i].name;
  const char *near = cli_nearest(word, names);
  if (near)
    cli_error("'%s' is no kind of case: did you mean '%s'?", word, near);
  else
    cli_error("'%s' is no kind of case: 'ingot new --list' shows them", word);
  return NULL;
}

/* Asks on standard error and reads one line of an answer; what was suggested if it is empty or
   there is no input. */
static const char *ask(const char *question, const char *suggested, char *answer, int size) {
  fprintf(stderr, "%s [%s]: ", question, suggested);
  if (!fgets(answer, size, stdin))
    *answer = '\0';
  answer[strcspn(answer, "\n")] = '\0';
  return *answer ? answer : suggested;
}

/* A number rounded to some digits. */
static double short_number(double value, int digits) {
  char text[32];
  snprintf(text, sizeof text, "%.*g", digits, value);
  return strtod(text, NULL);
}

/* Reads "60x20x10mm", "60 20 10", "6 cm" into mm; one number is the length and scales the usual
   size, which is passed in. false: it is no size. */
static bool size_read(const char *text, double size[3]) {
  static const struct {
    const char *name;
    double mm;
  } units[] = {{"mm", 1}, {"", 1}, {"cm", 10}, {"um", 1e-3}, {"m", 1000}, {"in", 25.4}};
  /* Numbers with x, *, commas or blanks between them, then one unit for all. */
  double value[3];
  int n = 0;
  const char *p = text;
  for (; n < 3; n++) {
    char *end;
    value[n] = strtod(p, &end);
    if (end == p || !(value[n] > 0) || !isfinite(value[n]))
      break;
    p = end + strspn(end, " ,");
    if ((*p == 'x' || *p == '*') && n < 2)
      p++;
  }
  if (n != 1 && n != 3)
    return false;
  p += strspn(p, " ");
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(units[i].name, p) == 0) {
      const double scale = value[0] * units[i].mm / size[0];
      /* Scaled sides are rounded: the text has them, and multiples of them, with all digits. */
      for (int k = 0; k < 3; k++)
        size[k] = n == 3 || k == 0 ? value[k] * units[i].mm : short_number(size[k] * scale, 4);
      return true;
    }
  return false;
}

/* Whether a material exists and has what a room needs; and all that do, for the message. */
typedef struct {
  const char *material, *room;
  const char *needs; /* the room by whose list of values it is chosen */
  const char *key;   /* that its file must have beyond those; NULL: none */
  bool found, fits;
  /* SI, when cold */
  double density, young, fracture_energy, cohesive_strength;
  bool rates; /* it has a law of Johnson and Cook, which static analyses do not compute with */
  char reason[512]; /* why it is not for the room as it is, from its file, or "" */
  char lacks[128];  /* keys, with spaces between */
  char growth[256]; /* its law in grains */
  char others[512];
} choice;

/* Whether the file of a material has a key at its top level. */
static bool file_has(const char *path, const char *key) {
  char line[1024];
  const size_t length = strlen(key);
  bool has = false;
  FILE *file = fopen(path, "r");
  while (file && !has && fgets(line, sizeof line, file))
    has = strncmp(line, key, length) == 0 && line[length] == ':';
  if (file)
    fclose(file);
  return has;
}

/* Copies what stands behind `before`, "Not for powder: ", up to `end`; "" where it is not. */
static void part_copy(char *to, size_t size, const char *text, const char *before,
                      const char *end) {
  const char *at = strstr(text, before);
  *to = '\0';
  if (!at)
    return;
  at += strlen(before);
  const char *stop = strstr(at, end);
  snprintf(to, size, "%.*s", (int)(stop ? (size_t)(stop - at) : strlen(at)), at);
}

/* Called for each material; `rooms` is a list of names with spaces between. */
static void material_look(void *user, const ig_material_info *info) {
  choice *c = user;
  const char *at = strstr(info->rooms, c->needs);
  const size_t length = strlen(c->needs);
  const bool room = at && (at == info->rooms || at[-1] == ' ') && strchr(" ", at[length]);
  const bool fits = room && (!c->key || file_has(info->path, c->key));
  if (strcmp(info->name, c->material) == 0) {
    char before[64];
    c->found = true;
    c->rates = file_has(info->path, "johnson_cook");
    c->fits = fits;
    c->density = info->density;
    c->young = info->young;
    c->fracture_energy = info->fracture_energy;
    c->cohesive_strength = info->cohesive_strength;
    snprintf(c->growth, sizeof c->growth, "%s", info->growth);
    snprintf(before, sizeof before, "Not for %s: ", c->room);
    part_copy(c->reason, sizeof c->reason, info->left_out, before, " Not for ");
    const size_t end = strlen(c->reason);
    if (end && c->reason[end - 1] == '.')
      c->reason[end - 1] = '\0';
    snprintf(before, sizeof before, "%s: ", c->needs);
    part_copy(c->lacks, sizeof c->lacks, info->missing, before, ";");
    if (room && !fits)
      snprintf(c->lacks, sizeof c->lacks, "%s", c->key);
  }
  if (fits)
    snprintf(c->others + strlen(c->others), sizeof c->others - strlen(c->others), "%s%s",
             *c->others ? ", " : "", info->name);
}

/* A case that lacks values of its material would fail in its first run: it is refused here, with
   the reason and those that work. */
static int material_check(const cli_args *args, const kind *k, choice *c) {
  /* The case gives the absorptivity that powder needs beside what thermal needs; its keyhole needs
     a boiling temperature, and new material of a build is without stress at its solidus: ceramics
     have not both. */
  const bool powder = strcmp(k->room, "powder") == 0, stress = strcmp(k->room, "stress") == 0;
  c->room = k->room;
  c->needs = powder ? "thermal" : k->room;
  c->key = powder ? "boiling" : stress ? "solidus" : NULL;
  ig_ctx *cx;
  int code = cli_open("cpu", args, &cx);
  if (code != CLI_GOOD)
    return code;
  code = cli_result(cx, ig_materials(cx, material_look, c));
  cli_close(cx);
  if (code != CLI_GOOD || c->fits)
    return code;
  const char *all = *c->others ? c->others : "none";
  if (!c->found)
    cli_error("there is no material '%s': %s can use %s", c->material, k->room, all);
  else if (*c->reason)
    cli_error("material '%s' is not for %s: %s; complete are %s", c->material, k->room, c->reason,
              all);
  else
    cli_error("material '%s' lacks %s, which '%s' of %s needs%s: add it to a copy of its file "
              "(docs/how-to/add-a-material.md), or take one of %s",
              c->material, c->lacks, k->name, k->room,
              stress && strcmp(c->lacks, c->key) == 0 ? " (new metal is without stress there)" : "",
              all);
  return CLI_BAD_INPUT;
}

/* Reads L, "W*0.5" or "H/4" at *p, which moves behind it; mm. A letter that is no side counts
   as 1. */
static double side_of(const char **p, const double size[3]) {
  const char *const letters = "LWH", *at = strchr(letters, **p);
  double value = at && **p ? size[at - letters] : 1;
  (*p)++;
  if (**p == '*' || **p == '/') {
    char *end;
    const double factor = strtod(*p + 1, &end);
    value = **p == '*' ? value * factor : value / factor;
    *p = end;
  }
  return value;
}

/* A number of a law of grains, "{law: custom, limit: 26.5 K}"; 0 where it is not given. */
static double law_number(const char *law, const char *key) {
  const char *at = strstr(law, key);
  return at ? strtod(at + strlen(key), NULL) : 0;
}

/* How fast a melt may solidify so that dendrites keep up: 0.6 m/s, of a law by coefficients at most
   0.7 of its largest speed. */
static double growth_speed(const char *law) {
  const double u = law_number(law, "limit:"), c = law_number(law, "cubic:");
  const double most =
      u * (law_number(law, "linear:") + u * (law_number(law, "quadratic:") + u * c));
  return most > 0 ? fmin(0.6, 0.7 * most) : 0.6;
}

/* The edge of cubes, mm, about 60 of them along the length: the number nearest to 60 with which the
   edge has few digits and all sides are whole numbers of cells, or else 60. */
static double cell_of(const double size[3]) {
  for (int i = 0; i < 80; i++) {
    const int n = 60 + (i % 2 ? -1 : 1) * (i / 2 + i % 2);
    const double cell = short_number(size[0] / n, 4);
    bool whole = true;
    for (int k = 0; k < 3; k++) {
      const double cells = size[k] / cell;
      whole = whole && cells > 0.5 && fabs(cells - round(cells)) < 1e-9 * cells;
    }
    if (whole)
      return cell;
  }
  return size[0] / 60;
}

/* The time of a path of print, s: what raster.c makes of the numbers of the text of this kind.
   Lines lie a quarter of the height apart, at a speed of four heights a second, a second between
   four layers; jumps are at 1 m/s. */
static double path_time(const double size[3]) {
  const double layer = 0.25 * size[2], lines = fmax(1, round(size[1] / layer)),
               apart = size[1] / lines, jump = 1000,
               back = hypot(fmod(lines, 2) ? size[0] : 0, hypot((lines - 1) * apart, layer));
  return 4 * lines * size[0] / (4 * size[2]) + 4 * (lines - 1) * apart / jump + 3 * back / jump + 3;
}

/* How a bar breaks that is pulled at both ends: the speed of an end in m/s and the time in s. A
   step of the speed sends a wave of stress: of a fifth of the strength, so that the bar breaks at
   its notch and not at its ends. The time is that in which the ends come apart by twice what the
   bar bears, sigma L / E, and a quarter more than a crack opens until it carries nothing, 2 G /
   sigma. Where this opening is many times the bar's stretch, as in tough metals, it is pulled
   faster. */
static void pull_of(const choice *c, double length, double *speed, double *time) {
  const double stretch = c->cohesive_strength / c->young * length,
               opening = 2 * c->fracture_energy / c->cohesive_strength,
               share = fmin(0.7, fmax(0.2, 0.03 * opening / stretch));
  *speed = short_number(share * c->cohesive_strength / sqrt(c->young * c->density), 2);
  *time = (2 * stretch + 1.25 * opening) / (2 * *speed);
}

/* Copies the text of a kind, with its places filled. The texts are part of the program, so they
   need no checks. `file` is the name that comments of the text mention. */
static void case_write(FILE *to, const kind *k, const double size[3], const choice *c,
                       const char *file) {
  const char *const material = c->material;
  for (const char *p = k->text; *p; p++) {
    if (strncmp(p, "${", 2) != 0) {
      fputc(*p, to);
      continue;
    }
    p += 2;
    if (strncmp(p, "FILE", 4) == 0) {
      fputs(file, to);
    } else if (strncmp(p, "law", 3) == 0) { /* of yield and hardening, whatever the rate */
      fputs(c->rates ? ", law: plastic" : "", to);
    } else if (*p == 'M') {
      fputs(material, to);
    } else if (strncmp(p, "growth", 6) == 0) {
      fputs(c->growth, to);
    } else if (strncmp(p, "speed", 5) == 0) {
      fprintf(to, "%.2g", growth_speed(c->growth));
    } else if (strncmp(p, "note", 4) == 0) { /* what its file says of the room, on a line */
      if (*c->reason)
        fprintf(to, "  # %s is not for %s as it is: %s\n", material, k->room, c->reason);
    } else if (strncmp(p, "cells ", 6) == 0 || strncmp(p, "3 cells ", 8) == 0 ||
               strncmp(p, "even cells ", 11) == 0) {
      const double times = *p == '3' ? 3 : 1, even = *p == 'e' ? 2 : 1;
      p = strchr(p, 'c') + 6;
      const double length = side_of(&p, size);
      p++;
      const double cells = times * even * fmax(1, round(length / side_of(&p, size) / even));
      fprintf(to, "%.0f", fmax(cells, *p == ' ' ? strtod(p, NULL) : 0));
    } else if (strncmp(p, "cell", 4) == 0) {
      fprintf(to, "%.12g", cell_of(size));
    } else if (strncmp(p, "whole ", 6) == 0) {
      p += 6;
      const double cell = cell_of(size);
      fprintf(to, "%.12g", cell * fmax(1, round(side_of(&p, size) / cell)));
    } else if (strncmp(p, "path", 4) == 0) { /* up to a tenth of a second */
      fprintf(to, "%.12g", ceil(10 * path_time(size) + 0.5) / 10);
    } else if (strncmp(p, "pull", 4) == 0 || strncmp(p, "time", 4) == 0) {
      double speed, time;
      pull_of(c, 1e-3 * size[0], &speed, &time);
      fprintf(to, "%g", *p == 'p' ? speed : short_number(1e6 * time, 2));
    } else {
      fprintf(to, "%.12g", side_of(&p, size));
    }
    p = strchr(p, '}');
  }
}

/* Asks only on a terminal, and only for what was not given. Words on the command line mean that
   the rest is to be as usual. Exit code 2 for a wrong word, 1 for a file that could not be
   completed. */
static int new_run(const cli_args *args) {
  /* Answers to the three questions; texts point into them until the case is written. */
  char a[64], b[64], c[64], usual[64], path[4096];
  const bool asks = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && !args->quiet;
  if (args->list) {
    kinds_put(stdout);
    return CLI_GOOD;
  }
  const char *word = args->words.count ? args->words.item[0] : NULL;
  if (!word && asks) {
    kinds_put(stderr);
    word = ask("kind", kinds[0].name, a, sizeof a);
  }
  if (!word) {
    cli_error("which kind of case? As in 'ingot new statics'; there are:");
    kinds_put(stderr);
    return CLI_BAD_INPUT;
  }
  const kind *k = kind_find(word);
  if (!k)
    return CLI_BAD_INPUT;
  double size[3] = {k->size[0], k->size[1], k->size[2]};
  const char *text = args->size, *material = args->material;
  snprintf(usual, sizeof usual, "%gx%gx%g mm", size[0], size[1], size[2]);
  if (!text && asks && !args->words.count)
    text = ask("length x width x height", usual, b, sizeof b);
  if (text && !size_read(text, size)) {
    cli_error("--size %s: expected LENGTHxWIDTHxHEIGHT or a length, as in 60x20x10mm or 6cm", text);
    return CLI_BAD_INPUT;
  }
  if (!material)
    material = asks && !args->words.count ? ask("material", k->material, c, sizeof c) : k->material;
  choice chosen = {.material = material};
  const int code = material_check(args, k, &chosen);
  if (code != CLI_GOOD)
    return code;
  snprintf(path, sizeof path, "%s.yaml", k->name);
  /* The text names its file, so that its comments can say how to run it. */
  const char *file = args->out ? args->out : path;
  const bool standard = strcmp(file, "-") == 0;
  /* "x": a file that is there is not replaced, as the case in it may have been edited since. */
  FILE *to = standard ? stdout : fopen(file, args->force ? "w" : "wx");
  if (!to) {
    cli_error("%s: cannot be written%s", file,
              access(file, F_OK) == 0 ? ": it is there; --force replaces it" : "");
    return CLI_BAD_INPUT;
  }
  case_write(to, k, size, &chosen, standard ? path : file);
  if (!standard && fclose(to) != 0) {
    cli_error("%s: cannot be written", file);
    return CLI_FAILED;
  }
  if (!standard && !args->quiet)
    printf("%s: %s; now 'ingot run %s --report'\n", file, k->about, file);
  if (!standard && !args->quiet && *chosen.reason)
    printf("%s is not for %s as it is: %s\n", material, k->room, chosen.reason);
  return CLI_GOOD;
}

/* What is not given is asked for on a terminal, or else as usual for the kind. */
static const cli_option new_options[] = {
    {"size", 's', CLI_TEXT, CLI_AT(size), 0, "LxWxH", NULL,
     "size of the part, as in 60x20x10mm; one length keeps the proportions"},
    {"material", 'm', CLI_TEXT, CLI_AT(material), 0, "NAME", NULL,
     "what it is made of; 'ingot materials' lists them"},
    {"out", 'o', CLI_FILE, CLI_AT(out), 0, "CASE.yaml", NULL,
     "where the case goes, KIND.yaml if not given, - for standard output"},
    {"force", 0, CLI_FLAG, CLI_AT(force), 0, NULL, NULL, "replace a file that is there"},
    {"list", 'l', CLI_FLAG, CLI_AT(list), 0, NULL, NULL, "list the kinds"},
    CLI_QUIET,
    {0}};
const cli_command cli_new = {
    .name = "new",
    .words = "[KIND]",
    .most = 1,
    .about = "write a commented case to start from: statics, design, print, crack …",
    .detail = "The case runs as it is. Without KIND, on a terminal, it asks. For example:\n"
              "  ingot new statics --size 120x20x10mm --material Al6061-T6\n"
              "  ingot new --list",
    .options = new_options,
    .run = new_run,
};
