/* Hashes of cases. They are computed from the structs that a case was read into, by a walk over the
   option tables, not from its text: "1 mm" and "0.001" are the same value, and comments or the
   order of keys do not matter. */
#include "run/fingerprint.h"
#include "core/hash.h"
#include "core/threads.h"
#include "ingot_io.h"

#ifdef INGOT_HAVE_IO
#include "io/result/result_folder.h"
#include "io/format/atomic_file.h"
#endif

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A large array is hashed in pieces by all threads, then the hashes of the pieces: sequential
   hashing of a mesh of 10^7 elements takes as long as making it. whole: sequential, as in old
   checkpoints. */
static uint64_t mix_array(uint64_t h, const ig_ctx *cx, const void *data, size_t bytes,
                          bool whole) {
  /* Pieces of 4 MiB or a multiple, at most 4096. The threshold of 64 MiB and the pieces are part of
     the result: changing them invalidates checkpoints of large meshes. */
  enum { PIECE = 1 << 22, MOST = 4096 };
  if (whole || bytes <= (size_t)64 << 20)
    return ig_hash(h, data, bytes);
  uint64_t of[MOST];
  const size_t piece = (bytes / MOST / PIECE + 1) * PIECE;
  const int64_t pieces = (int64_t)((bytes + piece - 1) / piece);
#pragma omp parallel for schedule(static) num_threads(cx->threads)
  for (int64_t i = 0; i < pieces; i++) {
    const size_t at = (size_t)i * piece;
    of[i] =
        ig_hash(IG_HASH_START, (const char *)data + at, bytes - at < piece ? bytes - at : piece);
  }
  return ig_hash(h, of, (size_t)pieces * sizeof *of);
}

/* The length is hashed too, so that the texts "ab", "c" and "a", "bc" differ. NULL has length 0,
   the empty text 1. */
static uint64_t mix_text(uint64_t h, const char *text) {
  const uint64_t length = text ? strlen(text) + 1 : 0;
  h = ig_hash(h, &length, sizeof length);
  return text ? ig_hash(h, text, length) : h;
}

/* --- the mesh */

/* Physics, coordinates and connectivity. Tags and sets are not included: they do not change the
   shape of arrays in a checkpoint. */
static uint64_t mesh_fingerprint(const ig_case *c, const ig_mesh *m, bool whole) {
  uint64_t h = ig_hash(IG_HASH_START, c->room->name, strlen(c->room->name));
  if (!m)
    return h;
  h = mix_array(h, c->cx, m->x, sizeof *m->x * 3 * (size_t)m->nodes, whole);
  for (int b = 0; b < m->blocks; b++) {
    const ig_block *block = &m->block[b];
    const size_t corners = (size_t)block->count * (size_t)ig_elem_info_get(block->type)->nodes;
    h = ig_hash(h, &block->type, sizeof block->type);
    h = mix_array(h, c->cx, block->conn, sizeof *block->conn * corners, whole);
  }
  return h;
}
uint64_t ig_job_fingerprint(const ig_case *c, const ig_job *job) {
  return mesh_fingerprint(c, job->mesh, false);
}
uint64_t ig_job_fingerprint_first(const ig_case *c, const ig_job *job) {
  return mesh_fingerprint(c, job->mesh, true);
}

/* Sets change results, so they are part of the stamp. */
static uint64_t mix_sets(uint64_t h, const ig_mesh *m) {
  for (int s = 0; m && s < m->sets; s++) {
    const ig_set *set = &m->set[s];
    h = mix_text(h, set->name);
    h = ig_hash(h, set->item, sizeof *set->item * (size_t)set->count);
    if (set->face)
      h = ig_hash(h, set->face, (size_t)set->count);
  }
  return h;
}

/* --- the settings */

/* All NaN are one value (an option that was not given), and -0 equals 0. */
static uint64_t mix_reals(uint64_t h, const double *value, int64_t count) {
  h = ig_hash(h, &count, sizeof count);
  for (int64_t i = 0; i < count; i++) {
    const double one = isnan(value[i]) ? (double)NAN : value[i] == 0 ? 0 : value[i];
    h = ig_hash(h, &one, sizeof one);
  }
  return h;
}

/* A folder with results counts by its snapshots, in order: its summary contains times, which differ
   in each run. */
static uint64_t mix_file(uint64_t h, const char *path);
/* All snapshots of the folder, by their contents. */
static uint64_t mix_folder(uint64_t h, const char *path) {
#ifdef INGOT_HAVE_IO
  for (int64_t i = 0;; i++) {
    char name[IG_FILE_NAME];
    ig_snapshot_name(i, name);
    char *file = ig_path_join(path, name);
    const bool there = file && access(file, R_OK) == 0;
    if (there)
      h = mix_file(h, file);
    free(file);
    if (!there)
      break;
  }
#else
  (void)path;
#endif
  return h;
}

/* A file counts by its content, not by its path: a copied case continues. A path that cannot be
   read counts as text. */
static uint64_t mix_file(uint64_t h, const char *path) {
  struct stat s = {0};
  if (path && stat(path, &s) == 0 && S_ISDIR(s.st_mode))
    return mix_folder(h, path);
  FILE *f = path && S_ISREG(s.st_mode) ? fopen(path, "rb") : NULL; /* no pipe that never ends */
  if (!f)
    return mix_text(h, path);
  char bytes[1 << 16];
  for (size_t got; (got = fread(bytes, 1, sizeof bytes, f)) > 0;)
    h = ig_hash(h, bytes, got);
  fclose(f);
  return h;
}

/* Keys that a continuation may change: how far the run goes, and how often it reports. */
static bool is_end(const char *path) {
  static const char *const ends[] = {"duration",         "iterations",        "change",
                                     "objective_change", "analysis.duration", "analysis.steps",
                                     "report_every"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (strcmp(path, ends[i]) == 0)
      return true;
  return false;
}

/* ends: include the keys of is_end (stamp), or not (settings). */
static uint64_t mix_table(uint64_t h, const ig_option *options, const void *from, const char *above,
                          bool ends);

/* The switch has no default, so that the compiler reports a new kind of option that is not handled.
   ends false: keys that only say how far a run goes are left out, so that a run may be continued
   further. */
static uint64_t mix_option(uint64_t h, const ig_option *o, const void *from, const char *above,
                           bool ends) {
  const void *at = (const char *)from + o->offset;
  char path[160];
  snprintf(path, sizeof path, "%.100s%s%.50s", above, *above ? "." : "", o->key);
  if (!ends && is_end(path))
    return h;
  h = mix_text(h, o->key);
  switch (o->kind) {
  case IG_OPT_BOOL:
    return ig_hash(h, at, sizeof(bool));
  case IG_OPT_INT:
    return ig_hash(h, at, sizeof(int64_t));
  case IG_OPT_CHOICE:
    return ig_hash(h, at, sizeof(int));
  case IG_OPT_REAL:
    return mix_reals(h, at, 1);
  case IG_OPT_VECTOR:
    return mix_reals(h, at, o->length);
  case IG_OPT_IVECTOR:
    return ig_hash(h, at, sizeof(int64_t) * (size_t)o->length);
  case IG_OPT_TEXT:
    return mix_text(h, *(const char *const *)at);
  case IG_OPT_FILE:
    return mix_file(h, *(const char *const *)at);
  case IG_OPT_REALS: {
    const ig_reals *r = at;
    return mix_reals(h, r->value, r->count);
  }
  case IG_OPT_TEXTS: {
    const ig_texts *t = at;
    h = ig_hash(h, &t->count, sizeof t->count);
    for (int i = 0; i < t->count; i++)
      h = mix_text(h, t->value[i]);
    return h;
  }
  case IG_OPT_TABLE: {
    const ig_table *t = at;
    return mix_reals(mix_reals(h, t->x, t->count), t->y, t->count);
  }
  case IG_OPT_MAP:
    return mix_table(h, o->sub, at, path, ends);
  case IG_OPT_KEYS:
    return mix_table(h, o->sub, at, above, ends);
  case IG_OPT_LIST: {
    const ig_list *list = at;
    h = ig_hash(h, &list->count, sizeof list->count);
    for (int i = 0; i < list->count; i++) /* of several analyses the last one may end later */
      h = mix_table(h, o->sub, (const char *)list->items + (size_t)i * o->sub_size, path,
                    ends || i + 1 < list->count);
    return h;
  }
  }
  return h;
}

static uint64_t mix_table(uint64_t h, const ig_option *options, const void *from, const char *above,
                          bool ends) {
  for (const ig_option *o = options; o->key; o++)
    h = mix_option(h, o, from, above, ends);
  return h;
}

/* Top-level keys that are hashed. The mesh is hashed as generated, not by its section; title,
   backend and threads do not change results. `output` and `accept` change the result folder, but
   not whether a run can be continued. */
static bool counts(const char *key, bool ends) {
  static const char *const never[] = {"physics", "title", "backend", "threads", "mesh"};
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    if (strcmp(key, never[i]) == 0)
      return false;
  return ends || (strcmp(key, "output") != 0 && strcmp(key, "accept") != 0);
}

/* One line per top-level key, so that the first difference can be named to the user. */
ig_status ig_case_settings(ig_case *c, const char **settings) {
  const ig_option_table tables[] = {{ig_common_options, &c->common},
                                    {c->room->options, c->room_case}};
  /* Length of the text: every key with its hash and a line feed, and the final 0. */
  size_t room = 1, used = 0;
  for (int t = 0; t < 2; t++)
    for (const ig_option *o = tables[t].options; o->key; o++)
      room += strlen(o->key) + IG_STAMP_TEXT + 1;
  char *text;
  IG_TRY(ig_arena_take(c->cx, c->arena, (void **)&text, room, 1));
  for (int t = 0; t < 2; t++)
    for (const ig_option *o = tables[t].options; o->key; o++)
      if (counts(o->key, false))
        used += (size_t)snprintf(text + used, room - used, "%s %016" PRIx64 "\n", o->key,
                                 mix_option(IG_HASH_START, o, tables[t].into, "", false));
  *settings = text;
  return IG_OK;
}

/* Lines are compared in order; the tables fix the order, so a missing line shows as a difference
   too. */
bool ig_settings_differ(const char *one, const char *other, char *key, size_t size) {
  while (*one || *other) {
    const size_t length = strcspn(one, "\n"), there = strcspn(other, "\n");
    if (length != there || strncmp(one, other, length) != 0) {
      const char *line = *one ? one : other;
      snprintf(key, size, "%.*s", (int)strcspn(line, " \n"), line);
      return true;
    }
    one += length + (one[length] == '\n');
    other += there + (other[there] == '\n');
  }
  return false;
}

/* Keys of both tables; `mesh` also by its section, with the contents of its files. The version of
   the program is included: a new version may give another result. */
static uint64_t mix_case(uint64_t h, const ig_case *c, bool mesh) {
  const ig_option_table tables[] = {{ig_common_options, (void *)&c->common},
                                    {c->room->options, c->room_case}};
  h = mix_text(h, ig_version());
  for (int t = 0; t < 2; t++)
    for (const ig_option *o = tables[t].options; o->key; o++)
      if (counts(o->key, true) || (mesh && strcmp(o->key, "mesh") == 0))
        h = mix_option(h, o, tables[t].into, "", true);
  return h;
}

void ig_job_stamp(const ig_case *c, const ig_job *job, char stamp[IG_STAMP_TEXT]) {
  const uint64_t mesh = mix_sets(ig_job_fingerprint(c, job), job->mesh);
  snprintf(stamp, IG_STAMP_TEXT, "%016" PRIx64, mix_case(mesh, c, false));
}

uint64_t ig_case_hash(const ig_case *c) {
  return mix_case(mix_text(IG_HASH_START, c->room->name), c, true);
}
