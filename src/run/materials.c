/* Material files: search path, and the list of shipped materials for `ingot materials`. */
#include "run/materials.h"
#include "core/program.h"
#include "core/require.h"
#include "ingot_io.h"
#include "material/material.h"
#ifdef INGOT_HAVE_IO
#include "io/format/case_yaml.h"
#endif
#include <ingot/run.h>

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Composes folder/middle + name and tests for read permission. A name without a dot gets
   ".yaml". */
static bool readable(char *path, const char *folder, const char *middle, const char *name) {
  const int n = snprintf(path, PATH_MAX, "%s%s%s%s%s", folder, *folder ? "/" : "", middle, name,
                         strchr(name, '.') ? "" : ".yaml");
  return n > 0 && n < PATH_MAX && access(path, R_OK) == 0;
}

/* Materials relative to the running program, because an installed tree may have been moved: in
   `materials` beside the program or one folder above (build folder in the source tree), or
   PREFIX/share for PREFIX/bin/ingot. */
static bool beside_program(char path[PATH_MAX], const char *name) {
  char self[PATH_MAX];
  for (int up = 1; up <= 2; up++) {
    if (!ig_program_above(up, self, sizeof self))
      return false;
    if (readable(path, *self ? self : "/.", "materials/", name))
      return true;
  }
  return readable(path, self, "share/ingot/materials/", name);
}

/* file->at.line is 0 for a value set by a program, which has no folder of its own; the current
   folder is used then. "/." stands for the root folder, because readable() appends a slash. */
bool ig_material_file_find(const ig_node *file, char *path) {
  char folder[PATH_MAX] = "", above[PATH_MAX];
  const char *const name = file->text, *const slash =
                                           strrchr(file->at.line ? file->at.file : "", '/');
  const char *const environment = getenv("INGOT_MATERIALS");
  if (*name == '/')
    return readable(path, "", "", name);
  if (slash)
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - file->at.file), file->at.file);
  if (readable(path, slash && !*folder ? "/." : folder, "", name))
    return true;
  if (strchr(name, '/'))
    return false;
  if (realpath(*folder ? folder : slash ? "/" : ".", above))
    for (char *end = above + strlen(above); end; end = strrchr(above, '/')) {
      *end = '\0';
      if (readable(path, *above ? above : "/.", "materials/", name))
        return true;
    }
  return (environment && readable(path, environment, "", name)) || beside_program(path, name) ||
         readable(path, IG_MATERIALS_DIR, "", name);
}

/* --- the list of shipped materials */

/* The folder in which shipped materials are: $INGOT_MATERIALS, else where a material that every
   installation has (SS316L) is found. */
static bool folder_find(char folder[PATH_MAX]) {
  const char *const environment = getenv("INGOT_MATERIALS");
  char *slash;
  if (environment && *environment) {
    snprintf(folder, PATH_MAX, "%s", environment);
    return access(folder, R_OK) == 0;
  }
  /* that of a file which every installation has */
  if (!beside_program(folder, "SS316L") && !readable(folder, IG_MATERIALS_DIR, "", "SS316L"))
    return false;
  slash = strrchr(folder, '/');
  *slash = '\0';
  return true;
}

bool ig_material_nearest(const char *name, char *text, size_t size) {
  char folder[PATH_MAX], choices[4096] = "";
  size_t used = 0;
  DIR *d = strchr(name, '/') || !folder_find(folder) ? NULL : opendir(folder);
  for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
    const char *dot = strrchr(e->d_name, '.');
    if (dot && strcmp(dot, ".yaml") == 0 && used < sizeof choices)
      used += (size_t)snprintf(choices + used, sizeof choices - used, "%s%.*s", used ? "|" : "",
                               (int)(dot - e->d_name), e->d_name);
  }
  if (d)
    closedir(d);
  return used > 0 && used < sizeof choices && ig_nearest(name, choices, text, size);
}

#ifdef INGOT_HAVE_IO
/* Extends `range` by the temperatures (K) of a table; a single value has no range. */
static void range_add(const ig_table *t, double range[2]) {
  if (t->count < 2)
    return;
  range[0] = fmin(range[0], t->x[0]);
  range[1] = fmax(range[1], t->x[t->count - 1]);
}

/* The temperatures, K, that the tables of a material span; room temperature where every value is
   a single one. */
static void range_of(const ig_material_case *m, double range[2]) {
  const ig_mechanical_case *k = &m->mechanical;
  const ig_table *const all[] = {&m->density,   &m->conductivity,  &m->specific_heat,
                                 &k->young,     &k->poisson,       &k->yield,
                                 &k->hardening, &k->tangent,       &k->thermal_strain,
                                 &k->expansion, &k->expansion_mean};
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    range_add(all[i], range);
  if (!(range[1] > range[0]))
    range[0] = range[1] = IG_ROOM_TEMPERATURE;
}

/* Appends to a text what fits. */
static void append(char *text, size_t size, const char *more) {
  const size_t used = strlen(text), room = size - used - 1;
  snprintf(text + used, room + 1, "%.*s", (int)room, more);
}

/* Appends words to a text, as many as fit, after a blank. */
static void add(char *text, size_t size, const char *more) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%.*s", used ? " " : "", (int)(size - used) - 2, more);
}

/* What rooms need of a material, as bits; their keys, in the same order. */
enum {
  DENSITY = 1,
  CONDUCTIVITY = 2,
  SPECIFIC_HEAT = 4,
  ABSORPTIVITY = 8,
  YOUNG = 16,
  POISSON = 32,
  EXPANSION = 64,
  FRACTURE_ENERGY = 128,
  COHESIVE_STRENGTH = 256,
  QUASI_STATIC = 512
};
static const char *const keys[] = {
    "density", "conductivity", "specific_heat",   "absorptivity",      "young",
    "poisson", "expansion",    "fracture_energy", "cohesive_strength", "mechanical.yield"};

/* In agreement with the checks of the rooms: tests/cli/materials.sh runs each material in each. */
static const struct {
  const char *name;
  unsigned needs;
} needs[] = {{"thermal", DENSITY | CONDUCTIVITY | SPECIFIC_HEAT},
             {"powder", DENSITY | CONDUCTIVITY | SPECIFIC_HEAT | ABSORPTIVITY},
             {"topopt", YOUNG | POISSON},
             {"dynamics", YOUNG | POISSON | DENSITY},
             {"structure", YOUNG | POISSON | QUASI_STATIC},
             {"stress", YOUNG | POISSON | EXPANSION | QUASI_STATIC},
             {"fracture", YOUNG | POISSON | DENSITY | FRACTURE_ENERGY | COHESIVE_STRENGTH}};

/* What a material has, as bits. A Johnson-Cook law alone has no values without rates of strain. */
static unsigned values_of(const ig_material_case *m) {
  const ig_mechanical_case *k = &m->mechanical;
  const bool has[] = {m->density.count > 0,
                      m->conductivity.count > 0,
                      m->specific_heat.count > 0,
                      m->absorptivity.count > 0,
                      !isnan(m->young),
                      !isnan(m->poisson),
                      k->thermal_strain.count || k->expansion.count || k->expansion_mean.count,
                      !isnan(m->fracture_energy),
                      !isnan(m->cohesive_strength),
                      !m->johnson_cook.at.given || k->yield.count};
  unsigned values = 0;
  for (size_t i = 0; i < sizeof has / sizeof *has; i++)
    values |= has[i] ? 1u << i : 0;
  return values;
}

/* Rooms for which the values are complete, with spaces between; and what others lack, "powder:
   absorptivity; …", but for rooms of which the file itself says why they are left out. */
static void rooms_of(const ig_material_case *m, const char *left_out, const char *growth,
                     char *rooms, size_t rooms_size, char *missing, size_t missing_size) {
  const unsigned values = values_of(m);
  *rooms = *missing = '\0';
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
    const unsigned lacks = needs[i].needs & ~values;
    char text[64];
    snprintf(text, sizeof text, "Not for %s:", needs[i].name);
    if (!lacks) {
      add(rooms, rooms_size, needs[i].name);
    } else if (!strstr(left_out, text)) {
      snprintf(text, sizeof text, "%s%s:", *missing ? "; " : "", needs[i].name);
      append(missing, missing_size, text);
      for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (lacks & 1u << k)
          add(missing, missing_size, keys[k]);
    }
  }
  if (*growth)
    add(rooms, rooms_size, "grains");
  else if (!strstr(left_out, "Not for grains:"))
    append(missing, missing_size, *missing ? "; grains: growth" : "grains: growth");
}

/* A text in a buffer of the caller. */
typedef struct {
  char *text;
  size_t size;
} words;

/* Reads the leading comments of a material file: "# NAME: what it is.", "# Sources: …", "# Not for
   ROOM: …" and "# For grains: growth: {…}" of one line, until a line that starts another subject
   ("# SI."). */
static void head_read(const char *path, words about, words sources, words left_out, words growth) {
  FILE *file = fopen(path, "r");
  char line[1024];
  const words *now = &about;
  static const char grains[] = "# For grains: growth: ";
  *about.text = *sources.text = *left_out.text = *growth.text = '\0';
  while (file && fgets(line, sizeof line, file) && strncmp(line, "# ", 2) == 0 &&
         strncmp(line, "# SI.", 5) != 0) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, grains, sizeof grains - 1) == 0) {
      append(growth.text, growth.size, line + sizeof grains - 1);
      continue;
    }
    const bool source = strncmp(line, "# Sources: ", 11) == 0;
    now = source ? &sources : strncmp(line, "# Not for ", 10) == 0 ? &left_out : now;
    add(now->text, now->size, line + (source ? 11 : 2));
  }
  if (file)
    fclose(file);
}

/* Reads one file as a case would read it, so that a material that cannot be used is not listed. */
static ig_status material_list(ig_ctx *cx, ig_arena *arena, const char *path, ig_material_fn *found,
                               void *user) {
  ig_node *root = NULL;
  ig_material_case m;
  char about[256], sources[2048], left_out[1024], growth[256], rooms[128], missing[512];
  memset(&m, 0, sizeof m);
  IG_TRY(ig_yaml_open(cx, arena, path, &root));
  const ig_option_table table = {.options = ig_material_options, .into = &m};
  IG_TRY(ig_options_read(cx, arena, root, &table, 1));
  ig_material_complete(&m);
  IG_TRY(ig_material_homogenise(cx, &m));
  ig_material_info info = {.name = m.name,
                           .path = path,
                           .about = about,
                           .sources = sources,
                           .rooms = rooms,
                           .left_out = left_out,
                           .growth = growth,
                           .missing = missing,
                           .density = m.density.count ? m.density.y[0] : NAN,
                           .young = m.young,
                           .fracture_energy = m.fracture_energy,
                           .cohesive_strength = m.cohesive_strength};
  head_read(path, (words){about, sizeof about}, (words){sources, sizeof sources},
            (words){left_out, sizeof left_out}, (words){growth, sizeof growth});
  range_of(&m, info.range);
  rooms_of(&m, left_out, growth, rooms, sizeof rooms, missing, sizeof missing);
  found(user, &info);
  return IG_OK;
}

static int is_material(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return entry->d_name[0] != '.' && length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}
#endif

/* Files are sorted by name, so the order does not depend on the file system. */
ig_status ig_materials(ig_ctx *cx, ig_material_fn *found, void *user) {
  IG_REQUIRE_ARGS(cx, cx && found);
  char folder[PATH_MAX];
  if (!folder_find(folder))
    return IG_FAIL(cx, IG_INPUT,
                   "no folder of materials: looked in $INGOT_MATERIALS, beside the program and in "
                   "%s",
                   IG_MATERIALS_DIR);
#ifdef INGOT_HAVE_IO
  struct dirent **entry = NULL;
  const int count = scandir(folder, &entry, is_material, alphasort);
  ig_arena *arena = NULL;
  ig_status status = ig_arena_new(cx, &arena);
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
    if (status == IG_OK)
      status = material_list(cx, arena, path, found, user);
    free(entry[i]);
  }
  free(entry);
  ig_arena_free(arena);
  return status;
#else
  (void)user;
  return IG_FAIL(cx, IG_UNSUPPORTED, "this build reads no files: configure with -DINGOT_IO=ON");
#endif
}
