/* SHA-256 after FIPS 180-4, written from the standard; names in comments are its sections. Plain
   C without instructions of a special processor: digests are made by a thread beside the run. */
#include "core/sha256.h"

#include <string.h>

/* Fractional parts of the cube roots of the first 64 primes (section 4.2.2). */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* ROTR of section 3.2; n is 1 to 31. */
static uint32_t turn(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}

/* One block of 64 bytes (section 6.2.2): the message schedule w, then 64 rounds. s[0..7] are the
   working variables a to h. */
static void block_mix(uint32_t state[8], const uint8_t *block) {
  uint32_t w[64], s[8];
  for (int t = 0; t < 16; t++, block += 4)
    w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
  for (int t = 16; t < 64; t++)
    w[t] = (turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
           (turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
  memcpy(s, state, sizeof s);
  for (int t = 0; t < 64; t++) {
    const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const uint32_t one =
        s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + K[t] + w[t];
    const uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
    memmove(&s[1], &s[0], 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (int i = 0; i < 8; i++)
    state[i] += s[i];
}

void ig_sha256_begin(ig_sha256 *s) {
  /* fractional parts of the square roots of the first 8 primes (section 5.3.3) */
  static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(s->state, first, sizeof first);
  s->length = 0;
}

void ig_sha256_add(ig_sha256 *s, const void *data, size_t bytes) {
  const uint8_t *from = data;
  while (bytes > 0) {
    const size_t used = s->length % sizeof s->block, room = sizeof s->block - used;
    const size_t take = bytes < room ? bytes : room;
    memcpy(s->block + used, from, take);
    s->length += take;
    from += take;
    bytes -= take;
    if (take == room)
      block_mix(s->state, s->block);
  }
}

/* Padding (section 5.1.1): a bit 1, zeros, the length in bits as a big-endian 64-bit number. */
void ig_sha256_end(ig_sha256 *s, uint8_t digest[IG_SHA256_BYTES]) {
  const uint64_t bits = 8 * s->length;
  uint8_t tail[72] = {0x80};
  const size_t pad = 1 + (119 - s->length % 64) % 64; /* up to 8 bytes before the end of a block */
  for (int i = 0; i < 8; i++)
    tail[pad + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
  ig_sha256_add(s, tail, pad + 8);
  for (int i = 0; i < IG_SHA256_BYTES; i++)
    digest[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}

void ig_sha256_text(const uint8_t digest[IG_SHA256_BYTES], char text[IG_SHA256_TEXT]) {
  static const char digit[] = "0123456789abcdef";
  for (int i = 0; i < IG_SHA256_BYTES; i++) {
    text[2 * i] = digit[digest[i] >> 4];
    text[2 * i + 1] = digit[digest[i] & 15];
  }
  text[2 * IG_SHA256_BYTES] = '\0';
}
