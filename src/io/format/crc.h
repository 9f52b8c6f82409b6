/* Checksums of files. */
#ifndef IG_IO_FORMAT_CRC_H
#define IG_IO_FORMAT_CRC_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of `size` bytes, continued from `crc` (0 at the start). */
uint32_t ig_crc32(uint32_t crc, const void *bytes, size_t size);
/* The same on several threads; same result. */
uint32_t ig_crc32_by(int threads, const void *bytes, size_t size);

#endif
