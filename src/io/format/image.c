/* Voxel images of parts: NumPy arrays (.npy) and NRRD (.nrrd, .nhdr), and the closed surface of the
   solid voxels. .vti is in image_vti.c. All files are untrusted: sizes are checked against the
   length of the file before memory is allocated. */
#include "io/format/image.h"
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "io/format/zip.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ig_image_named(const char *path) {
  return ig_path_ends(path, ".vti") || ig_path_ends(path, ".nrrd") || ig_path_ends(path, ".nhdr") ||
         ig_path_ends(path, ".npy");
}

/* --- shared by the readers */

/* An image being read. text: the whole file. */
typedef struct {
  ig_ctx *cx;
  const char *path;
  char *text;
  size_t size;
  double threshold;
  ig_image *m;
  char kind; /* of the values: F, I, U */
  int bytes;
  bool big;
} reader;

static size_t voxels(const reader *r) {
  return (size_t)r->m->n[0] * (size_t)r->m->n[1] * (size_t)r->m->n[2];
}

/* Converts values to solid flags. have: bytes there are; stride: distance of neighbours along x, y,
   z in the file, in values. C and Fortran order differ in the strides only. */
static ig_status values_take(reader *r, const char *from, size_t have, const size_t *stride) {
  ig_image *m = r->m;
  IG_TRY(ig_image_room(r->cx, r->path, (double)(have / (size_t)r->bytes), m));
  if (have != voxels(r) * (size_t)r->bytes)
    return IG_FAIL(r->cx, IG_INPUT,
                   "%s: %zu bytes of values: expected %zu for %lld x %lld x %lld voxels of %d",
                   r->path, have, voxels(r) * (size_t)r->bytes, (long long)m->n[0],
                   (long long)m->n[1], (long long)m->n[2], r->bytes);
  uint8_t *to = m->solid;
  for (size_t k = 0; k < (size_t)m->n[2]; k++)
    for (size_t j = 0; j < (size_t)m->n[1]; j++)
      for (size_t i = 0; i < (size_t)m->n[0]; i++) {
        const size_t at = i * stride[0] + j * stride[1] + k * stride[2];
        const unsigned char *p = (const unsigned char *)from + at * (size_t)r->bytes;
        *to++ = ig_bytes_number(p, r->kind, r->bytes, r->big) > r->threshold;
      }
  return IG_OK;
}

/* --- NumPy: format of .npy version 1 to 3; the array is indexed [z, y, x] */

/* What follows 'key': in the header, which is a Python dictionary as text; NULL: no such key. */
static const char *npy_key(const char *head, const char *key) {
  const char *at = strstr(head, key);
  at = at ? strchr(at + strlen(key), ':') : NULL;
  return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* descr is for example '<f4': byte order, kind, bytes. Booleans ('b') are read as unsigned bytes.
   The header is the text of a Python dictionary (NEP 1): type as '<f8', order, and shape. Strings
   and objects are refused. */
static ig_status npy_header(reader *r, const char *head, bool *fortran) {
  const char *type = npy_key(head, "'descr'"), *order = npy_key(head, "'fortran_order'"),
             *shape = npy_key(head, "'shape'");
  if (!type || !order || !shape || strlen(type) < 5)
    return IG_FAIL(r->cx, IG_INPUT, "%s: its header lacks descr, fortran_order or shape", r->path);
  const char kind = type[2];
  r->big = type[1] == '>';
  r->kind = kind == 'f' ? 'F' : kind == 'i' ? 'I' : 'U';
  r->bytes = type[3] - '0';
  const bool whole = r->bytes == 1 || r->bytes == 2 || r->bytes == 4 || r->bytes == 8;
  if (type[0] != '\'' || !strchr("fiub", kind) || type[4] != '\'' || !whole ||
      (kind == 'f' && r->bytes < 4))
    return IG_FAIL(r->cx, IG_INPUT,
                   "%s: values of type %.8s: expected whole numbers, bool, float32 or float64",
                   r->path, type);
  /* Order of the indices, as numpy prints it. */
  *fortran = strncmp(order, "True", 4) == 0;
  char *next = NULL;
  int count = 0;
  const char *p = shape + (*shape == '(');
  /* The shape is a tuple, "(nz, ny, nx)"; more or fewer than three numbers are refused. */
  for (; count < 4; count++, p = next + strspn(next, " ,")) {
    const long long n = strtoll(p, &next, 10);
    if (next == p)
      break;
    if (count < 3)
      r->m->n[2 - count] = n;
  }
  if (count != 3)
    return IG_FAIL(r->cx, IG_INPUT, "%s: an array of shape %.40s: expected three numbers, z, y, x",
                   r->path, shape);
  return IG_OK;
}

/* Magic string, version, length of the header (2 bytes in version 1, else 4), header, values.
   Version 1 has a length of 2 bytes, later ones of 4, little-endian. Indices are z, y, x: x is the
   fastest in C order, z in Fortran order. */
static ig_status npy_read(reader *r) {
  const unsigned char *b = (const unsigned char *)r->text;
  if (r->size < 12 || memcmp(b, "\x93NUMPY", 6) != 0)
    return IG_FAIL(r->cx, IG_INPUT, "%s: this is no array of numpy", r->path);
  const size_t wide = b[6] == 1 ? 2 : 4,
               length = (size_t)ig_bytes_number(b + 8, 'U', (int)wide, false),
               begin = 8 + wide + length;
  bool fortran = false;
  if (begin > r->size || length > 65536)
    return IG_FAIL(r->cx, IG_INPUT, "%s: its header is longer than the file", r->path);
  char *head = strndup(r->text + 8 + wide, length);
  if (!head)
    return IG_FAIL(r->cx, IG_MEMORY, "%s: no memory for its header", r->path);
  for (char *p = head; *p; p++) /* parts of it stand in messages */
    *p = isprint((unsigned char)*p) ? *p : ' ';
  ig_status status = npy_header(r, head, &fortran);
  free(head);
  IG_TRY(status);
  const size_t n[3] = {(size_t)r->m->n[0], (size_t)r->m->n[1], (size_t)r->m->n[2]};
  const size_t rows[3] = {1, n[0], n[0] * n[1]}, columns[3] = {n[2] * n[1], n[2], 1};
  r->m->bare = true;
  return values_take(r, r->text + begin, r->size - begin, fortran ? columns : rows);
}

/* --- NRRD (Nearly Raw Raster Data, teem.sourceforge.net/nrrd/format.html) */

/* Encodings that are read; bzip2 and hex are refused. */
enum { NRRD_RAW, NRRD_GZIP, NRRD_TEXT };
typedef struct {
  int encoding;
  int64_t dimension;
  char file[256]; /* of the values; empty: this one */
} nrrd;

/* Exactly three numbers, with any punctuation between them; false otherwise (also for "nan" or
   "none"). */
static bool three(const char *p, double *out) {
  int count = 0;
  while (*p) {
    char *next;
    if (!strchr("+-.0123456789", *p)) {
      if (isalpha((unsigned char)*p))
        return false;
      p++;
      continue;
    }
    const double x = ig_decimal_read(p, &next);
    if (next == p || count == 3 || !isfinite(x))
      return false;
    out[count++] = x;
    p = next;
  }
  return count == 3;
}

/* "space directions": (a,0,0) (0,b,0) (0,0,c). Only images along the axes are read; off-axis
   entries up to 1e-9 are rounding. */
static bool directions(const char *p, double *step) {
  for (int d = 0; d < 3; d++) {
    const char *open = strchr(p, '('), *close = open ? strchr(open, ')') : NULL;
    char vector[128];
    double x[3];
    if (!close || (size_t)(close - open) >= sizeof vector)
      return false;
    snprintf(vector, sizeof vector, "%.*s", (int)(close - open - 1), open + 1);
    if (!three(vector, x))
      return false;
    for (int e = 0; e < 3; e++)
      if (e != d && fabs(x[e]) > 1e-9 * fabs(x[d]))
        return false;
    step[d] = x[d];
    p = close + 1;
  }
  return true;
}

/* All spellings of types that the NRRD specification allows. All spellings of the NRRD definition
   (Kindlmann, version 5). */
static bool nrrd_type(const char *name, char *kind, int *bytes) {
  static const struct {
    const char *names; /* between bars */
    char kind;
    int bytes;
  } of[] = {{"|signed char|int8|int8_t|", 'I', 1},
            {"|uchar|unsigned char|uint8|uint8_t|", 'U', 1},
            {"|short|short int|signed short|signed short int|int16|int16_t|", 'I', 2},
            {"|ushort|unsigned short|unsigned short int|uint16|uint16_t|", 'U', 2},
            {"|int|signed int|int32|int32_t|", 'I', 4},
            {"|uint|unsigned int|uint32|uint32_t|", 'U', 4},
            {"|longlong|long long|long long int|int64|int64_t|", 'I', 8},
            {"|ulonglong|unsigned long long|uint64|uint64_t|", 'U', 8},
            {"|float|", 'F', 4},
            {"|double|", 'F', 8}};
  char barred[64];
  snprintf(barred, sizeof barred, "|%.60s|", name);
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    if (strstr(of[i].names, barred)) {
      *kind = of[i].kind;
      *bytes = of[i].bytes;
      return true;
    }
  return false;
}

/* Metres per unit of the first unit found; 0: none known. */
static double unit_of(const char *text) {
  return strstr(text, "\"mm\"")   ? 1e-3
         : strstr(text, "\"um\"") ? 1e-6
         : strstr(text, "micron") ? 1e-6
         : strstr(text, "\"cm\"") ? 1e-2
         : strstr(text, "\"m\"")  ? 1
                                  : 0;
}

/* One line "key: value" of the header. Unknown keys are ignored, as the specification asks. Data
   files must be beside the header: absolute paths, "..", patterns and lists are refused. One field
   of the header. Unknown ones are passed over, as the format allows. */
static ig_status nrrd_line(reader *r, nrrd *h, const char *key, const char *value) {
  ig_image *m = r->m;
  double x[3];
  bool fine = true;
  if (strcmp(key, "type") == 0) {
    fine = nrrd_type(value, &r->kind, &r->bytes);
  } else if (strcmp(key, "dimension") == 0) {
    fine = (h->dimension = atoi(value)) == 3;
  } else if (strcmp(key, "sizes") == 0) {
    fine = three(value, x);
    for (int d = 0; d < 3 && fine; d++) {
      fine = x[d] >= 1 && x[d] < 1e9;
      m->n[d] = fine ? (int64_t)x[d] : 0;
    }
    /* Spacings, or directions along the axes, whose lengths are then the spacings. */
  } else if (strcmp(key, "spacings") == 0) {
    fine = three(value, m->step);
    m->bare = false;
  } else if (strcmp(key, "space directions") == 0) {
    fine = directions(value, m->step);
    m->bare = false;
  } else if (strcmp(key, "space origin") == 0 || strcmp(key, "axis mins") == 0) {
    fine = three(value, m->low);
  } else if (strcmp(key, "space units") == 0 || strcmp(key, "units") == 0) {
    m->unit = unit_of(value);
  } else if (strcmp(key, "endian") == 0) {
    r->big = strcmp(value, "big") == 0;
  } else if (strcmp(key, "encoding") == 0) {
    h->encoding = strcmp(value, "raw") == 0      ? NRRD_RAW
                  : strncmp(value, "gz", 2) == 0 ? NRRD_GZIP
                                                 : NRRD_TEXT;
    fine = h->encoding != NRRD_TEXT || strcmp(value, "ascii") == 0 || strcmp(value, "text") == 0 ||
           strcmp(value, "txt") == 0;
    /* Skipping of bytes or lines in the data is not supported, unless it is none. */
  } else if (strcmp(key, "line skip") == 0 || strcmp(key, "byte skip") == 0 ||
             strcmp(key, "lineskip") == 0 || strcmp(key, "byteskip") == 0) {
    fine = atoi(value) == 0;
    /* Data in another file: beside this one, and without any way out of the folder. */
  } else if (strcmp(key, "data file") == 0 || strcmp(key, "datafile") == 0) {
    fine = strlen(value) < sizeof h->file && value[0] != '/' && !strstr(value, "..") &&
           !strchr(value, '%') && strncmp(value, "LIST", 4) != 0;
    snprintf(h->file, sizeof h->file, "%.250s", value);
  }
  if (!fine)
    return IG_FAIL(
        r->cx, IG_INPUT,
        "%s: '%.40s: %.60s': expected an image of three axes along x, y and z, raw, gzip "
        "or ascii, in this file or one beside it",
        r->path, key, value);
  return IG_OK;
}

/* Reads the header up to its empty line; *begin: where the values start. Lines with ":=" are
   key-value pairs of the user and are skipped. Lines up to an empty one; the data follows it.
   *begin is the first byte of the data. */
static ig_status nrrd_header(reader *r, nrrd *h, size_t *begin) {
  size_t at = 0;
  bool first = true;
  for (;; first = false) {
    char *line = r->text + at, *end = memchr(line, '\n', r->size - at);
    char *stop = end ? end : r->text + r->size;
    at = end ? (size_t)(end - r->text) + 1 : r->size;
    while (stop > line && strchr(" \t\r\n", stop[-1]))
      stop--;
    if (stop == line || !end)
      break;
    /* Control characters are replaced, since the text may stand in a message. */
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)(stop - line), line);
    for (char *p = text; *p; p++)
      *p = isprint((unsigned char)*p) ? *p : '?';
    /* The first line names the format; comments and key/value pairs (:=) say nothing of the
       image. */
    if (first || text[0] == '#' || strstr(text, ":="))
      continue;
    char *colon = strstr(text, ": ");
    if (!colon)
      return IG_FAIL(r->cx, IG_INPUT, "%s: '%.60s' in its header: expected KEY: VALUE", r->path,
                     text);
    *colon = 0;
    IG_TRY(nrrd_line(r, h, text, colon + 2 + strspn(colon + 2, " ")));
  }
  *begin = at;
  return IG_OK;
}

/* Values as text, one word per voxel. */
static ig_status nrrd_words(reader *r, const char *p, const char *end) {
  IG_TRY(ig_image_room(r->cx, r->path, (double)(end - p), r->m));
  for (size_t i = 0; i < voxels(r); i++) {
    char *next;
    while (p < end && isspace((unsigned char)*p))
      p++;
    const double x = p < end ? ig_decimal_read(p, &next) : NAN;
    if (p >= end || next == p)
      return IG_FAIL(r->cx, IG_INPUT, "%s: value %zu of %zu is no number", r->path, i + 1,
                     voxels(r));
    r->m->solid[i] = x > r->threshold;
    p = next;
  }
  return IG_OK;
}

/* Raw, text, or compressed by gzip; the size is bounded before anything is allocated. */
static ig_status nrrd_values(reader *r, const nrrd *h, const char *from, size_t have) {
  const size_t rows[3] = {1, (size_t)r->m->n[0], (size_t)r->m->n[0] * (size_t)r->m->n[1]};
  if (h->encoding == NRRD_TEXT)
    return nrrd_words(r, from, from + have);
  if (h->encoding == NRRD_RAW)
    return values_take(r, from, have, rows);
  /* zlib expands at most 1032 : 1, so a larger image cannot be in the file. */
  IG_TRY(ig_image_room(r->cx, r->path, 1100 * (double)have / r->bytes, r->m));
  free(r->m->solid);
  r->m->solid = NULL;
  const size_t size = voxels(r) * (size_t)r->bytes;
  char *plain;
  IG_TRY(IG_NEW(r->cx, &plain, size + 1, "image"));
  ig_status status =
      ig_decompress(from, have, plain, size, false)
          ? values_take(r, plain, size, rows)
          : IG_FAIL(r->cx, IG_INPUT, "%s: its values cannot be decompressed to %zu bytes", r->path,
                    size);
  free(plain);
  return status;
}

/* Images that name no spacing are `bare`: one unit a voxel, scaled by the case. */
static ig_status nrrd_read(reader *r) {
  nrrd h = {0};
  size_t begin = 0, size = 0;
  if (r->size < 8 || memcmp(r->text, "NRRD000", 7) != 0)
    return IG_FAIL(r->cx, IG_INPUT, "%s: this is no nrrd: expected NRRD000 at its beginning",
                   r->path);
  r->m->bare = true;
  IG_TRY(nrrd_header(r, &h, &begin));
  if (!r->bytes || !h.dimension || !r->m->n[0])
    return IG_FAIL(r->cx, IG_INPUT, "%s: its header lacks type, dimension or sizes", r->path);
  /* NRRD gives the centre of the first voxel; the image stores its corner. */
  for (int d = 0; d < 3; d++)
    r->m->low[d] -= 0.5 * r->m->step[d]; /* of the first voxel's middle */
  if (!h.file[0])
    return nrrd_values(r, &h, r->text + begin, r->size - begin);
  char full[1024], *values;
  const char *slash = strrchr(r->path, '/');
  if (snprintf(full, sizeof full, "%.*s%s", slash ? (int)(slash - r->path) + 1 : 0, r->path,
               h.file) >= (int)sizeof full)
    return IG_FAIL(r->cx, IG_INPUT, "%s: the name of its data file is too long", r->path);
  IG_TRY(ig_file_read(r->cx, full, 0, &values, &size));
  const ig_status status = nrrd_values(r, &h, values, size);
  free(values);
  return status;
}

/* --- */

/* The ending decides on the format; its first bytes are checked by the reader. The text is freed
   whatever happened; the image stays with the caller. */
static ig_status file_take(reader *r) {
  IG_TRY(ig_file_read(r->cx, r->path, 0, &r->text, &r->size));
  const ig_status status = ig_path_ends(r->path, ".npy") ? npy_read(r) : nrrd_read(r);
  free(r->text);
  return status;
}

/* An image without a solid voxel is an error here, because no room can use it. */
ig_status ig_image_read(ig_ctx *cx, const char *path, double threshold, const char *field,
                        ig_image *m) {
  *m = (ig_image){.step = {1, 1, 1}};
  reader r = {.cx = cx, .path = path, .threshold = threshold, .m = m};
  ig_status status = field && !ig_path_ends(path, ".vti")
                         ? IG_FAIL(cx, IG_INPUT, "%s: only a .vti has a `field`", path)
                     : ig_path_ends(path, ".vti") ? ig_image_read_vti(cx, path, threshold, field, m)
                                                  : file_take(&r);
  size_t solid = 0;
  for (size_t i = 0; status == IG_OK && i < voxels(&r); i++)
    solid += m->solid[i];
  if (status == IG_OK && solid == 0)
    status =
        IG_FAIL(cx, IG_INPUT, "%s: no voxel's value is above the threshold %g", path, threshold);
  if (status == IG_OK)
    ig_info(cx, "%s: %lld x %lld x %lld voxels, %zu of them above the threshold %g", path,
            (long long)m->n[0], (long long)m->n[1], (long long)m->n[2], solid, threshold);
  if (status != IG_OK)
    ig_image_free(m);
  return status;
}

/* --- the surface of the solid voxels */

/* Voxels outside the image are empty, so the surface is closed. */
static bool solid_at(const ig_image *m, int64_t i, int64_t j, int64_t k) {
  return i >= 0 && j >= 0 && k >= 0 && i < m->n[0] && j < m->n[1] && k < m->n[2] &&
         m->solid[(k * m->n[1] + j) * m->n[0] + i];
}

/* Corners are shared between faces, so they need numbers. Only two levels of corners exist at a
   time, used in turn, instead of a table for the whole image. */
typedef struct {
  ig_ctx *cx;
  const char *path;
  const ig_image *m;
  ig_tri_surface *soup;
  ig_lid *number; /* of the corners of two levels, 0: none; node + 1 */
  int64_t triangles, nodes;
} surface;

/* The node at corner c (i, j, k), made when first needed. Without soup->x the pass only counts. */
static ig_lid node_of(surface *s, const int64_t *c) {
  const int64_t wide = s->m->n[0] + 1, level = wide * (s->m->n[1] + 1);
  ig_lid *number = &s->number[c[2] % 2 * level + c[1] * wide + c[0]];
  if (!*number) {
    for (int d = 0; s->soup->x && d < 3; d++)
      s->soup->x[3 * s->nodes + d] = s->m->low[d] + (double)c[d] * s->m->step[d];
    *number = (ig_lid)++s->nodes;
  }
  return *number - 1;
}

/* Adds the face of voxel c on its lower or higher side along axis d, as two triangles,
   counter-clockwise seen from outside. */
static void face_add(surface *s, const int64_t *c, int d, bool high) {
  const int e = (d + 1) % 3, f = (d + 2) % 3;
  ig_lid q[4];
  for (int a = 0; a < 4; a++) {
    int64_t at[3] = {c[0], c[1], c[2]};
    at[d] += high;
    at[e] += a == 1 || a == 2;
    at[f] += a >= 2;
    q[high ? a : 3 - a] = node_of(s, at);
  }
  if (s->soup->corner) {
    const ig_lid corner[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
    memcpy(&s->soup->corner[3 * s->triangles], corner, sizeof corner);
  }
  s->triangles += 2;
}

/* One pass over all voxels, level by level; the corners above a level are those below the next
   one. */
static void faces_add(surface *s) {
  const ig_image *m = s->m;
  const size_t level = (size_t)(m->n[0] + 1) * (size_t)(m->n[1] + 1);
  s->nodes = s->triangles = 0;
  memset(s->number, 0, 2 * level * sizeof *s->number);
  for (int64_t k = 0; k < m->n[2]; k++) {
    memset(s->number + (size_t)((k + 1) % 2) * level, 0, level * sizeof *s->number);
    for (int64_t j = 0; j < m->n[1]; j++)
      for (int64_t i = 0; i < m->n[0]; i++)
        for (int side = 0; side < 6 && solid_at(m, i, j, k); side++) {
          const int64_t c[3] = {i, j, k};
          int64_t next[3] = {i, j, k};
          next[side / 2] += side % 2 ? 1 : -1;
          if (!solid_at(m, next[0], next[1], next[2]))
            face_add(s, c, side / 2, side % 2);
        }
  }
}

/* Two passes: count, allocate, fill. Two passes over the faces between solid and empty voxels: the
   first counts, the second fills. Only two planes of node numbers are needed at a time. */
ig_status ig_image_surface(ig_ctx *cx, const char *path, const ig_image *m, ig_tri_surface *soup) {
  surface s = {.cx = cx, .path = path, .m = m, .soup = soup};
  memset(soup, 0, sizeof *soup);
  IG_TRY(IG_NEW(cx, &s.number, 2 * (size_t)(m->n[0] + 1) * (size_t)(m->n[1] + 1), "image"));
  faces_add(&s); /* counts */
  ig_status status =
      s.triangles > INT32_MAX / 3
          ? IG_FAIL(cx, IG_INPUT, "%s: a surface of %lld triangles: take a coarser image", path,
                    (long long)s.triangles)
          : IG_OK;
  if (status == IG_OK)
    status = IG_NEW(cx, &soup->x, 3 * s.nodes, "image");
  if (status == IG_OK)
    status = IG_NEW(cx, &soup->corner, 3 * s.triangles, "image");
  if (status == IG_OK) {
    faces_add(&s);
    soup->nodes = (ig_lid)s.nodes;
    soup->triangles = (ig_lid)s.triangles;
  }
  free(s.number);
  if (status != IG_OK)
    ig_tri_surface_free(soup);
  return status;
}
