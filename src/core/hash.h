/* A hash of bytes, FNV-1a (Fowler, Noll and Vo) on eight bytes at a time: it need not withstand
   malice, only mistakes. Names of sets, identities of processes and fingerprints of runs are
   compared by it; the files of a run have SHA-256 (core/sha256.h). The value depends on the byte
   order of the machine. */
#ifndef IG_CORE_HASH_H
#define IG_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The offset basis of the 64-bit FNV; the multiplier below is its prime, 2^40 + 2^8 + 0xb3. */
#define IG_HASH_START UINT64_C(0xcbf29ce484222325)

/* The shift is not part of FNV. A product carries only upwards, so the low bits of the hash
   would depend on the low bits of the words alone; folding the high bits back repairs that. */
static inline uint64_t ig_hash_word(uint64_t h, uint64_t word) {
  h = (h ^ word) * UINT64_C(0x100000001b3);
  return h ^ h >> 29;
}

/* Continues `h` with `bytes` bytes; the last word is filled up with zeros, so the length is not
   part of the hash: a caller that needs it adds it as a word. */
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
