/* A surface of triangles, as STL and similar files contain it: is it closed, what does it
   enclose. */
#ifndef IG_MESH_TRI_SURFACE_H
#define IG_MESH_TRI_SURFACE_H

#include "core/ctx.h"
#include <ingot/mesh.h>

/* Owned by the caller; arrays are freed by ig_tri_surface_free. */
/* What files may hold: more is taken for a mistake, before memory is asked for. */
enum { IG_TRI_SURFACE_MOST = 200000000 };

typedef struct {
  ig_lid nodes, triangles;
  double *x;      /* nodes x 3, metres */
  ig_lid *corner; /* triangles x 3 */
  bool stepped;   /* of voxels: all faces along x, y, z */
} ig_tri_surface;
void ig_tri_surface_free(ig_tri_surface *soup);
/* Joins corners closer than a millionth of the size; drops triangles with two equal corners. */
IG_MUST_CHECK ig_status ig_tri_surface_weld(ig_ctx *cx, ig_tri_surface *soup);

/* Survey of a welded surface. Lengths in m. */
typedef struct {
  double low[3], high[3], area;
  double volume;     /* enclosed; negative: the triangles face inwards */
  ig_lid open_edges; /* with a triangle on one side only, about a hole */
  int holes;         /* rims such edges make */
  int seams;         /* rims without width: the corners of one side lie on the other's edges */
  double hole[3];    /* the middle of the longest rim */
  ig_lid hole_edges;
  ig_lid crowded_edges; /* where more than two triangles meet */
  bool oriented;        /* neighbours face the same way everywhere */
} ig_tri_surface_survey;
IG_MUST_CHECK ig_status ig_tri_surface_look(ig_ctx *cx, const ig_tri_surface *soup,
                                            ig_tri_surface_survey *survey);

/* Reads .stl (text or binary), .obj, .3mf, .ply, .off; of other mesh and geometry files the outer
   surface. unit: metres per unit of the file; 0: as the file says, or millimetres. edge: wanted
   edge length where a geometry has to be meshed. Builds with files only. */
IG_MUST_CHECK ig_status ig_tri_surface_read(ig_ctx *cx, const char *path, double unit, double edge,
                                            ig_tri_surface *soup);
/* The same with more options. Of voxel images (.vti, .nrrd, .nhdr, .npy) the surface of the voxels
   with values above `threshold`; field: array of a .vti, NULL: its only one. If an image does not
   give the size of its voxels, unit is their edge. */
typedef struct {
  double unit, edge, threshold;
  const char *field;
  double time_limit, memory_limit; /* as ig_mesh_read_options has them */
} ig_tri_surface_how;
IG_MUST_CHECK ig_status ig_tri_surface_read_as(ig_ctx *cx, const char *path,
                                               const ig_tri_surface_how *how, ig_tri_surface *soup);

/* inside[(k * n[1] + j) * n[0] + i] = 1 where the centre of voxel i, j, k is inside. low: lowest
   corner of the grid; edge: of a voxel. oriented: from the survey. vote: majority of rays along x,
   y and z, for surfaces with holes. */
IG_MUST_CHECK ig_status ig_tri_surface_voxels(ig_ctx *cx, const ig_tri_surface *soup,
                                              const double *low, double edge, const ig_lid *n,
                                              bool oriented, bool vote, uint8_t *inside);

#endif
