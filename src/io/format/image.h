/* Voxel images of parts from scanners, segmentation and NumPy: .vti, .nrrd, .nhdr, .npy. */
#ifndef IG_IO_FORMAT_IMAGE_H
#define IG_IO_FORMAT_IMAGE_H

#include "mesh/tri_surface.h"

/* An image after thresholding; freed by ig_image_free. */
typedef struct {
  /* Voxels along x, y, z. */
  int64_t n[3];
  double low[3], step[3]; /* lowest corner, edges of a voxel; in units of the file */
  double unit;            /* m; 0: the file names none */
  bool bare;              /* it says nothing of sizes either: steps of 1 */
  uint8_t *solid;         /* 1: the value is above the threshold; x runs fastest */
} ig_image;

/* Whether a file's name ends like an image's. */
bool ig_image_named(const char *path);
/* Reads an image. A voxel is solid if its value is above `threshold`. field: array of a .vti, NULL:
   its only one. Fails if no voxel is solid. */
IG_MUST_CHECK ig_status ig_image_read(ig_ctx *cx, const char *path, double threshold,
                                      const char *field, ig_image *image);
void ig_image_free(ig_image *image);
/* The faces between solid and empty voxels as triangles, two per face, oriented outwards. path: for
   messages. */
IG_MUST_CHECK ig_status ig_image_surface(ig_ctx *cx, const char *path, const ig_image *image,
                                         ig_tri_surface *soup);

/* --- for readers */

/* Allocates the voxels once n, step and low are set and checks them. most: number of values that
   the file can contain; more voxels are refused before memory is allocated. */
IG_MUST_CHECK ig_status ig_image_room(ig_ctx *cx, const char *path, double most, ig_image *image);
ig_status ig_image_read_vti(ig_ctx *cx, const char *path, double threshold, const char *field,
                            ig_image *m);
/* A number of 1, 2, 4 or 8 bytes; kind F (real), I (signed), U (unsigned); big: big endian. */
double ig_bytes_number(const unsigned char *p, char kind, int size, bool big);

#endif
