/* Any bytes as a result folder: the report is written or refused in one line, and no word of the
   folder becomes a tag or an attribute of the page.

   An input is some files: a line "@@ NAME" begins one. NAMES lists those that a folder may hold;
   the rest of what is there is left out. "field" is no file: its lines name a field and its unit,
   and the folder gets a sound snapshot with them. */
#include "io/result/vtkhdf.h"
#include <ingot/report.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const NAMES[] = {
    "summary.json",         "case.yaml",      "history.csv", "snap.vtkhdf.series",
    "snap_000000.vtkhdf",   "a/summary.json", "a/case.yaml", "a/history.csv",
    "a/snap.vtkhdf.series", "b/summary.json", "b/case.yaml",
};
enum { NAMED = sizeof NAMES / sizeof *NAMES };
static char folder[64];

static const char *in_folder(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void folder_make(void) {
  snprintf(folder, sizeof folder, "/tmp/ingot-fuzz-XXXXXX");
  if (!mkdtemp(folder))
    abort();
}

static void folder_remove(void) {
  for (int i = 0; i < NAMED; i++)
    (void)unlink(in_folder(NAMES[i]));
  (void)unlink(in_folder("report.html"));
  (void)rmdir(in_folder("a"));
  (void)rmdir(in_folder("b"));
  (void)rmdir(folder);
}

static void file_write(const char *name, const char *bytes, size_t size) {
  if (strchr(name, '/')) {
    const char sub[2] = {name[0], '\0'};
    (void)mkdir(in_folder(sub), 0700);
  }
  FILE *f = fopen(in_folder(name), "wb");
  if (!f)
    abort();
  fwrite(bytes, 1, size, f);
  fclose(f);
}

/* One hexahedron with a field of that name. */
static void snapshot_write(ig_ctx *cx, const char *text, size_t size) {
  char name[64] = "", unit[24] = "";
  ig_snapshot *snap = NULL;
  const size_t line = size ? strcspn(text, "\n") : 0;
  double value[8];
  snprintf(name, sizeof name, "%.*s", (int)(line < 63 ? line : 63), text);
  if (line < size)
    snprintf(unit, sizeof unit, "%.*s", (int)(strcspn(text + line + 1, "\n") % 24),
             text + line + 1);
  if (ig_snapshot_new(cx, 8, 1, 8, 0, 0, &snap) != IG_OK)
    return;
  for (int i = 0; i < 8; i++) {
    snap->point[3 * i] = i % 4 == 1 || i % 4 == 2;
    snap->point[3 * i + 1] = i % 4 > 1;
    snap->point[3 * i + 2] = i / 4;
    snap->corner[i] = i;
    value[i] = i;
  }
  snap->type[0] = 12;
  snap->offset[1] = 8;
  static const char series[] = "{\"files\": [{\"name\": \"snap_000000.vtkhdf\", \"time\": 0}]}\n";
  if (*name && ig_snapshot_add(snap, name, unit, IG_AT_POINTS, IG_F64, 1, value, NULL) == IG_OK &&
      ig_snapshot_write(cx, snap, in_folder("snap_000000.vtkhdf"), 1) == IG_OK)
    file_write("snap.vtkhdf.series", series, sizeof series - 1);
  ig_snapshot_free(snap);
}

static void files_write(ig_ctx *cx, const char *text, size_t size) {
  const char *end = text + size;
  while (text && text < end) {
    char name[64];
    const char *line = strncmp(text, "@@ ", 3) == 0 ? text : strstr(text, "\n@@ ");
    if (!line)
      return;
    line += *line == '\n';
    const size_t length = strcspn(line + 3, "\n");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), line + 3);
    text = line + 3 + length + (line[3 + length] == '\n');
    const char *next = strncmp(text, "@@ ", 3) == 0 ? text : strstr(text, "\n@@ ");
    const size_t bytes = (size_t)((next ? next : end) - text);
    if (strcmp(name, "field") == 0)
      snapshot_write(cx, text, bytes);
    for (int i = 0; i < NAMED; i++)
      if (strcmp(name, NAMES[i]) == 0)
        file_write(name, text, bytes);
  }
}

/* --- the page */

static bool is_one_of(const char *word, size_t length, const char *list) {
  for (const char *p = list; *p; p += strcspn(p, " "), p += *p == ' ')
    if (strcspn(p, " ") == length && strncmp(p, word, length) == 0)
      return true;
  return false;
}

/* At a "<" of the body: a tag that the report writes, with its attributes; returns its end. */
static const char *tag_check(const char *p) {
  static const char tags[] = "h1 h2 p b ul li figure figcaption div img svg path text rect title "
                             "table thead tbody tr th td "
                             "details summary pre section select option label a";
  static const char attributes[] =
      "class id alt src href viewBox role aria-label d x y width height fill stroke stroke-width "
      "text-anchor textLength lengthAdjust value open data-keys";
  p += 1 + (p[1] == '/');
  size_t length = strcspn(p, " >/<");
  if (!is_one_of(p, length, tags))
    abort();
  for (p += length; *p == ' ';) {
    p++;
    length = strcspn(p, "= >\"'<");
    if (!is_one_of(p, length, attributes))
      abort();
    p += length;
    if (*p == '=') {
      if (p[1] != '"' || !(p = strchr(p + 2, '"')))
        abort();
      p++;
    }
  }
  p += *p == '/';
  if (*p != '>')
    abort();
  return p + 1;
}

static void page_check(const char *page) {
  const char *body = strstr(page, "<main>"), *data = strstr(page, "id=\"data\">"), *end = NULL;
  const char *title = strstr(page, "<title>");
  if (!title || title[7 + strcspn(title + 7, "<")] != '<' ||
      strncmp(title + 7 + strcspn(title + 7, "<"), "</title>", 8) != 0)
    abort();
  const char *policy = strstr(page, "Content-Security-Policy"), *unsafe = strstr(page, "unsafe");
  if (!policy || (unsafe && unsafe < title))
    abort();
  if (!body || !data || strncmp(data + 10 + strcspn(data + 10, "<"), "</script>", 9) != 0)
    abort();
  for (const char *p = body + 6; !end; p = strchr(p, '<')) {
    if (!p)
      abort();
    if (strncmp(p, "</main>", 7) == 0)
      end = p;
    else if (*p == '<')
      p = tag_check(p);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ig_ctx *cx = NULL;
  const ig_ctx_options options = {.backend = "cpu", .threads = 1};
  char *text = malloc(size + 1);
  if (!text)
    return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  folder_make();
  if (ig_ctx_open(&options, &cx) == IG_OK) {
    files_write(cx, text, size);
    const ig_status status = ig_report(cx, folder, NULL);
    const char *message = ig_ctx_message(cx);
    if (status == IG_OK) {
      FILE *f = fopen(in_folder("report.html"), "rb");
      if (!f || fseek(f, 0, SEEK_END) != 0)
        abort();
      const size_t length = (size_t)ftell(f);
      char *page = malloc(length + 1);
      rewind(f);
      if (!page || fread(page, 1, length, f) != length)
        abort();
      page[length] = '\0';
      fclose(f);
      page_check(page);
      free(page);
    } else if (status != IG_INPUT || !*message || strchr(message, '\n')) {
      fprintf(stderr, "status %d: %s\n", (int)status, message);
      abort();
    }
  }
  ig_ctx_close(cx);
  folder_remove();
  free(text);
  return 0;
}
