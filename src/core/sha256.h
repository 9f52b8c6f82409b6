/* SHA-256 (FIPS 180-4): a digest that names the bytes of a file or of a script. */
#ifndef IG_CORE_SHA256_H
#define IG_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { IG_SHA256_BYTES = 32, IG_SHA256_TEXT = 2 * IG_SHA256_BYTES + 1 };

typedef struct {
  uint32_t state[8];
  uint64_t length; /* bytes so far */
  uint8_t block[64];
} ig_sha256;

/* Streaming: begin, then add any number of pieces, then end once. */
void ig_sha256_begin(ig_sha256 *s);
void ig_sha256_add(ig_sha256 *s, const void *data, size_t bytes);
void ig_sha256_end(ig_sha256 *s, uint8_t digest[IG_SHA256_BYTES]);

/* The digest as 64 lower-case hexadecimal digits and a terminating zero. */
void ig_sha256_text(const uint8_t digest[IG_SHA256_BYTES], char text[IG_SHA256_TEXT]);

#endif
