/* 3MF: a zip archive with one or more models in XML. A model has objects: an object is a mesh, or
   components, which are other objects, each with a transformation. What counts is the build: a list
   of objects with a transformation each. Objects that the build does not reach are not part of it
   (spare modifiers of a slicer, for example).

   Read in two passes: first all objects with their meshes as they are defined; then the build is
   followed down to its meshes, once to count, once to copy the transformed triangles. The root
   model is the one that the package's relations name; components may lie in other models (`p:path`
   of the production extension: slicers write a file per object). */
#include "io/mesh/mesh_3mf.h"
#include "core/number.h"
#include "io/format/xml.h"
#include "io/format/zip.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, MOST_DEEP = 32, MOST_PLACED = 1000000, MOST_MODELS = 10000 };

/* An object placed by a component or by an item of the build. */
typedef struct {
  char model[NAME]; /* the model that defines it, a path in the archive */
  long id;
  double at[12]; /* x' = x at[0] + y at[3] + z at[6] + at[9], and so on: rows of 3MF's matrix */
} placed;

typedef struct {
  int model; /* index in `names` */
  long id;
  bool support;                  /* of the machine, not of the part */
  int64_t node, nodes;           /* its points in `x` */
  int64_t triangle, triangles;   /* in `corner` */
  int64_t component, components; /* in `part` */
} object;

typedef struct {
  ig_ctx *cx;
  const char *path, *bytes;
  size_t size;
  char (*names)[NAME]; /* models that have been read */
  int models;
  object *object;
  int64_t objects;
  placed *part, *item; /* of all objects; of the build */
  int64_t parts, items;
  double *x;       /* nodes x 3 */
  int64_t *corner; /* triangles x 3, numbers within their object */
  int64_t nodes, triangles;
  double unit;
  int supports, placed; /* objects of the build: passed over; all, to end what multiplies */
} reader;

/* --- tags */

static bool tag_is(const char *tag, const char *end, const char *name) {
  const size_t length = strlen(name);
  return (size_t)(end - tag) >= length && strncmp(tag, name, length) == 0 &&
         strchr(" \t\r\n/>", tag[length]);
}
/* Of an extension: whatever the prefix of its names is. */
static bool tag_ends(const char *tag, const char *end, const char *name) {
  const char *colon = memchr(tag, ':', (size_t)(end - tag));
  return tag_is(colon ? colon + 1 : tag, end, name);
}

static ig_status number_of(const reader *r, const char *tag, const char *end, const char *name,
                           double *value) {
  char text[64], *stop;
  if (!ig_xml_attribute(tag, end, name, text, sizeof text))
    return IG_FAIL(r->cx, IG_INPUT, "%s: a tag without '%s' in the model", r->path, name);
  *value = ig_decimal_read(text, &stop);
  if (stop == text || *stop || !isfinite(*value) || fabs(*value) > 1e30)
    return IG_FAIL(r->cx, IG_INPUT, "%s: %s=\"%s\" in the model: expected a number", r->path, name,
                   text);
  return IG_OK;
}

static ig_status id_of(const reader *r, const char *tag, const char *end, const char *name,
                       long *id) {
  double v = -1;
  IG_TRY(number_of(r, tag, end, name, &v));
  if (v < 0 || v > INT_MAX || v != floor(v))
    return IG_FAIL(r->cx, IG_INPUT, "%s: %s in the model: expected a whole number", r->path, name);
  *id = (long)v;
  return IG_OK;
}

/* The names of models in an archive have no slash before them. */
static void name_copy(const char *from, char *to) {
  snprintf(to, NAME, "%s", from + (*from == '/'));
}

/* The tag of a component or an item; `model`: the one it stands in. */
static ig_status placed_read(const reader *r, const char *tag, const char *end, const char *model,
                             placed *p) {
  char text[512], path[NAME];
  memset(p, 0, sizeof *p);
  p->at[0] = p->at[4] = p->at[8] = 1;
  name_copy(model, p->model);
  IG_TRY(id_of(r, tag, end, "objectid", &p->id));
  for (const char *c = tag; (c = memchr(c, ':', (size_t)(end - c))); c++)
    if ((size_t)(end - c) > 6 && strncmp(c, ":path=", 6) == 0) { /* p:path, by any prefix */
      const char *name = c;
      while (name > tag && !strchr(" \t\r\n", name[-1]))
        name--;
      char whole[32];
      snprintf(whole, sizeof whole, "%.*s", (int)(c + 5 - name), name);
      if (ig_xml_attribute(tag, end, whole, path, sizeof path))
        name_copy(path, p->model);
      break;
    }
  if (!ig_xml_attribute(tag, end, "transform", text, sizeof text))
    return IG_OK;
  char *at = text, *stop;
  for (int i = 0; i < 12; i++, at = stop) {
    p->at[i] = ig_decimal_read(at, &stop);
    if (stop == at || !isfinite(p->at[i]) || fabs(p->at[i]) > 1e30)
      return IG_FAIL(r->cx, IG_INPUT, "%s: transform=\"%s\" in the model: expected twelve numbers",
                     r->path, text);
  }
  return IG_OK;
}

/* --- models */

static ig_status unit_read(reader *r, const char *name) {
  static const struct {
    const char *name;
    double metres;
  } units[] = {{"micron", 1e-6}, {"millimeter", 1e-3}, {"centimeter", 1e-2},
               {"inch", 0.0254}, {"foot", 0.3048},     {"meter", 1}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(name, units[i].name) == 0) {
      r->unit = units[i].metres;
      return IG_OK;
    }
  return IG_FAIL(
      r->cx, IG_INPUT,
      "%s: the model's unit is '%s': expected micron, millimeter, centimeter, inch, foot "
      "or meter",
      r->path, name);
}

static ig_status object_begin(reader *r, const char *tag, const char *end, int model) {
  char type[32] = "model";
  object o = {.model = model, .node = r->nodes, .triangle = r->triangles, .component = r->parts};
  IG_TRY(id_of(r, tag, end, "id", &o.id));
  (void)ig_xml_attribute(tag, end, "type", type, sizeof type);
  o.support = strcmp(type, "support") == 0 || strcmp(type, "solidsupport") == 0;
  IG_TRY(IG_MORE(r->cx, &r->object, r->objects, "objects"));
  r->object[r->objects++] = o;
  return IG_OK;
}

static ig_status vertex_read(reader *r, object *o, const char *tag, const char *end) {
  static const char *const name[] = {"x", "y", "z"};
  IG_TRY(ig_more(r->cx, (void **)&r->x, (size_t)r->nodes, 3 * sizeof *r->x, "points"));
  for (int d = 0; d < 3; d++)
    IG_TRY(number_of(r, tag, end, name[d], &r->x[3 * r->nodes + d]));
  r->nodes++;
  o->nodes++;
  return IG_OK;
}

static ig_status triangle_read(reader *r, object *o, const char *tag, const char *end) {
  static const char *const name[] = {"v1", "v2", "v3"};
  IG_TRY(ig_more(r->cx, (void **)&r->corner, (size_t)r->triangles, 3 * sizeof *r->corner,
                 "triangles"));
  for (int a = 0; a < 3; a++) {
    long v = 0;
    IG_TRY(id_of(r, tag, end, name[a], &v));
    if (v >= o->nodes)
      return IG_FAIL(r->cx, IG_INPUT, "%s: a triangle of object %ld uses point %ld: there are %lld",
                     r->path, o->id, v, (long long)o->nodes);
    r->corner[3 * r->triangles + a] = v;
  }
  r->triangles++;
  o->triangles++;
  return IG_OK;
}

/* One tag of a model; o: the object it stands in, NULL: none. */
static ig_status tag_read(reader *r, int model, object *o, const char *tag, const char *end) {
  char value[NAME];
  if (tag_is(tag, end, "model"))
    return model == 0 && ig_xml_attribute(tag, end, "unit", value, sizeof value)
               ? unit_read(r, value)
               : IG_OK;
  if (tag_is(tag, end, "object"))
    return object_begin(r, tag, end, model);
  if (tag_is(tag, end, "item") && model == 0) {
    IG_TRY(IG_MORE(r->cx, &r->item, r->items, "items of the build"));
    return placed_read(r, tag, end, r->names[model], &r->item[r->items++]);
  }
  if (!o)
    return IG_OK;
  if (tag_is(tag, end, "vertex"))
    return vertex_read(r, o, tag, end);
  if (tag_is(tag, end, "triangle"))
    return triangle_read(r, o, tag, end);
  if (tag_is(tag, end, "component")) {
    IG_TRY(IG_MORE(r->cx, &r->part, r->parts, "components"));
    o->components++;
    return placed_read(r, tag, end, r->names[model], &r->part[r->parts++]);
  }
  if (tag_ends(tag, end, "beamlattice") || tag_ends(tag, end, "booleanshape") ||
      tag_ends(tag, end, "displacementmesh"))
    return IG_FAIL(r->cx, IG_INPUT,
                   "%s: object %ld has a %.*s, which is not read: export it as triangles", r->path,
                   o->id, (int)strcspn(tag, " \t\r\n/>"), tag);
  return IG_OK;
}

static ig_status text_read(reader *r, int model, const char *text, size_t size) {
  const char *stop = text + size;
  bool within = false;
  for (const char *p = text; (p = memchr(p, '<', (size_t)(stop - p)));) {
    if (stop - p > 4 && strncmp(p, "<!--", 4) == 0) {
      const char *close = strstr(p + 4, "-->"); /* a 0 stands behind the text */
      p = close ? close + 3 : stop;
      continue;
    }
    const char *tag = ++p, *end = memchr(p, '>', (size_t)(stop - p));
    if (!end)
      return IG_FAIL(r->cx, IG_INPUT, "%s: the model ends within a tag", r->path);
    IG_TRY(tag_read(r, model, within ? &r->object[r->objects - 1] : NULL, tag, end));
    within = tag_is(tag, end, "object") ? end[-1] != '/' : within && !tag_is(tag, end, "/object");
    p = end;
  }
  return IG_OK;
}

/* Reads a model unless it has been; *model: its number. */
static ig_status model_read(reader *r, const char *name, int *model) {
  for (*model = 0; *model < r->models; ++*model)
    if (strcmp(r->names[*model], name) == 0)
      return IG_OK;
  if (r->models == MOST_MODELS)
    return IG_FAIL(r->cx, IG_INPUT, "%s: more than %d models", r->path, MOST_MODELS);
  char *text;
  size_t size;
  IG_TRY(IG_MORE(r->cx, &r->names, r->models, "models"));
  snprintf(r->names[r->models++], NAME, "%s", name);
  IG_TRY(ig_zip_file(r->cx, r->path, r->bytes, r->size, name, &text, &size));
  const ig_status status = text_read(r, *model, text, size);
  free(text);
  return status;
}

/* The name of the root model: what _rels/.rels says, else the first that ends in .model. */
static ig_status root_find(const reader *r, char *name) {
  char *text, value[NAME];
  size_t size;
  *name = '\0';
  if (!ig_zip_has(r->bytes, r->size, "_rels/.rels"))
    return ig_zip_ending(r->cx, r->path, r->bytes, r->size, ".model", name, NAME);
  IG_TRY(ig_zip_file(r->cx, r->path, r->bytes, r->size, "_rels/.rels", &text, &size));
  for (const char *p = text, *end; (p = strchr(p, '<')) && (end = strchr(p, '>')); p = end)
    if (tag_is(p + 1, end, "Relationship") &&
        ig_xml_attribute(p + 1, end, "Type", value, sizeof value) &&
        strcmp(value, "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel") == 0 &&
        ig_xml_attribute(p + 1, end, "Target", value, sizeof value)) {
      name_copy(value, name);
      break;
    }
  free(text);
  return *name ? IG_OK : ig_zip_ending(r->cx, r->path, r->bytes, r->size, ".model", name, NAME);
}

/* --- the build */

/* first `inner`, then `outer` */
static void chain(const double *inner, const double *outer, double *both) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 3; j++) {
      double sum = i == 3 ? outer[9 + j] : 0;
      for (int k = 0; k < 3; k++)
        sum += inner[3 * i + k] * outer[3 * k + j];
      both[3 * i + j] = sum;
    }
}

static double determinant(const double *m) {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
         m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static ig_status mesh_put(const reader *r, const object *o, const double *at, ig_tri_surface *s) {
  const bool mirrored = determinant(at) < 0;
  if (s->x) { /* second time: there is memory */
    for (int64_t n = 0; n < o->nodes; n++) {
      const double *x = &r->x[3 * (o->node + n)];
      for (int d = 0; d < 3; d++)
        s->x[3 * (s->nodes + n) + d] =
            x[0] * at[d] + x[1] * at[3 + d] + x[2] * at[6 + d] + at[9 + d];
    }
    for (int64_t t = 0; t < o->triangles; t++) {
      const int64_t *corner = &r->corner[3 * (o->triangle + t)];
      for (int a = 0; a < 3; a++) /* a mirrored mesh keeps its outside outside */
        s->corner[3 * (s->triangles + t) + a] =
            (ig_lid)(s->nodes + corner[mirrored && a ? 3 - a : a]);
    }
  }
  if (s->triangles + o->triangles > IG_TRI_SURFACE_MOST ||
      s->nodes + o->nodes > 3 * (int64_t)IG_TRI_SURFACE_MOST)
    return IG_FAIL(r->cx, IG_INPUT, "%s: more than %d triangles", r->path, IG_TRI_SURFACE_MOST);
  s->nodes += (ig_lid)o->nodes;
  s->triangles += (ig_lid)o->triangles;
  return IG_OK;
}

/* What the object at `p` consists of, `deep` components down. */
static ig_status placed_put(reader *r, const placed *p, const double *outer, int deep,
                            ig_tri_surface *s) {
  int model;
  double at[12];
  if (deep == MOST_DEEP || r->placed++ == MOST_PLACED)
    return IG_FAIL(r->cx, IG_INPUT,
                   "%s: object %ld: components of components, more than %d deep or %d in all",
                   r->path, p->id, MOST_DEEP, MOST_PLACED);
  IG_TRY(model_read(r, p->model, &model));
  int64_t i = 0;
  while (i < r->objects && (r->object[i].model != model || r->object[i].id != p->id))
    i++;
  if (i == r->objects)
    return IG_FAIL(r->cx, IG_INPUT, "%s: there is no object %ld in its model '%s'", r->path, p->id,
                   p->model);
  const object o = r->object[i]; /* the list may move */
  if (o.support) {
    r->supports++;
    return IG_OK;
  }
  chain(p->at, outer, at);
  for (int64_t c = 0; c < o.components; c++) {
    const placed part = r->part[o.component + c];
    IG_TRY(placed_put(r, &part, at, deep + 1, s));
  }
  return mesh_put(r, &o, at, s);
}

static ig_status build_put(reader *r, ig_tri_surface *s) {
  static const double as_it_is[12] = {[0] = 1, [4] = 1, [8] = 1};
  for (int64_t i = 0; i < r->items; i++) {
    const placed item = r->item[i];
    IG_TRY(placed_put(r, &item, as_it_is, 0, s));
  }
  return IG_OK;
}

/* A file without a build, as exporters of meshes write: all objects that are no component. */
static ig_status build_guess(reader *r) {
  for (int64_t i = 0; i < r->objects; i++) {
    const object *o = &r->object[i];
    bool used = false;
    for (int64_t c = 0; c < r->parts && !used; c++)
      used = r->part[c].id == o->id && strcmp(r->part[c].model, r->names[o->model]) == 0;
    if (used)
      continue;
    placed p = {.id = o->id, .at = {[0] = 1, [4] = 1, [8] = 1}};
    name_copy(r->names[o->model], p.model);
    IG_TRY(IG_MORE(r->cx, &r->item, r->items, "items of the build"));
    r->item[r->items++] = p;
  }
  ig_warn(r->cx, "%s: its build is empty: all %lld objects are taken where they are defined",
          r->path, (long long)r->items);
  return IG_OK;
}

static ig_status archive_read(reader *r, ig_tri_surface *s) {
  char root[NAME];
  int model;
  ig_tri_surface count = {0};
  IG_TRY(root_find(r, root));
  IG_TRY(model_read(r, root, &model));
  if (r->items == 0)
    IG_TRY(build_guess(r));
  IG_TRY(build_put(r, &count));
  if (r->supports > 0)
    ig_warn(r->cx, "%s: %d of its objects are supports of the machine and are left out", r->path,
            r->supports);
  IG_TRY(IG_NEW(r->cx, &s->x, 3 * (size_t)count.nodes + 1, "points"));
  IG_TRY(IG_NEW(r->cx, &s->corner, 3 * (size_t)count.triangles + 1, "triangles"));
  r->placed = 0;
  return build_put(r, s);
}

ig_status ig_3mf_read(ig_ctx *cx, const char *path, const char *bytes, size_t size,
                      ig_tri_surface *s, double *unit) {
  reader r = {.cx = cx, .path = path, .bytes = bytes, .size = size, .unit = 1e-3};
  const ig_status status = archive_read(&r, s);
  *unit = r.unit;
  free(r.names);
  free(r.object);
  free(r.part);
  free(r.item);
  free(r.x);
  free(r.corner);
  return status;
}
