/* What a geometry script may say before Gmsh runs it. Words are looked for outside comments and
   strings, as Gmsh's own scanner does. */
#include "io/geo_check.h"
#include "io/store.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { DEEPEST = 8, MOST_BYTES = 256 << 20 };

typedef struct {
  ig_ctx *cx;
  const char *path;
  const char *p;
  int line, depth;
  bool doubtful;
} scan;

static ig_status file_check(ig_ctx *cx, const char *path, int depth);

static ig_status refuse(const scan *s, const char *word, int length, const char *why) {
  return IG_FAIL(s->cx, IG_INPUT, "%s:%d:1: '%.*s' %s", s->path, s->line, length, word, why);
}

/* Past spaces and comments. */
static void gap_skip(scan *s) {
  for (;;) {
    const char *end = s->p;
    if (isspace((unsigned char)*end))
      end++;
    else if (end[0] == '/' && end[1] == '/')
      end += strcspn(end, "\n");
    else if (end[0] == '/' && end[1] == '*')
      end = strstr(end + 2, "*/") ? strstr(end + 2, "*/") + 2 : end + strlen(end);
    else
      return;
    for (; s->p < end; s->p++)
      s->line += *s->p == '\n';
  }
}

/* Past a string; *from and *length give what is in it. False: there is none here. */
static bool string_take(scan *s, const char **from, size_t *length) {
  const char quote = *s->p;
  if (quote != '"' && quote != '\'')
    return false;
  *from = ++s->p;
  for (; *s->p && *s->p != quote; s->p++)
    s->line += *s->p == '\n';
  *length = (size_t)(s->p - *from);
  s->doubtful |= *length && s->p[-1] == '\\'; /* an end of the string, or a quote in it? */
  s->p += *s->p != '\0';
  return true;
}

static bool ends_in(const char *name, size_t length, const char *ending) {
  const size_t n = strlen(ending);
  return length > n && strncasecmp(name + length - n, ending, n) == 0;
}

/* Merge "part.step" and Include "sizes.geo": a script that is named is looked at; what cannot be
   told apart from one is refused. */
static ig_status included_check(scan *s, const char *word, int word_length) {
  static const char *const plain[] = {".step", ".stp", ".brep", ".iges", ".igs",
                                      ".stl",  ".msh", ".med",  ".unv",  ".cgns"};
  const char *name;
  size_t length;
  gap_skip(s);
  if (!string_take(s, &name, &length) || length == 0)
    return refuse(s, word, word_length, "must name its file as a plain text in quotes");
  const bool msh = ends_in(name, length, ".msh");
  for (size_t i = 0; i < sizeof plain / sizeof *plain && !msh; i++)
    if (ends_in(name, length, plain[i]))
      return IG_OK;
  const char *slash = name[0] == '/' ? NULL : strrchr(s->path, '/');
  const size_t folder = slash ? (size_t)(slash - s->path) + 1 : 0;
  char *path = malloc(folder + length + 1);
  if (!path)
    return IG_FAIL(s->cx, IG_MEMORY, "no memory for a path");
  memcpy(path, s->path, folder);
  memcpy(path + folder, name, length);
  path[folder + length] = '\0';
  const ig_status status = s->depth == DEEPEST
                               ? refuse(s, word, word_length, "goes more than 8 files deep")
                               : file_check(s->cx, path, s->depth + 1);
  free(path);
  return status;
}

static bool is_word(const char *word, int length, const char *known) {
  return strlen(known) == (size_t)length && strncmp(word, known, (size_t)length) == 0;
}

static ig_status word_check(scan *s, const char *word, int length) {
  static const struct {
    const char *word, *why;
  } refused[] = {
#define RUNS "runs a program, which Ingot does not let a geometry do: take it out"
#define WRITES "writes a file, which Ingot does not let a geometry do: take it out"
      {"SystemCall", RUNS}, {"System", RUNS},  {"NonBlockingSystemCall", RUNS}, {"OnelabRun", RUNS},
      {"Save", WRITES},     {"Print", WRITES}, {"CreateDir", WRITES},
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (is_word(word, length, refused[i].word))
      return refuse(s, word, length, refused[i].why);
  if (is_word(word, length, "Include") || is_word(word, length, "Merge"))
    return included_check(s, word, length);
  if (is_word(word, length, "Printf") || is_word(word, length, "Error")) { /* Printf(…) > "file" */
    for (gap_skip(s); *s->p && *s->p != ';'; gap_skip(s)) {
      const char *from;
      size_t n;
      if (*s->p == '>')
        return refuse(s, word, length, WRITES);
      if (!string_take(s, &from, &n))
        s->p++;
    }
  }
  return IG_OK;
}

static ig_status text_check(scan *s) {
  for (;;) {
    const char *from;
    size_t length;
    gap_skip(s);
    if (!*s->p)
      return IG_OK;
    if (string_take(s, &from, &length)) {
      if (s->doubtful)
        return IG_FAIL(
            s->cx, IG_INPUT,
            "%s:%d:1: a text ends in a backslash: write it without, so that it cannot be "
            "read in two ways",
            s->path, s->line);
      continue;
    }
    if (!isalpha((unsigned char)*s->p) && *s->p != '_') {
      s->p++;
      continue;
    }
    from = s->p;
    const bool member = from[-1] == '.'; /* Mesh.SaveAll: an option, no command */
    while (isalnum((unsigned char)*s->p) || *s->p == '_')
      s->p++;
    if (!member && *s->p != '.')
      IG_TRY(word_check(s, from, (int)(s->p - from)));
  }
}

static ig_status file_check(ig_ctx *cx, const char *path, int depth) {
  char *text;
  size_t size;
  IG_TRY(ig_file_read(cx, path, MOST_BYTES, &text, &size));
  /* a mesh is data, whatever words stand in it; Gmsh goes by how it begins */
  ig_status status = IG_OK;
  if (size > MOST_BYTES)
    status = IG_FAIL(cx, IG_INPUT, "%s: more than 256 MB are no geometry script", path);
  else if (strlen(text) != size)
    status = IG_FAIL(cx, IG_INPUT, "%s: holds a zero byte: this is no geometry script", path);
  else if (strncmp(text, "$MeshFormat", 11) != 0) {
    /* one byte before the text, so that the first word has one before it */
    char *padded = malloc(size + 2);
    if (padded) {
      padded[0] = '\n';
      memcpy(padded + 1, text, size + 1);
      scan s = {.cx = cx, .path = path, .p = padded + 1, .line = 1, .depth = depth};
      status = text_check(&s);
    } else {
      status = IG_FAIL(cx, IG_MEMORY, "no memory to read '%s'", path);
    }
    free(padded);
  }
  free(text);
  return status;
}

ig_status ig_geo_check(ig_ctx *cx, const char *path) {
  const size_t length = strlen(path);
  if (ends_in(path, length, ".geo"))
    IG_TRY(file_check(cx, path, 0));
  /* Gmsh runs PATH.opt beside any file it opens */
  char *options = malloc(length + 5);
  if (!options)
    return IG_FAIL(cx, IG_MEMORY, "no memory for a path");
  snprintf(options, length + 5, "%s.opt", path);
  const ig_status status = access(options, F_OK) == 0 ? file_check(cx, options, 0) : IG_OK;
  free(options);
  return status;
}
