/* Replays a corpus through a fuzz target, then mutations of it from a fixed seed, for a short
   while. Stands in for libFuzzer's main, so that the targets run with any compiler. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 4096, MAX_SIZE = 1 << 20 };
typedef struct {
  uint8_t *data;
  size_t size;
} input;

static uint64_t state = 0x9e3779b97f4a7c15u;
static size_t below(size_t n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return n ? (size_t)(state % n) : 0;
}

static int read_input(const char *path, input *in) {
  FILE *f = fopen(path, "rb");
  if (!f)
    return 0;
  in->data = malloc(MAX_SIZE);
  in->size = in->data ? fread(in->data, 1, MAX_SIZE, f) : 0;
  fclose(f);
  return in->data != NULL;
}

/* Exactly as large as the input, so that a sanitizer sees the first byte read past it. */
static void try(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy)
    return;
  memcpy(copy, data, size);
  LLVMFuzzerTestOneInput(copy, size);
  free(copy);
}

static size_t mutate(uint8_t *to, const input *a, const input *b) {
  size_t size = a->size;
  memcpy(to, a->data, size);
  for (size_t n = 1 + below(4); n && size; n--) {
    const size_t at = below(size);
    switch (below(5)) {
    case 0: /* another byte */
      to[at] = (uint8_t)below(256);
      break;
    case 1: /* another bit */
      to[at] ^= (uint8_t)(1u << below(8));
      break;
    case 2: /* cut short */
      size = at;
      break;
    case 3: { /* a piece repeated */
      size_t piece = 1 + below(64);
      if (piece > size - at)
        piece = size - at;
      if (size + piece < MAX_SIZE) {
        memmove(to + at + piece, to + at, size - at);
        size += piece;
      }
      break;
    }
    default: { /* a piece of another file */
      if (!b->size)
        break;
      const size_t from = below(b->size);
      size_t piece = 1 + below(64);
      if (piece > b->size - from)
        piece = b->size - from;
      if (piece > size - at)
        piece = size - at;
      memcpy(to + at, b->data + from, piece);
    }
    }
  }
  return size;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return fprintf(stderr, "usage: %s CORPUS [SECONDS]\n", argv[0]), 2;
  const double seconds = argc > 2 ? atof(argv[2]) : 5;
  static input files[MAX_FILES];
  size_t count = 0;
  struct dirent **names = NULL;
  const int n = scandir(argv[1], &names, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", argv[1], names[i]->d_name);
    if (names[i]->d_name[0] != '.' && count < MAX_FILES && read_input(path, &files[count])) {
      try(files[count].data, files[count].size);
      count++;
    }
    free(names[i]);
  }
  free(names);
  if (!count)
    return fprintf(stderr, "%s: no corpus there\n", argv[1]), 1;
  uint8_t *work = malloc(MAX_SIZE);
  const time_t end = time(NULL) + (time_t)seconds;
  size_t tried = 0;
  for (; work && time(NULL) < end; tried++)
    try(work, mutate(work, &files[below(count)], &files[below(count)]));
  printf("%zu files, %zu mutations\n", count, tried);
  for (size_t i = 0; i < count; i++)
    free(files[i].data);
  free(work);
  return 0;
}
