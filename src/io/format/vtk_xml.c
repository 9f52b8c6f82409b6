/* VTK's XML files (VTK file formats, "XML file formats"): tags, and arrays as text, base64 or raw
   appended bytes, compressed by zlib or not. A small scanner instead of an XML library: raw
   appended data is not valid XML, and no XML parser accepts it. */
#include "io/format/vtk_xml.h"
#include "core/number.h"
#include "io/format/image.h"
#include "io/format/atomic_file.h"
#include "io/format/xml.h"
#include "io/format/zip.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* zlib expands at most 1032 : 1, so a byte of the file gives at most this many values. */
enum { MOST_PER_BYTE = 1100 };

static ig_status bad(const ig_vtk_xml *v, const char *what) {
  return IG_FAIL(v->cx, IG_INPUT, "%s: %s", v->path, what);
}

/* --- tags */

/* The next tag named `name` from p on; returns the position behind '<', *stop: its '>'. NULL: none
   before `end`. */
const char *ig_vtk_xml_tag(const char *p, const char *end, const char *name, const char **stop) {
  const size_t length = strlen(name);
  while (p < end && (p = memchr(p, '<', (size_t)(end - p)))) {
    p++;
    if ((size_t)(end - p) > length && strncmp(p, name, length) == 0 &&
        strchr(" \t\r\n/>", p[length])) {
      *stop = memchr(p, '>', (size_t)(end - p));
      return *stop ? p : NULL;
    }
  }
  return NULL;
}

/* --- base64 (RFC 4648) */

/* RFC 4648; -1: no digit. */
static int digit_of(char c) {
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+'             ? 62
         : c == '/'             ? 63
                                : -1;
}

/* Decodes at most `most` bytes from *p on and advances *p. Stops at padding or at another
   character. White space is accepted only in front. Base64 without line breaks inside, as VTK
   writes it; a group of four may end an array, and the next one starts anew. */
static size_t decode(const char **p, const char *end, unsigned char *out, size_t most) {
  size_t made = 0;
  uint32_t bits = 0;
  int held = 0;
  while (made < most && *p < end) {
    const int d = digit_of(**p);
    if (d < 0 && (**p == ' ' || **p == '\n' || **p == '\r' || **p == '\t') && made == 0 &&
        held == 0) {
      ++*p;
      continue;
    }
    if (d < 0)
      break;
    bits = bits << 6 | (uint32_t)d;
    held += 6;
    ++*p;
    if (held >= 8) {
      held -= 8;
      out[made++] = (unsigned char)(bits >> held);
    }
  }
  return made;
}

/* --- bytes of an array */

/* Where the bytes of an array come from. */
typedef struct {
  const char *at, *end;
  bool base64;
} source;

/* From base64, or from raw appended data. */
static ig_status bytes_take(const ig_vtk_xml *v, source *s, unsigned char *out, size_t count) {
  if (s->base64) {
    if (decode(&s->at, s->end, out, count) != count)
      return bad(v, "an array ends too early (base64)");
    return IG_OK;
  }
  if ((size_t)(s->end - s->at) < count)
    return bad(v, "an array ends too early");
  memcpy(out, s->at, count);
  s->at += count;
  return IG_OK;
}

/* Writers encode the sizes in front of an array as a base64 stream of its own (with padding), or
   together with the data. Skips the padding in the first case. */
static void padding_skip(source *s, const char *begin, size_t bytes) {
  if (!s->base64)
    return;
  const char *block = begin + (bytes + 2) / 3 * 4;
  if (block <= s->end && bytes % 3 && block[-1] == '=')
    s->at = block;
}

/* A size of 4 or 8 bytes, as header_type says. */
static uint64_t size_of(const ig_vtk_xml *v, const unsigned char *p) {
  uint64_t n = 0;
  for (int i = 0; i < v->header; i++)
    n = n << 8 | p[v->big ? i : v->header - 1 - i];
  return n;
}

static void spaces_skip(source *s) {
  while (s->base64 && s->at < s->end && strchr(" \t\r\n", *s->at))
    s->at++;
}

/* [bytes][data]. If the header was no stream of its own, everything is decoded again as one
   stream. */
static ig_status plain_bytes(const ig_vtk_xml *v, source s, unsigned char *out, size_t size) {
  unsigned char head[8];
  spaces_skip(&s);
  const char *begin = s.at;
  source look = s;
  IG_TRY(bytes_take(v, &look, head, (size_t)v->header));
  if (size_of(v, head) != size)
    return IG_FAIL(v->cx, IG_INPUT, "%s: an array of %" PRIu64 " bytes: expected %zu", v->path,
                   size_of(v, head), size);
  padding_skip(&look, begin, (size_t)v->header);
  if (!s.base64 || look.at == begin + ((size_t)v->header + 2) / 3 * 4)
    return bytes_take(v, &look, out, size);
  unsigned char *all; /* one stream: decoded from its beginning */
  IG_TRY(IG_NEW(v->cx, &all, size + 8, "array"));
  const ig_status status = bytes_take(v, &s, all, size + (size_t)v->header);
  if (status == IG_OK)
    memcpy(out, all + v->header, size);
  free(all);
  return status;
}

/* [blocks][block size][size of the last block or 0][compressed size of each], then the blocks. All
   sizes are checked against the expected total and the length of the file. VTK's header: number of
   blocks, size of a block, size of the last, then the compressed size of each. Every number is
   checked against the room there is, as the file may be damaged. */
static ig_status compressed_bytes(const ig_vtk_xml *v, source s, unsigned char *out, size_t size) {
  unsigned char head[24], *list = NULL, *compressed = NULL;
  const size_t h = (size_t)v->header;
  spaces_skip(&s);
  const char *begin = s.at;
  source look = s;
  IG_TRY(bytes_take(v, &look, head, 3 * h));
  const uint64_t blocks = size_of(v, head), block = size_of(v, head + h),
                 last = size_of(v, head + 2 * h);
  if (blocks == 0 && size == 0)
    return IG_OK;
  /* All sizes are bounded by what was asked for, before any product of them is used. */
  if (blocks == 0 || blocks > size || block > size + (1u << 26) ||
      (last ? (blocks - 1) * block + last : blocks * block) != size)
    return bad(v, "the blocks of a compressed array do not add up");
  ig_status status = IG_NEW(v->cx, &list, (3 + blocks) * h, "array");
  if (status == IG_OK)
    status = bytes_take(v, &s, list, (3 + blocks) * h);
  if (status == IG_OK)
    padding_skip(&s, begin, (3 + blocks) * h);
  /* The sum of compressed sizes cannot exceed the file. */
  uint64_t sum = 0;
  for (uint64_t i = 0; status == IG_OK && i < blocks; i++) {
    sum += size_of(v, list + (3 + i) * h);
    if (sum > (uint64_t)(v->end - v->text))
      status = bad(v, "a compressed array is larger than the file");
  }
  if (status == IG_OK)
    status = IG_NEW(v->cx, &compressed, sum + 1, "array");
  if (status == IG_OK)
    status = bytes_take(v, &s, compressed, sum);
  uint64_t at = 0;
  for (uint64_t i = 0; status == IG_OK && i < blocks; i++) {
    const uint64_t n = size_of(v, list + (3 + i) * h),
                   whole = i + 1 == blocks && last ? last : block;
    if (!ig_decompress(compressed + at, n, out + i * block, whole, false))
      status = bad(v, "a compressed array cannot be decompressed");
    at += n;
  }
  free(list);
  free(compressed);
  return status;
}

/* --- numbers of an array */

/* F, I or U and the bytes of a number, from names such as Float64. */
ig_status ig_vtk_xml_kind(const ig_vtk_xml *v, const char *tag, const char *stop, char *kind,
                          int *size) {
  char type[16] = "";
  ig_xml_attribute(tag, stop, "type", type, sizeof type);
  const char *digits = type + strcspn(type, "0123456789");
  *size = atoi(digits) / 8;
  *kind = type[0];
  if (!strchr("FIU", *kind) || (*size != 1 && *size != 2 && *size != 4 && *size != 8))
    return IG_FAIL(v->cx, IG_INPUT, "%s: an array of type '%s': expected Int8 to Float64", v->path,
                   type);
  return IG_OK;
}

/* Text format. */
static ig_status words_read(const ig_vtk_xml *v, const char *p, const char *end, int64_t count,
                            double *out) {
  for (int64_t i = 0; i < count; i++) {
    char *stop;
    while (p < end && strchr(" \t\r\n", *p))
      p++;
    out[i] = ig_decimal_read(p, &stop);
    if (stop == p || stop > end || !isfinite(out[i]))
      return IG_FAIL(v->cx, IG_INPUT, "%s: value %lld of an array is no number", v->path,
                     (long long)i + 1);
    p = stop;
  }
  return IG_OK;
}

/* Reads `count` numbers of the array with this tag, whatever its format; `appended` data is found
   by its offset behind the '_'. Inline text, inline base64, or appended data at an offset;
   converted to double. */
ig_status ig_vtk_xml_values(const ig_vtk_xml *v, const char *tag, const char *stop, int64_t count,
                            double *out) {
  char format[16] = "ascii", text[32];
  ig_xml_attribute(tag, stop, "format", format, sizeof format);
  const char *close = memchr(stop, '<', (size_t)(v->end - stop));
  close = close ? close : v->end;
  if (strcmp(format, "ascii") == 0)
    return words_read(v, stop + 1, close, count, out);
  char kind;
  int size;
  IG_TRY(ig_vtk_xml_kind(v, tag, stop, &kind, &size));
  /* Data inside the element is always base64. */
  source s = {stop + 1, close, true};
  if (strcmp(format, "appended") == 0) {
    char *end;
    if (!v->appended || !ig_xml_attribute(tag, stop, "offset", text, sizeof text))
      return bad(v, "appended data that is not there");
    const unsigned long long offset = strtoull(text, &end, 10);
    if (*end || offset > (unsigned long long)(v->end - v->appended))
      return bad(v, "an array's offset is beyond the file");
    s = (source){v->appended + offset, v->end, v->base64};
  } else if (strcmp(format, "binary") != 0) {
    return IG_FAIL(v->cx, IG_INPUT, "%s: format '%s': expected ascii, binary or appended", v->path,
                   format);
  }
  /* Raw bytes first, then converted number by number to double. */
  unsigned char *bytes;
  IG_TRY(IG_NEW(v->cx, &bytes, (size_t)count * (size_t)size + 1, "array"));
  ig_status status = v->compressed ? compressed_bytes(v, s, bytes, (size_t)count * (size_t)size)
                                   : plain_bytes(v, s, bytes, (size_t)count * (size_t)size);
  for (int64_t i = 0; i < count && status == IG_OK; i++)
    out[i] = ig_bytes_number(bytes + i * size, kind, size, v->big);
  free(bytes);
  return status;
}

/* The array of a name (NULL: the first) within a section. */
const char *ig_vtk_xml_array(const char *from, const char *end, const char *name,
                             const char **stop) {
  for (const char *tag = from; (tag = ig_vtk_xml_tag(tag, end, "DataArray", stop)); tag = *stop) {
    char its[128];
    if (!name || (ig_xml_attribute(tag, *stop, "Name", its, sizeof its) && strcmp(its, name) == 0))
      return tag;
  }
  return NULL;
}

/* The content from <name ...> to </name>; false: missing, or <name/>. */
bool ig_vtk_xml_section(const char *from, const char *end, const char *name, const char **begin,
                        const char **stop) {
  char closing[32];
  const char *tag = ig_vtk_xml_tag(from, end, name, begin), *ignored;
  snprintf(closing, sizeof closing, "/%s", name);
  if (!tag || (*begin)[-1] == '/')
    return false;
  *stop = ig_vtk_xml_tag(*begin, end, closing, &ignored);
  return *stop != NULL;
}

/* Attributes of <VTKFile>: byte order, size of headers, compressor; and the position of
   appended data. Byte order, the width of sizes, the compressor (only zlib is read) and the
   appended data. */
static ig_status header_read(ig_vtk_xml *v, const char *wanted) {
  char text[64];
  const char *stop, *tag = ig_vtk_xml_tag(v->text, v->end, "VTKFile", &stop);
  if (!tag || !ig_xml_attribute(tag, stop, "type", text, sizeof text))
    return bad(v, "expected <VTKFile type=…>");
  if (strcmp(text, wanted) != 0)
    return IG_FAIL(v->cx, IG_INPUT, "%s: a file of type %s: expected %s", v->path, text, wanted);
  v->big = ig_xml_attribute(tag, stop, "byte_order", text, sizeof text) &&
           strcmp(text, "BigEndian") == 0;
  v->header =
      ig_xml_attribute(tag, stop, "header_type", text, sizeof text) && strcmp(text, "UInt64") == 0
          ? 8
          : 4;
  v->compressed = ig_xml_attribute(tag, stop, "compressor", text, sizeof text) && text[0];
  if (v->compressed && strcmp(text, "vtkZLibDataCompressor") != 0)
    return IG_FAIL(v->cx, IG_INPUT, "%s: compressed by %s: save it with zlib or not compressed",
                   v->path, text);
  tag = ig_vtk_xml_tag(stop, v->end, "AppendedData", &stop);
  if (!tag)
    return IG_OK;
  v->base64 =
      ig_xml_attribute(tag, stop, "encoding", text, sizeof text) && strcmp(text, "base64") == 0;
  const char *mark = memchr(stop, '_', (size_t)(v->end - stop));
  v->appended = mark ? mark + 1 : NULL;
  return IG_OK;
}

/* The text is the caller's to free after success. */
ig_status ig_vtk_xml_open(ig_ctx *cx, const char *path, const char *type, ig_vtk_xml *v) {
  size_t size;
  *v = (ig_vtk_xml){.cx = cx, .path = path};
  IG_TRY(ig_file_read(cx, path, 0, &v->text, &size));
  v->end = v->text + size;
  const ig_status status = header_read(v, type);
  if (status != IG_OK)
    free(v->text);
  return status;
}

int64_t ig_vtk_xml_most(const ig_vtk_xml *v) {
  return (int64_t)(v->end - v->text) * (v->compressed ? MOST_PER_BYTE : 1);
}
