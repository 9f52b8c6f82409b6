/* A folder of a test's own, and what is in it. */
#ifndef IG_TESTS_FOLDER_H
#define IG_TESTS_FOLDER_H

#include "check.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static inline char *folder_new(void) {
  char name[] = "/tmp/ingot-test-XXXXXX";
  assert_non_null(mkdtemp(name));
  return strdup(name);
}

/* Removes it with all that is in it, two levels deep, and frees the name. */
static inline void folder_remove(char *folder) {
  DIR *d = opendir(folder);
  for (const struct dirent *e; d && (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (unlink(path) != 0)
      folder_remove(strdup(path));
  }
  if (d)
    closedir(d);
  rmdir(folder);
  free(folder);
}

/* "folder/name", in one of a few buffers used in turn. */
static inline const char *in_folder(const char *folder, const char *name) {
  static char path[8][512];
  static int turn;
  char whole[512], *p = path[turn++ % 8];
  snprintf(whole, sizeof whole, "%s/%s", folder, name);
  memcpy(p, whole, sizeof whole);
  return p;
}

static inline int file_exists(const char *path) {
  return access(path, F_OK) == 0;
}

/* The whole file, NUL-terminated; free with free(). */
static inline char *file_read(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f)
    fail_msg("cannot open %s", path);
  size_t length = 0, capacity = 1 << 16;
  char *text = malloc(capacity + 1);
  for (size_t n; (n = fread(text + length, 1, capacity - length, f)) > 0;) {
    length += n;
    if (length == capacity)
      text = realloc(text, (capacity *= 2) + 1);
  }
  fclose(f);
  text[length] = '\0';
  if (size)
    *size = length;
  return text;
}

static inline void file_write(const char *path, const void *bytes, size_t size) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  assert_int_equal(fclose(f), 0);
}

#endif
