/* Memory of images, and numbers from bytes. */
#include "io/format/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 400 MB of flags; finer images would make meshes beyond any solver here. */
#define MOST_VOXELS 4e8

void ig_image_free(ig_image *image) {
  free(image->solid);
  memset(image, 0, sizeof *image);
}

/* most: the voxels that a file of its length can have at most, by which a damaged header is found
   before memory is taken. m->solid is allocated, one byte a voxel. */
ig_status ig_image_room(ig_ctx *cx, const char *path, double most, ig_image *m) {
  double count = 1;
  for (int d = 0; d < 3; d++) {
    if (m->n[d] < 1 || m->n[d] > INT32_MAX - 1)
      return IG_FAIL(cx, IG_INPUT, "%s: an image of %lld x %lld x %lld voxels", path,
                     (long long)m->n[0], (long long)m->n[1], (long long)m->n[2]);
    if (!(m->step[d] > 0) || !isfinite(m->step[d]) || !isfinite(m->low[d]))
      return IG_FAIL(cx, IG_INPUT, "%s: its voxels have no size along axis %d", path, d + 1);
    count *= (double)m->n[d];
  }
  if (count > MOST_VOXELS)
    return IG_FAIL(cx, IG_INPUT, "%s: %.3g voxels; at most %.3g are read: take a coarser image",
                   path, count, MOST_VOXELS);
  if (count > most)
    return IG_FAIL(cx, IG_INPUT, "%s: %lld x %lld x %lld voxels in a file this short: at most %.0f",
                   path, (long long)m->n[0], (long long)m->n[1], (long long)m->n[2], most);
  return IG_NEW(cx, &m->solid, (size_t)count, "image");
}

/* Assembles bytes explicitly: independent of the machine's byte order and of alignment. Sign
   extension by shifting up and back. */
double ig_bytes_number(const unsigned char *p, char kind, int size, bool big) {
  uint64_t bits = 0;
  for (int i = 0; i < size; i++)
    bits = bits << 8 | p[big ? i : size - 1 - i];
  if (kind == 'F' && size == 4) {
    const uint32_t half = (uint32_t)bits;
    float f;
    memcpy(&f, &half, sizeof f);
    return f;
  }
  if (kind == 'F') {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
  }
  const int shift = 64 - 8 * size;
  return kind == 'I' ? (double)((int64_t)(bits << shift) >> shift) : (double)bits;
}
