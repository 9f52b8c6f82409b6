/* The unit of length that a mesh file states, for formats that have one. */
#include "core/require.h"
#include "io/format/atomic_file.h"
#include "core/number.h"
#include "io/format/h5.h"
#include "io/mesh/mesh_io.h"
#include <ingot/run.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Name of a unit, or of a system of units, and metres per unit of length. */
typedef struct {
  const char *name;
  double metres;
} unit;

/* Metres of the unit named by `length` letters; 0: unknown. */
static double unit_find(const unit *units, const char *name, size_t length) {
  for (; units->name; units++)
    if (strlen(units->name) == length && strncasecmp(units->name, name, length) == 0)
      return units->metres;
  return 0;
}

/* Ansys: a line /UNITS,MPA; MPA is the system mm, t, s. */
static double cdb_unit(const char *line) {
  static const unit systems[] = {{"SI", 1},       {"MKS", 1},       {"CGS", 1e-2},  {"MPA", 1e-3},
                                 {"BFT", 0.3048}, {"BIN", 25.4e-3}, {"UMKS", 1e-6}, {NULL, 0}};
  while (*line == ' ')
    line++;
  if (strncasecmp(line, "/UNITS", 6) != 0)
    return 0;
  line += 6 + strspn(line + 6, " ,");
  return unit_find(systems, line, strcspn(line, " ,\r\n"));
}

/* Universal files (I-DEAS): dataset 164, whose second line begins with the factor from metres to
   the unit of the file. Datasets are enclosed by lines with -1. Dataset 164 has the factor of the
   unit of length; 0: there is none. */
static double unv_unit(FILE *f) {
  char line[256];
  bool begins = false;
  while (fgets(line, sizeof line, f)) {
    char *p = line + strspn(line, " ");
    p[strcspn(p, " \r\n")] = '\0';
    /* "-1" begins and ends a dataset, and the next line is its number. */
    const bool mark = strcmp(p, "-1") == 0;
    if (begins && strcmp(p, "164") == 0)
      break;
    begins = mark && !begins;
    if (begins || mark)
      continue;
    if (strcmp(p, "2411") == 0 || strcmp(p, "781") == 0)
      return 0; /* nodes: units stand before them */
  }
  /* The third line begins with the factor from SI to the unit of length, in a field of 25
     letters. */
  char *end;
  for (int i = 0; i < 2; i++)
    if (!fgets(line, sizeof line, f))
      return 0;
  line[25 < strlen(line) ? 25 : strlen(line)] = '\0';
  for (char *c = line; *c; c++)
    *c = *c == 'D' || *c == 'd' ? 'e' : *c;
  const double factor = ig_decimal_read(line + strspn(line, " "), &end);
  return factor > 0 ? 1 / factor : 0;
}

static ig_status name_take(ig_h5 *h5, const char *name, void *user) {
  (void)h5;
  snprintf(user, 128, "ENS_MAA/%.100s", name);
  return IG_OK;
}

/* MED: attribute UNI of the mesh, 16 letters per axis. */
static ig_status med_unit(ig_ctx *cx, const char *path, double *metres) {
  static const unit units[] = {{"m", 1},        {"mm", 1e-3},      {"cm", 1e-2},   {"um", 1e-6},
                               {"in", 25.4e-3}, {"inch", 25.4e-3}, {"ft", 0.3048}, {NULL, 0}};
  ig_h5 h5;
  char mesh[128] = "", text[128] = "";
  ig_status status = ig_h5_open(cx, path, false, &h5);
  if (status == IG_OK && ig_h5_has(&h5, "ENS_MAA"))
    status = ig_h5_list(&h5, "ENS_MAA", name_take, mesh);
  if (status == IG_OK && mesh[0] && ig_h5_get_text(&h5, mesh, "UNI", text, sizeof text) == IG_OK)
    *metres = unit_find(units, text, strcspn(text, " "));
  ig_h5_close(&h5);
  return status;
}

/* 0: the file states none. Faults of the file are left to its reader. *metres is 0 where the file
 * does not say. */
ig_status ig_mesh_file_unit(ig_ctx *cx, const char *path, double *metres) {
  IG_REQUIRE_ARGS(cx, cx && path && metres);
  const char *dot = strrchr(path, '.');
  static const char *const millimetres[] = {".step", ".stp", ".iges", ".igs",
                                            ".stl",  ".obj", ".ply",  ".off"};
  *metres = 0;
  if (!dot)
    return IG_OK;
  if (strcasecmp(dot, ".vtkhdf") == 0)
    *metres = 1;
  /* geometry: whatever its unit, Gmsh hands millimetres over; surfaces name none: it is usual */
  for (size_t i = 0; i < sizeof millimetres / sizeof *millimetres; i++)
    if (strcasecmp(dot, millimetres[i]) == 0)
      *metres = 1e-3;
  /* A file that cannot be read has no unit here; its reader then says why. */
  if (strcasecmp(dot, ".med") == 0) {
    const ig_status status = med_unit(cx, path, metres);
    if (status != IG_OK) { /* its reader tells what is wrong with it */
      cx->status = IG_OK;
      cx->message[0] = '\0';
    }
  }
  const bool cdb = strcasecmp(dot, ".cdb") == 0 || strcasecmp(dot, ".dat") == 0;
  if (!cdb && strcasecmp(dot, ".unv") != 0)
    return IG_OK;
  /* Text files are looked through up to the nodes. */
  FILE *f;
  IG_TRY(ig_file_open(cx, path, &f));
  char line[256];
  if (!cdb)
    *metres = unv_unit(f);
  for (int i = 0; cdb && *metres == 0 && i < 10000 && fgets(line, sizeof line, f); i++) {
    if (strncasecmp(line, "NBLOCK", 6) == 0)
      break;
    *metres = cdb_unit(line);
  }
  fclose(f);
  return IG_OK;
}
