/* CRC-32 (polynomial of zip, PNG and zlib) of files: detects damage by disks and transfers, not
   tampering. */
#include "io/format/crc.h"

#include <stdlib.h>
#include <zlib.h>

uint32_t ig_crc32(uint32_t crc, const void *bytes, size_t size) {
  return (uint32_t)crc32_z(crc, bytes, size);
}

/* The checksums of pieces are combined algebraically (crc32_combine of zlib), so the result equals
   the sequential one. */
uint32_t ig_crc32_by(int threads, const void *bytes, size_t size) {
  enum { PIECE = 4 << 20 }; /* about 2 ms */
  const int64_t pieces = (int64_t)((size + PIECE - 1) / PIECE);
  uint32_t *of = threads > 1 && pieces > 1 ? malloc((size_t)pieces * sizeof *of) : NULL;
  if (!of)
    return ig_crc32(0, bytes, size);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t i = 0; i < pieces; i++) {
    const size_t at = (size_t)i * PIECE;
    of[i] = ig_crc32(0, (const char *)bytes + at, size - at < PIECE ? size - at : PIECE);
  }
  uint32_t crc = of[0];
  for (int64_t i = 1; i < pieces; i++) {
    const size_t left = size - (size_t)i * PIECE;
    crc = (uint32_t)crc32_combine(crc, of[i], (z_off_t)(left < PIECE ? left : PIECE));
  }
  free(of);
  return crc;
}
