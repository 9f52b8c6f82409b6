/* The surface as a STEP file (ISO 10303-21, schema AUTOMOTIVE_DESIGN): a solid bounded by one
   closed shell of plane triangles, in millimetres. Edges and vertices are shared, so that CAD
   programs see a solid. The names say that it is faceted: no cylinders or free-form faces are
   recognised. */
#include "finish/finish.h"
#include "core/number.h"
#include "io/mesh/mesh_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most facets that CAD programs handle well. */
enum { FACETS = 20000 };

typedef struct {
  FILE *to;
  int64_t next; /* number of the next instance */
} step;

static const char head[] =
    "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('faceted surface'),'2;1');\n"
    "FILE_NAME('part.step','',(''),(''),'Ingot','Ingot','');\n"
    "FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));\nENDSEC;\nDATA;\n"
    "#1=APPLICATION_CONTEXT('automotive design');\n"
    "#2=APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,#1);\n"
    "#3=PRODUCT_CONTEXT('',#1,'mechanical');\n"
    "#4=PRODUCT('part','part','faceted surface',(#3));\n"
    "#5=PRODUCT_DEFINITION_FORMATION('','',#4);\n"
    "#6=PRODUCT_DEFINITION_CONTEXT('part definition',#1,'design');\n"
    "#7=PRODUCT_DEFINITION('design','',#5,#6);\n"
    "#8=PRODUCT_DEFINITION_SHAPE('','',#7);\n"
    "#9=SHAPE_DEFINITION_REPRESENTATION(#8,#10);\n"
    "#10=ADVANCED_BREP_SHAPE_REPRESENTATION('faceted surface',(#11,#15),#16);\n"
    "#11=AXIS2_PLACEMENT_3D('',#12,#13,#14);\n"
    "#12=CARTESIAN_POINT('',(0.,0.,0.));\n"
    "#13=DIRECTION('',(0.,0.,1.));\n"
    "#14=DIRECTION('',(1.,0.,0.));\n"
    "#15=MANIFOLD_SOLID_BREP('faceted surface',#21);\n"
    "#16=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#17))"
    "GLOBAL_UNIT_ASSIGNED_CONTEXT((#18,#19,#20))REPRESENTATION_CONTEXT('',''));\n"
    "#17=UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-05),#18,'distance_accuracy_value','');\n"
    "#18=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));\n"
    "#19=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));\n"
    "#20=(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT());\n";
enum { SHELL = 21 };

/* A number as STEP wants it: with a point, exponents by E. */
static void vector_put(step *s, const char *what, const double v[3]) {
  fprintf(s->to, "#%lld=%s('',(", (long long)s->next++, what);
  for (int d = 0; d < 3; d++) {
    char text[IG_NUMBER_TEXT];
    ig_format(text, sizeof text, "%.9E", v[d]);
    fprintf(s->to, "%s%s", d ? "," : "", text);
  }
  fprintf(s->to, "));\n");
}

static void point_of(const ig_topopt_part *p, int32_t v, double x[3]) {
  for (int d = 0; d < 3; d++)
    x[d] = 1e3 * (double)p->vertex[v][d];
}

static void unit(double v[3]) {
  const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int d = 0; d < 3; d++)
    v[d] = size > 0 ? v[d] / size : d == 0;
}

/* Points and vertices: vertex v is instance first + 2 v + 1. */
static void vertices_put(step *s, const ig_topopt_part *p) {
  for (int32_t v = 0; v < p->vertices; v++) {
    double x[3];
    point_of(p, v, x);
    vector_put(s, "CARTESIAN_POINT", x);
    fprintf(s->to, "#%lld=VERTEX_POINT('',#%lld);\n", (long long)s->next, (long long)s->next - 1);
    s->next++;
  }
}

/* An edge from a to b: direction, vector, line, edge. */
static void edge_put(step *s, const ig_topopt_part *p, int64_t first, int32_t a, int32_t b) {
  double x[3], y[3];
  point_of(p, a, x);
  point_of(p, b, y);
  for (int d = 0; d < 3; d++)
    y[d] -= x[d];
  unit(y);
  vector_put(s, "DIRECTION", y);
  const long long n = s->next, at = first;
  fprintf(s->to, "#%lld=VECTOR('',#%lld,1.);\n#%lld=LINE('',#%lld,#%lld);\n", n, n - 1, n + 1,
          at + 2LL * a, n);
  fprintf(s->to, "#%lld=EDGE_CURVE('',#%lld,#%lld,#%lld,.T.);\n", n + 2, at + 2LL * a + 1,
          at + 2LL * b + 1, n + 1);
  s->next += 3;
}

/* Edges are found by their vertices; edge[3 t + i] is the instance of side i of triangle t,
   negative where it runs the other way. */
static ig_status edges_put(ig_ctx *cx, step *s, const ig_topopt_part *p, int64_t first,
                           int64_t *edge) {
  ig_topopt_keys keys = {0};
  int64_t *instance = NULL, count = 0;
  ig_status status = IG_NEW(cx, &instance, 3 * (size_t)p->triangles + 1, "edges");
  for (int64_t k = 0; status == IG_OK && k < 3 * p->triangles; k++) {
    const int32_t a = p->triangle[k / 3][k % 3], to = p->triangle[k / 3][(k % 3 + 1) % 3];
    const uint64_t low = (uint32_t)(a < to ? a : to), high = (uint32_t)(a < to ? to : a);
    int32_t *of;
    status = ig_topopt_keys_at(cx, &keys, low << 32 | high, &of);
    if (status == IG_OK && *of < 0) {
      edge_put(s, p, first, a < to ? a : to, a < to ? to : a);
      *of = (int32_t)count;
      instance[count++] = s->next - 1;
    }
    if (status == IG_OK)
      edge[k] = a < to ? instance[*of] : -instance[*of];
  }
  ig_topopt_keys_free(&keys);
  free(instance);
  return status;
}

/* A facet, whose last instance is the face. */
static void face_put(step *s, const ig_topopt_part *p, int64_t first, int64_t t,
                     const int64_t *edge) {
  const int32_t *c = p->triangle[t];
  double a[3], u[3], v[3], n[3];
  point_of(p, c[0], a);
  point_of(p, c[1], u);
  point_of(p, c[2], v);
  for (int d = 0; d < 3; d++) {
    u[d] -= a[d];
    v[d] -= a[d];
  }
  for (int d = 0; d < 3; d++)
    n[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
  unit(n);
  unit(u);
  vector_put(s, "DIRECTION", n);
  vector_put(s, "DIRECTION", u);
  const long long at = s->next;
  fprintf(s->to, "#%lld=AXIS2_PLACEMENT_3D('',#%lld,#%lld,#%lld);\n#%lld=PLANE('',#%lld);\n", at,
          (long long)first + 2LL * c[0], at - 2, at - 1, at + 1, at);
  for (int i = 0; i < 3; i++)
    fprintf(s->to, "#%lld=ORIENTED_EDGE('',*,*,#%lld,.%c.);\n", at + 2 + i,
            (long long)llabs(edge[3 * t + i]), edge[3 * t + i] > 0 ? 'T' : 'F');
  fprintf(s->to, "#%lld=EDGE_LOOP('',(#%lld,#%lld,#%lld));\n", at + 5, at + 2, at + 3, at + 4);
  fprintf(s->to, "#%lld=FACE_OUTER_BOUND('',#%lld,.T.);\n", at + 6, at + 5);
  fprintf(s->to, "#%lld=ADVANCED_FACE('',(#%lld),#%lld,.T.);\n", at + 7, at + 6, at + 1);
  s->next += 8;
}

static ig_status solid_put(ig_ctx *cx, FILE *to, const ig_topopt_part *p) {
  step s = {to, SHELL + 1};
  const int64_t first = s.next;
  int64_t *edge, *face = NULL;
  IG_TRY(IG_NEW(cx, &edge, 3 * (size_t)p->triangles + 1, "edges"));
  ig_status status = IG_NEW(cx, &face, (size_t)p->triangles + 1, "faces");
  fwrite(head, 1, sizeof head - 1, to);
  vertices_put(&s, p);
  if (status == IG_OK)
    status = edges_put(cx, &s, p, first, edge);
  for (int64_t t = 0; status == IG_OK && t < p->triangles; t++) {
    face_put(&s, p, first, t, edge);
    face[t] = s.next - 1;
  }
  fprintf(to, "#%d=CLOSED_SHELL('',(", SHELL);
  for (int64_t t = 0; status == IG_OK && t < p->triangles; t++)
    fprintf(to, "%s#%lld", t ? "," : "", (long long)face[t]);
  fprintf(to, "));\nENDSEC;\nEND-ISO-10303-21;\n");
  free(edge);
  free(face);
  return status;
}

ig_status ig_finish_step(ig_finished *f, const char *path) {
  ig_topopt_part s = {0};
  ig_topopt_part_shape shape;
  char *text = NULL;
  size_t size = 0;
  FILE *to = NULL;
  IG_TRY(ig_topopt_part_look(f->cx, &f->surface, &shape));
  if (shape.shells > 1) {
    ig_finish_warn(f, "part.step is not written: the part has cavities");
    return IG_OK;
  }
  ig_status status;
  IG_TRY_GOTO(status, done, ig_finish_surface_copy(f->cx, &f->surface, &s));
  double edge = f->edge;
  for (; s.triangles > FACETS && edge < 100 * f->edge; edge *= 1.25)
    IG_TRY_GOTO(status, done, ig_topopt_part_remesh(f->cx, &s, edge, 0.05 * edge));
  if (s.triangles > FACETS) {
    ig_finish_warn(f,
                   "part.step is not written: the surface has %lld facets, at most %d are useful",
                   (long long)s.triangles, FACETS);
    goto done;
  }
  to = open_memstream(&text, &size);
  status = to ? solid_put(f->cx, to, &s) : IG_FAIL(f->cx, IG_MEMORY, "no memory for '%s'", path);
  if (status == IG_OK)
    status = ig_text_store(f->cx, path, to, &text, &size);
  else if (to) {
    fclose(to);
    free(text);
  }
done:
  ig_topopt_part_free(&s);
  return status;
}
