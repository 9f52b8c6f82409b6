/* Files that a run has read, and their digests (inputs.h). The list is singly linked and only
   grows at its end. The thread works on the part from `first` to `last` as they were at its
   start; entries added meanwhile are behind `last`, so that list and thread need no lock: the
   one pointer that both see, last->next, is written by the run and never read by the thread. */
#include "core/inputs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct ig_hasher {
  pthread_t thread;
  ig_input *first, *last; /* its part of the list; what is added later comes after `last` */
};

static bool is_kind(const char *path, mode_t kind) {
  struct stat s;
  return stat(path, &s) == 0 && (s.st_mode & S_IFMT) == kind;
}

/* Whether the list has a file, or the summary of the folder it is in. */
static bool has(const ig_inputs *list, const char *path) {
  static const char summary[] = "/summary.json";
  for (const ig_input *i = list->first; i; i = i->next) {
    const size_t length = strlen(i->path), tail = sizeof summary - 1;
    if (strcmp(i->path, path) == 0 ||
        (length > tail && strcmp(i->path + length - tail, summary) == 0 &&
         strncmp(i->path, path, length - tail) == 0 && path[length - tail] == '/'))
      return true;
  }
  return false;
}

void ig_input_note(ig_ctx *cx, const char *path) {
  ig_inputs *const list = cx->inputs;
  if (!list || !path || !*path)
    return;
  char inside[4096];
  if (is_kind(path, S_IFDIR)) {
    snprintf(inside, sizeof inside, "%.4000s/summary.json", path);
    path = inside;
  }
  if (has(list, path) || !is_kind(path, S_IFREG))
    return;
  ig_input *const one = calloc(1, sizeof *one);
  if (!one || !(one->path = strdup(path))) {
    free(one);
    return;
  }
  if (list->last)
    list->last->next = one;
  else
    list->first = one;
  list->last = one;
}

/* Leaves the text empty on failure. 256 kB at a time: few system calls, and no mesh file of
   gigabytes in memory. */
static void digest(ig_input *one) {
  enum { PIECE = 1 << 18 };
  uint8_t sum[IG_SHA256_BYTES];
  ig_sha256 s;
  FILE *f = fopen(one->path, "rb");
  char *piece = f ? malloc(PIECE) : NULL;
  if (piece) {
    ig_sha256_begin(&s);
    for (size_t got; (got = fread(piece, 1, PIECE, f)) > 0;)
      ig_sha256_add(&s, piece, got);
    if (!ferror(f)) {
      ig_sha256_end(&s, sum);
      ig_sha256_text(sum, one->sha256);
    }
  }
  free(piece);
  if (f)
    fclose(f);
}

/* Compares with `last` before it follows `next`: see the head of the file. */
static void *work(void *user) {
  const struct ig_hasher *const h = user;
  for (ig_input *i = h->first;; i = i->next) {
    digest(i);
    if (i == h->last)
      return NULL;
  }
}

void ig_inputs_start(ig_inputs *inputs) {
  if (!inputs->first || inputs->hasher)
    return;
  struct ig_hasher *const h = calloc(1, sizeof *h);
  if (!h)
    return;
  h->first = inputs->first;
  h->last = inputs->last;
  if (pthread_create(&h->thread, NULL, work, h) == 0)
    inputs->hasher = h;
  else
    free(h);
}

static void join(ig_inputs *inputs) {
  if (!inputs->hasher)
    return;
  pthread_join(inputs->hasher->thread, NULL);
  free(inputs->hasher);
  inputs->hasher = NULL;
}

/* Files without a digest are those added after the start, and those that could not be read: they
   are tried once more. */
void ig_inputs_finish(ig_inputs *inputs) {
  join(inputs);
  for (ig_input *i = inputs->first; i; i = i->next)
    if (!i->sha256[0])
      digest(i);
}

void ig_inputs_free(ig_inputs *inputs) {
  join(inputs);
  for (ig_input *i = inputs->first, *next; i; i = next) {
    next = i->next;
    free(i->path);
    free(i);
  }
  *inputs = (ig_inputs){0};
}
