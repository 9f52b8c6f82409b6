/* The surface as a STEP file (ISO 10303-21, schema AUTOMOTIVE_DESIGN): a solid bounded by one
   closed shell, in millimetres. Planes and cylinders are faces of their own (finish_faces.h), all
   else is plane triangles, and the names say so. Edges and vertices are shared, so that CAD
   programs see a solid.

   An edge between a cylinder and a plane is what the two have in common, an arc of an ellipse or
   circle, if that is near the chord; else it is the chord. */
#include "finish/finish_faces.h"
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
static void number_put(step *s, double value) {
  char text[IG_NUMBER_TEXT];
  ig_format(text, sizeof text, "%.9E", value);
  fputs(text, s->to);
}

static void vector_put(step *s, const char *what, const double v[3]) {
  fprintf(s->to, "#%lld=%s('',(", (long long)s->next++, what);
  for (int d = 0; d < 3; d++) {
    fputs(d ? "," : "", s->to);
    number_put(s, v[d]);
  }
  fprintf(s->to, "));\n");
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void cross(const double *a, const double *b, double *c) {
  for (int d = 0; d < 3; d++)
    c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}
static void unit(double v[3]) {
  const double size = sqrt(dot(v, v));
  for (int d = 0; d < 3; d++)
    v[d] = size > 0 ? v[d] / size : d == 0;
}

/* A place with an axis and a direction across it; its instance. */
static long long placement_put(step *s, const double *p, const double *axis, const double *along) {
  vector_put(s, "CARTESIAN_POINT", p);
  vector_put(s, "DIRECTION", axis);
  vector_put(s, "DIRECTION", along);
  const long long n = s->next++;
  fprintf(s->to, "#%lld=AXIS2_PLACEMENT_3D('',#%lld,#%lld,#%lld);\n", n, n - 3, n - 2, n - 1);
  return n;
}

/* --- edges */

/* What a cylinder and a plane have in common. */
typedef struct {
  double center[3], axis[3], major[3], radius[2];
} ellipse;

/* The plane through a with normal n cuts the cylinder c; false: along its axis, or the arc from a
   to b is far from its chord. The arc goes around `axis`. */
static bool arc_find(const ig_finish_face *c, const double *a, const double *b, const double *n,
                     ellipse *to) {
  double from[3], u[3], v[3], turn[3], middle[3], off[3];
  const double slope = dot(n, c->axis);
  if (fabs(slope) < 0.02)
    return false;
  for (int d = 0; d < 3; d++)
    from[d] = a[d] - c->p[d];
  const double along = dot(from, n) / slope;
  for (int d = 0; d < 3; d++) {
    to->center[d] = c->p[d] + along * c->axis[d];
    to->axis[d] = n[d];
    to->major[d] = c->axis[d] - slope * n[d];
  }
  if (dot(to->major, to->major) < 1e-16) /* a circle, from a on */
    for (int d = 0; d < 3; d++)
      to->major[d] = a[d] - to->center[d];
  for (int d = 0; d < 3; d++) {
    u[d] = a[d] - to->center[d];
    v[d] = b[d] - to->center[d];
  }
  unit(to->major);
  to->radius[0] = c->radius / fabs(slope);
  to->radius[1] = c->radius;
  cross(u, v, turn);
  for (int d = 0; d < 3 && dot(turn, n) < 0; d++)
    to->axis[d] = -n[d];
  /* how far the arc is from the middle of its chord, along the way from the centre */
  double second[3], p = 0, q = 0;
  cross(to->axis, to->major, second);
  for (int d = 0; d < 3; d++) {
    middle[d] = 0.5 * (u[d] + v[d]);
    off[d] = b[d] - a[d];
  }
  p = dot(middle, to->major) / to->radius[0];
  q = dot(middle, second) / to->radius[1];
  const double share = sqrt(p * p + q * q);
  if (!(share > 0.5))
    return false;
  return (1 / share - 1) * sqrt(dot(middle, middle)) < 0.25 * sqrt(dot(off, off));
}

/* The normal of the plane in which an edge from a to b of a cylinder lies: of the plane face beside
   it; between faces of one cylinder that across it. false: it is straight. */
static bool edge_plane(const ig_finish_face *f, const ig_finish_face *g, const double *a,
                       const double *b, double *n, const ig_finish_face **round) {
  double r[3], off[3];
  *round = f->round ? f : g;
  if (!f->round && !g->round)
    return false;
  if (f->round != g->round) {
    memcpy(n, f->round ? g->axis : f->axis, 3 * sizeof *n);
    return true;
  }
  if (f->radius != g->radius || f->p[0] != g->p[0] || f->p[1] != g->p[1] || f->p[2] != g->p[2])
    return false;
  for (int d = 0; d < 3; d++) {
    r[d] = 0.5 * (a[d] + b[d]) - f->p[d];
    off[d] = b[d] - a[d];
  }
  const double along = dot(r, f->axis);
  for (int d = 0; d < 3; d++)
    r[d] -= along * f->axis[d];
  unit(r);
  cross(off, r, n);
  if (!(dot(n, n) > 1e-12 * dot(off, off)))
    return false;
  unit(n);
  return true;
}

static long long line_put(step *s, const double *a, const double *b, long long from) {
  double along[3];
  for (int d = 0; d < 3; d++)
    along[d] = b[d] - a[d];
  unit(along);
  vector_put(s, "DIRECTION", along);
  const long long n = s->next;
  fprintf(s->to, "#%lld=VECTOR('',#%lld,1.);\n#%lld=LINE('',#%lld,#%lld);\n", n, n - 1, n + 1, from,
          n);
  s->next += 2;
  return n + 1;
}

static long long arc_put(step *s, const ellipse *e) {
  const long long at = placement_put(s, e->center, e->axis, e->major), n = s->next++;
  const bool circle = e->radius[0] - e->radius[1] < 1e-9 * e->radius[0];
  fprintf(s->to, "#%lld=%s('',#%lld,", n, circle ? "CIRCLE" : "ELLIPSE", at);
  number_put(s, e->radius[0]);
  if (!circle) {
    fputs(",", s->to);
    number_put(s, e->radius[1]);
  }
  fprintf(s->to, ");\n");
  return n;
}

/* Sides between two faces: instance[k] of side k of the triangles, negative where it runs the other
   way, 0 within a face. point: instances of the vertices' points; the vertex follows. */
static void edges_put(step *s, const ig_finish_faces *q, int64_t *point, int64_t *instance) {
  for (int64_t k = 0; k < 3 * q->s->triangles; k++) {
    const int64_t other = q->opposite[k];
    const int32_t v[2] = {q->s->triangle[k / 3][k % 3], q->s->triangle[k / 3][(k % 3 + 1) % 3]};
    if (other < 0 || other < k || q->of[k / 3] == q->of[other / 3])
      continue;
    for (int i = 0; i < 2; i++)
      if (!point[v[i]]) {
        point[v[i]] = s->next;
        vector_put(s, "CARTESIAN_POINT", q->x[v[i]]);
        fprintf(s->to, "#%lld=VERTEX_POINT('',#%lld);\n", (long long)s->next,
                (long long)s->next - 1);
        s->next++;
      }
    const double *a = q->x[v[0]], *b = q->x[v[1]];
    const ig_finish_face *round;
    double n[3];
    ellipse arc;
    long long curve;
    if (edge_plane(&q->face[q->of[k / 3]], &q->face[q->of[other / 3]], a, b, n, &round) &&
        arc_find(round, a, b, n, &arc))
      curve = arc_put(s, &arc);
    else
      curve = line_put(s, a, b, (long long)point[v[0]]);
    fprintf(s->to, "#%lld=EDGE_CURVE('',#%lld,#%lld,#%lld,.T.);\n", (long long)s->next,
            (long long)point[v[0]] + 1, (long long)point[v[1]] + 1, curve);
    instance[k] = s->next++;
    instance[other] = -instance[k];
  }
}

/* --- faces */

/* The side after k around its face. */
static int64_t side_next(const ig_finish_faces *q, const int64_t *instance, int64_t k) {
  for (;;) {
    k = k / 3 * 3 + (k % 3 + 1) % 3;
    if (instance[k])
      return k;
    k = q->opposite[k];
  }
}

/* What a loop encloses: of a plane the area, of a cylinder that of its wall. */
static double loop_area(const ig_finish_faces *q, const int64_t *instance, int64_t begin) {
  const ig_finish_face *f = &q->face[q->of[begin / 3]];
  double sum = 0;
  int64_t k = begin;
  do {
    const double *a = q->x[q->s->triangle[k / 3][k % 3]],
                 *b = q->x[q->s->triangle[k / 3][(k % 3 + 1) % 3]];
    double u[3], v[3], c[3];
    for (int d = 0; d < 3; d++) {
      u[d] = a[d] - f->p[d];
      v[d] = b[d] - f->p[d];
    }
    cross(u, v, c);
    if (f->round) { /* angle and height: the trapezium below the side */
      const double h = dot(u, f->axis), g = dot(v, f->axis);
      for (int d = 0; d < 3; d++) {
        u[d] -= h * f->axis[d];
        v[d] -= g * f->axis[d];
      }
      cross(u, v, c);
      const double angle = atan2(dot(c, f->axis), dot(u, v));
      sum -= f->out * angle * 0.5 * (h + g) * f->radius;
    } else {
      sum += 0.5 * dot(c, f->axis);
    }
    k = side_next(q, instance, k);
  } while (k != begin);
  return sum;
}

static long long loop_put(step *s, const ig_finish_faces *q, const int64_t *instance,
                          int64_t begin) {
  const long long first = s->next;
  int64_t k = begin;
  do {
    fprintf(s->to, "#%lld=ORIENTED_EDGE('',*,*,#%lld,.%c.);\n", (long long)s->next++,
            (long long)llabs(instance[k]), instance[k] > 0 ? 'T' : 'F');
    k = side_next(q, instance, k);
  } while (k != begin);
  const long long n = s->next++;
  fprintf(s->to, "#%lld=EDGE_LOOP('',(", n);
  for (long long i = first; i < n; i++)
    fprintf(s->to, "%s#%lld", i > first ? "," : "", i);
  fprintf(s->to, "));\n");
  return n;
}

static long long surface_put(step *s, const ig_finish_face *f, const double *towards) {
  double along[3];
  const double up = dot(towards, f->axis);
  for (int d = 0; d < 3; d++)
    along[d] = towards[d] - up * f->axis[d];
  unit(along);
  const long long at = placement_put(s, f->p, f->axis, along), n = s->next++;
  fprintf(s->to, "#%lld=%s('',#%lld", n, f->round ? "CYLINDRICAL_SURFACE" : "PLANE", at);
  if (f->round) {
    fputs(",", s->to);
    number_put(s, f->radius);
  }
  fprintf(s->to, ");\n");
  return n;
}

/* The loops of face `number`, whose sides are side[0] to side[count - 1]; its last instance is the
   face. */
static ig_status face_put(ig_ctx *cx, step *s, const ig_finish_faces *q, const int64_t *instance,
                          int64_t *side, int64_t count, int32_t number) {
  const ig_finish_face *f = &q->face[number];
  double towards[3], most = -INFINITY;
  int64_t outer = 0, loops = 0;
  for (int64_t i = 0; i < count; i++) { /* one side of each loop is left */
    if (side[i] < 0)
      continue;
    const double area = loop_area(q, instance, side[i]);
    int64_t k = side[i];
    while ((k = side_next(q, instance, k)) != side[i])
      for (int64_t j = i + 1; j < count; j++)
        side[j] = side[j] == k ? -1 : side[j];
    side[loops] = side[i];
    outer = area > most ? loops : outer;
    most = fmax(most, area);
    loops++;
  }
  const double *a = q->x[q->s->triangle[side[outer] / 3][side[outer] % 3]],
               *b = q->x[q->s->triangle[side[outer] / 3][(side[outer] % 3 + 1) % 3]];
  for (int d = 0; d < 3; d++)
    towards[d] = f->round ? a[d] - f->p[d] : b[d] - a[d];
  const long long surface = surface_put(s, f, towards);
  long long *bound;
  IG_TRY(IG_NEW(cx, &bound, (size_t)loops + 1, "faces"));
  for (int64_t i = 0; i < loops; i++) {
    const long long loop = loop_put(s, q, instance, side[i]);
    bound[i] = s->next++;
    fprintf(s->to, "#%lld=FACE_%sBOUND('',#%lld,.T.);\n", bound[i], i == outer ? "OUTER_" : "",
            loop);
  }
  fprintf(s->to, "#%lld=ADVANCED_FACE('',(", (long long)s->next++);
  for (int64_t i = 0; i < loops; i++)
    fprintf(s->to, "%s#%lld", i ? "," : "", bound[i]);
  fprintf(s->to, "),#%lld,.%c.);\n", surface, f->round && f->out < 0 ? 'F' : 'T');
  free(bound);
  return IG_OK;
}

/* Sides between faces, sorted by faces: first[face] on in `side`. */
static ig_status sides_sort(ig_ctx *cx, const ig_finish_faces *q, const int64_t *instance,
                            int64_t **first, int64_t **side) {
  const int64_t n = 3 * q->s->triangles;
  IG_TRY(IG_NEW(cx, first, (size_t)q->faces + 2, "faces"));
  IG_TRY(IG_NEW(cx, side, (size_t)n + 1, "faces"));
  for (int64_t k = 0; k < n; k++)
    (*first)[q->of[k / 3] + 2] += instance[k] != 0;
  for (int32_t f = 0; f < q->faces; f++)
    (*first)[f + 2] += (*first)[f + 1];
  for (int64_t k = 0; k < n; k++)
    if (instance[k])
      (*side)[(*first)[q->of[k / 3] + 1]++] = k;
  return IG_OK;
}

static ig_status solid_put(ig_ctx *cx, FILE *to, const ig_finish_faces *q) {
  step s = {to, SHELL + 1};
  int64_t *point = NULL, *instance = NULL, *face = NULL, *first = NULL, *side = NULL, count = 0;
  ig_status status;
  IG_TRY_GOTO(status, done, IG_NEW(cx, &point, (size_t)q->s->vertices + 1, "vertices"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &instance, 3 * (size_t)q->s->triangles + 1, "edges"));
  IG_TRY_GOTO(status, done, IG_NEW(cx, &face, (size_t)q->faces + 1, "faces"));
  fwrite(head, 1, sizeof head - 1, to);
  edges_put(&s, q, point, instance);
  IG_TRY_GOTO(status, done, sides_sort(cx, q, instance, &first, &side));
  for (int32_t f = 0; status == IG_OK && f < q->faces; f++) {
    if (first[f + 1] == first[f])
      continue;
    status = face_put(cx, &s, q, instance, side + first[f], first[f + 1] - first[f], f);
    face[count++] = s.next - 1;
  }
  fprintf(to, "#%d=CLOSED_SHELL('',(", SHELL);
  for (int64_t i = 0; i < count; i++)
    fprintf(to, "%s#%lld", i ? "," : "", (long long)face[i]);
  fprintf(to, "));\nENDSEC;\nEND-ISO-10303-21;\n");
done:
  free(point);
  free(instance);
  free(face);
  free(first);
  free(side);
  return status;
}

ig_status ig_finish_step(ig_finished *f, const char *path) {
  ig_topopt_part s = {0};
  ig_topopt_part_shape shape;
  ig_finish_faces faces = {0};
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
  IG_TRY_GOTO(status, done, ig_finish_faces_find(f, &s, &faces));
  to = open_memstream(&text, &size);
  status =
      to ? solid_put(f->cx, to, &faces) : IG_FAIL(f->cx, IG_MEMORY, "no memory for '%s'", path);
  if (status == IG_OK)
    status = ig_text_store(f->cx, path, to, &text, &size);
  else if (to) {
    fclose(to);
    free(text);
  }
done:
  ig_finish_faces_free(&faces);
  ig_topopt_part_free(&s);
  return status;
}
