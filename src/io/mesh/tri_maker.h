/* A surface of triangles under construction, for its readers. Private to io/mesh. */
#ifndef IG_IO_MESH_TRI_MAKER_H
#define IG_IO_MESH_TRI_MAKER_H

#include "io/mesh/mesh_io.h"
#include "mesh/tri_surface.h"

/* Arrays of `s` grow by doubling. */
typedef struct {
  ig_ctx *cx;
  const char *path;
  ig_tri_surface *s;
  size_t node_capacity, triangle_capacity;
  double unit; /* metres per unit of the file; a reader of a file that names it sets it */
} ig_tri_maker;

IG_MUST_CHECK ig_status ig_tri_node_add(ig_tri_maker *m, const double *x);
/* Corners count from 0; they are checked. */
IG_MUST_CHECK ig_status ig_tri_triangle_add(ig_tri_maker *m, const int64_t *corner);
/* The next word, across lines; false at the end of the file. *p: where to look, in the current
   line. */
bool ig_tri_word(ig_mesh_text *t, char **p, char **from, char **stop);

typedef ig_status ig_tri_reader(ig_tri_maker *m, ig_mesh_text *t);
/* mesh_ply.c, mesh_off.c */
ig_tri_reader ig_tri_read_ply, ig_tri_read_off;
/* Reads m->path by its ending: .stl, .obj, .3mf, .ply, .off; *known: it is one of these.
   Coordinates are in units of the file, m->unit is their length. */
IG_MUST_CHECK ig_status ig_tri_read_file(ig_tri_maker *m, bool *known);

#endif
