/* Names of physical groups in files of Gmsh's format 2. Gmsh compares each with all before it,
   which takes minutes for 100,000: of such files it reads a copy without names, and they are read
   here. */
#ifdef INGOT_HAVE_GMSH

#include "io/mesh/mesh_gmsh.h"
#include "io/format/atomic_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fewer names are left to Gmsh. */
enum { MANY = 10000, LINE = 1024 };
static const char *const copy_name = "unnamed.msh"; /* in the scratch folder, where this runs */

static int by_name(const void *a, const void *b) {
  const ig_gmsh_name *x = a, *y = b;
  const int dim = (x->dim > y->dim) - (x->dim < y->dim), name = strcmp(x->name, y->name);
  return dim ? dim : name ? name : (x->order > y->order) - (x->order < y->order);
}
static int by_number(const void *a, const void *b) {
  const ig_gmsh_name *x = a, *y = b;
  const int dim = (x->dim > y->dim) - (x->dim < y->dim);
  return dim ? dim : (x->number > y->number) - (x->number < y->number);
}

/* A name belongs to the first group of a dimension that has it, as with Gmsh. */
static void names_sort(ig_gmsh_names *n) {
  qsort(n->list, n->count, sizeof *n->list, by_name);
  size_t kept = 0;
  for (size_t i = 0; i < n->count; i++)
    if (kept == 0 || n->list[kept - 1].dim != n->list[i].dim ||
        strcmp(n->list[kept - 1].name, n->list[i].name) != 0)
      n->list[kept++] = n->list[i];
    else
      free(n->list[i].name);
  n->count = kept;
  qsort(n->list, n->count, sizeof *n->list, by_number);
}

/* A line of $PhysicalNames: dimension, number, "name". */
static ig_status name_take(ig_ctx *cx, const char *line, ig_gmsh_names *n, bool *good) {
  const char *from = strchr(line, '"'), *to = from ? strrchr(line, '"') : NULL;
  char *end;
  const long dim = strtol(line, &end, 10), number = strtol(end, &end, 10);
  *good =
      from && to > from && end < from && dim >= 0 && dim <= 3 && number > 0 && number <= INT32_MAX;
  if (!*good)
    return IG_OK;
  IG_TRY(IG_MORE(cx, &n->list, n->count, "names of groups"));
  char *name = strndup(from + 1, (size_t)(to - from - 1));
  if (!name)
    return IG_FAIL(cx, IG_MEMORY, "no memory for names of groups");
  n->list[n->count] = (ig_gmsh_name){(int)dim, (int)number, n->count, name};
  n->count++;
  return IG_OK;
}

/* From "$PhysicalNames" to its end; *good: many of them, each as it should be. */
static ig_status names_read(ig_ctx *cx, FILE *f, ig_gmsh_names *n, bool *good) {
  char line[LINE];
  const long count = fgets(line, sizeof line, f) ? strtol(line, NULL, 10) : 0;
  *good = count >= MANY;
  for (long i = 0; i < count && *good; i++) {
    *good = fgets(line, sizeof line, f) && strchr(line, '\n');
    if (*good)
      IG_TRY(name_take(cx, line, n, good));
  }
  *good = *good && fgets(line, sizeof line, f) && strncmp(line, "$EndPhysicalNames", 17) == 0;
  return IG_OK;
}

/* What lies before the names, and all behind them. */
static bool rest_copy(FILE *f, long names) {
  FILE *to = fopen(copy_name, "wb");
  char *buffer = malloc(1 << 20);
  const long behind = ftell(f);
  bool good = to && buffer && fseek(f, 0, SEEK_SET) == 0;
  for (long left = names; good && left > 0;) {
    const size_t n = fread(buffer, 1, left < 1 << 20 ? (size_t)left : 1 << 20, f);
    good = n > 0 && fwrite(buffer, 1, n, to) == n;
    left -= (long)n;
  }
  good = good && fseek(f, behind, SEEK_SET) == 0;
  for (size_t n; good && (n = fread(buffer, 1, 1 << 20, f)) > 0;)
    good = fwrite(buffer, 1, n, to) == n;
  good = good && !ferror(f);
  free(buffer);
  return (!to || fclose(to) == 0) && good;
}

/* Names lie before the nodes in files that programs write; others are left to Gmsh. */
ig_status ig_gmsh_names_take(ig_ctx *cx, const char *path, ig_gmsh_names *n, const char **open) {
  char line[LINE];
  FILE *f;
  *open = path;
  IG_TRY(ig_file_open(cx, path, &f));
  bool good = fgets(line, sizeof line, f) && strncmp(line, "$MeshFormat", 11) == 0 &&
              fgets(line, sizeof line, f) && line[0] == '2';
  long names = 0;
  while (good && (names = ftell(f)) >= 0 && fgets(line, sizeof line, f) &&
         strncmp(line, "$PhysicalNames", 14) != 0)
    good = strncmp(line, "$Nodes", 6) != 0;
  ig_status status = IG_OK;
  good = good && strncmp(line, "$PhysicalNames", 14) == 0;
  if (good)
    status = names_read(cx, f, n, &good);
  if (status == IG_OK && good && rest_copy(f, names)) {
    names_sort(n);
    *open = copy_name;
  } else {
    ig_gmsh_names_free(n);
  }
  fclose(f);
  return status;
}

const char *ig_gmsh_names_find(const ig_gmsh_names *n, int dim, int number) {
  const ig_gmsh_name key = {.dim = dim, .number = number};
  const ig_gmsh_name *found =
      n->count ? bsearch(&key, n->list, n->count, sizeof key, by_number) : NULL;
  return found ? found->name : NULL;
}

void ig_gmsh_names_free(ig_gmsh_names *n) {
  for (size_t i = 0; i < n->count; i++)
    free(n->list[i].name);
  free(n->list);
  *n = (ig_gmsh_names){0};
}

#endif
