/* A hash of bytes, FNV-1a on eight at a time: it need not withstand malice, only mistakes. */
#ifndef IG_CORE_HASH_H
#define IG_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define IG_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t ig_hash_word(uint64_t h, uint64_t word) {
  h = (h ^ word) * UINT64_C(0x100000001b3);
  return h ^ h >> 29;
}

static inline uint64_t ig_hash(uint64_t h, const void *data, size_t bytes) {
  const unsigned char *p = data;
  uint64_t word;
  for (; bytes >= sizeof word; bytes -= sizeof word, p += sizeof word) {
    memcpy(&word, p, sizeof word); /* of a known size: one load, where a mesh has gigabytes */
    h = ig_hash_word(h, word);
  }
  if (bytes == 0)
    return h;
  word = 0;
  memcpy(&word, p, bytes);
  return ig_hash_word(h, word);
}

#endif
