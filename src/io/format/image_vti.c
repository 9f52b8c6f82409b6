/* VTK's images, .vti (VTK file formats, XML ImageData): one piece, values on cells, or on points,
   which are then the centres of voxels. */
#include "io/format/image.h"
#include "core/number.h"
#include "io/format/vtk_xml.h"
#include "io/format/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `count` numbers of an attribute. */
static ig_status numbers(const ig_vtk_xml *v, const char *tag, const char *stop, const char *name,
                         int count, double *out) {
  char text[256], *p = text;
  if (!ig_xml_attribute(tag, stop, name, text, sizeof text))
    return IG_FAIL(v->cx, IG_INPUT, "%s: an image without %s", v->path, name);
  for (int i = 0; i < count; i++) {
    char *next;
    p += strspn(p, " \t\r\n");
    out[i] = ig_decimal_read(p, &next);
    if (next == p || !isfinite(out[i]))
      return IG_FAIL(v->cx, IG_INPUT, "%s: %s=\"%s\": expected %d numbers", v->path, name, text,
                     count);
    p = next;
  }
  return IG_OK;
}

/* Whole numbers in doubles: equality is exact. */
static bool same(const double *a, const double *b, int count) {
  for (int i = 0; i < count; i++)
    if (a[i] != b[i])
      return false;
  return true;
}

/* Position of the image: origin, spacing, extent (index ranges of points). A rotated image
   (Direction) is refused. */
static ig_status place_read(const ig_vtk_xml *v, ig_image *m, double *extent) {
  const char *stop, *tag = ig_vtk_xml_tag(v->text, v->end, "ImageData", &stop);
  char text[256];
  double turn[9];
  static const double along[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (!tag)
    return IG_FAIL(v->cx, IG_INPUT, "%s: there is no <ImageData>", v->path);
  IG_TRY(numbers(v, tag, stop, "WholeExtent", 6, extent));
  IG_TRY(numbers(v, tag, stop, "Origin", 3, m->low));
  IG_TRY(numbers(v, tag, stop, "Spacing", 3, m->step));
  if (ig_xml_attribute(tag, stop, "Direction", text, sizeof text)) {
    IG_TRY(numbers(v, tag, stop, "Direction", 9, turn));
    if (!same(turn, along, 9))
      return IG_FAIL(v->cx, IG_INPUT, "%s: a turned image (Direction): resample it along x, y, z",
                     v->path);
  }
  for (int d = 0; d < 3; d++)
    if (!(extent[2 * d] > -1e9 && extent[2 * d + 1] < 1e9 && extent[2 * d + 1] >= extent[2 * d]))
      return IG_FAIL(v->cx, IG_INPUT, "%s: an empty image (WholeExtent)", v->path);
  return IG_OK;
}

/* The array to read in a section: `field`, or the only one with one component; *found NULL: none.
   Several candidates are an error. */
static ig_status array_choose(const ig_vtk_xml *v, const char *from, const char *end,
                              const char *field, const char **found, const char **close) {
  const char *stop;
  int fields = 0;
  *found = NULL;
  for (const char *tag = from; (tag = ig_vtk_xml_array(tag, end, field, &stop)); tag = stop) {
    char text[16] = "1";
    ig_xml_attribute(tag, stop, "NumberOfComponents", text, sizeof text);
    if (atoi(text) != 1)
      continue;
    *found = fields++ ? *found : tag;
    *close = fields == 1 ? stop : *close;
  }
  if (fields > 1)
    return IG_FAIL(v->cx, IG_INPUT, "%s: an image of %d arrays: name one with `field`", v->path,
                   fields);
  return IG_OK;
}

/* Cell data is preferred. For point data the image has one voxel per point, shifted by half a
   spacing. Values may be of cells, or of points, which then count as voxels about them. An image in
   several pieces is refused. */
static ig_status piece_read(const ig_vtk_xml *v, double threshold, const char *field, ig_image *m) {
  static const char *const section[2] = {"CellData", "PointData"};
  const char *limit = v->appended ? v->appended : v->end, *begin, *stop, *tag = NULL, *close = NULL;
  double whole[6], extent[6], *value;
  int points = 0;
  IG_TRY(place_read(v, m, whole));
  const char *piece = ig_vtk_xml_tag(v->text, limit, "Piece", &stop);
  if (!piece)
    return IG_FAIL(v->cx, IG_INPUT, "%s: an image without a <Piece>", v->path);
  /* Whole and piece must be the same: the extents are numbers of points along each axis. */
  IG_TRY(numbers(v, piece, stop, "Extent", 6, extent));
  if (!same(whole, extent, 6))
    return IG_FAIL(v->cx, IG_INPUT, "%s: an image in several pieces: save it as one", v->path);
  for (points = 0; points < 2 && !tag; points++)
    if (ig_vtk_xml_section(piece, limit, section[points], &begin, &stop))
      IG_TRY(array_choose(v, begin, stop, field, &tag, &close));
  if (!tag)
    return IG_FAIL(v->cx, IG_INPUT, "%s: there is no array%s%s of single values", v->path,
                   field ? " " : "", field ? field : "");
  points--;
  /* Values at points stand for voxels about them, so the image begins half a voxel earlier and has
     one more along each axis. */
  for (int d = 0; d < 3; d++) {
    m->n[d] = (int64_t)(whole[2 * d + 1] - whole[2 * d]) + points;
    m->low[d] += (whole[2 * d] - 0.5 * points) * m->step[d];
  }
  IG_TRY(ig_image_room(v->cx, v->path, (double)ig_vtk_xml_most(v), m));
  const int64_t count = m->n[0] * m->n[1] * m->n[2];
  IG_TRY(IG_NEW(v->cx, &value, count, "image"));
  const ig_status status = ig_vtk_xml_values(v, tag, close, count, value);
  for (int64_t i = 0; i < count && status == IG_OK; i++)
    m->solid[i] = value[i] > threshold;
  free(value);
  return status;
}

/* m->solid is the caller's, also after a failure. */
ig_status ig_image_read_vti(ig_ctx *cx, const char *path, double threshold, const char *field,
                            ig_image *m) {
  ig_vtk_xml v;
  IG_TRY(ig_vtk_xml_open(cx, path, "ImageData", &v));
  const ig_status status = piece_read(&v, threshold, field, m);
  free(v.text);
  return status;
}
