/* Writers for other programs: Abaqus .inp (text), and the outer surface as STL. Gmsh's .msh is in
   mesh_write_msh.c. */
#include "io/mesh/mesh_io.h"
#include "core/number.h"
#include "io/format/atomic_file.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A memory stream reports lack of memory only at fclose or by ferror, so both are checked. */
ig_status ig_text_store(ig_ctx *cx, const char *path, FILE *f, char **text, const size_t *size) {
  const bool failed = ferror(f);
  const ig_status status = fclose(f) != 0 || failed
                               ? IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path)
                               : ig_store(cx, path, *text, *size);
  free(*text);
  return status;
}

/* --- .inp: Abaqus and CalculiX */

/* At most 16 numbers per line are allowed; 12 keep lines short. */
static void set_write(FILE *f, const ig_set *set) {
  fprintf(f, set->kind == IG_SET_NODES ? "*NSET, NSET=%s\n" : "*ELSET, ELSET=%s\n", set->name);
  for (ig_lid i = 0; i < set->count; i++)
    fprintf(f, "%d%s", set->item[i] + 1, i % 12 == 11 || i + 1 == set->count ? "\n" : ", ");
}

/* Abaqus numbers sides in an order of its own: the side is searched whose face it is. */
static void inp_surface_write(FILE *f, const ig_mesh *mesh, const ig_set *set) {
  fprintf(f, "*SURFACE, TYPE=ELEMENT, NAME=%s\n", set->name);
  for (ig_lid i = 0; i < set->count; i++) {
    ig_lid local;
    const ig_block *block = ig_mesh_element(mesh, set->item[i], &local);
    int side = 1;
    while (ig_inp_face(block->type, side) != set->face[i])
      side++;
    fprintf(f, "%d, S%d\n", set->item[i] + 1, side);
  }
}

/* Shortens "0.5" to ".5" and "e-05" to "e-5". */
static void number_trim(char *text) {
  char *first = text + (text[0] == '-'), *power = strchr(text, 'e');
  if (power) {
    char *to = power + 1 + (power[1] == '-'), *from = power + 2;
    from += strspn(from, "0");
    memmove(to, from, strlen(from) + 1);
  }
  if (first[0] == '0' && first[1] == '.')
    memmove(first, first + 1, strlen(first));
}

/* A number of at most 20 characters, because CalculiX reads no more: the shortest text that reads
   back as `value` if it fits, otherwise as many digits as fit (16, or 15 for negative numbers). */
const char *ig_inp_number(double value, char text[IG_NUMBER_TEXT]) {
  enum { MOST = 20 };
  if (ig_number_text(value, text) <= MOST)
    return text;
  for (int digits = 17; digits > 0; digits--)
    for (int power = 0; power < 2; power++) {
      if (power)
        ig_format(text, IG_NUMBER_TEXT, "%.*e", digits - 1, value);
      else
        ig_format(text, IG_NUMBER_TEXT, "%.*g", digits, value);
      number_trim(text);
      if (strlen(text) <= MOST)
        return text;
    }
  return text;
}

/* Element names by type, in the order of ig_elem_type; plane meshes become plane stress. Nodes,
   elements by type, sets, surfaces. Plane meshes get plane-stress types, which a reader may
   change. Quadratic triangles are S6, as CalculiX calls what Abaqus calls STRI65; it has no
   pyramids. */
void ig_inp_put(FILE *f, const ig_mesh *mesh) {
  static const char *const space[] = {"B31",  "S3",     "S6",    "S4",   "C3D4", "C3D10", "C3D8",
                                      "C3D6", "C3D20R", "C3D15", "C3D5", "S8R",  "B32R"};
  static const char *const plane[] = {"B31", "CPS3", "CPS6", "CPS4", "",      "",    "",
                                      "",    "",     "",     "",     "CPS8R", "B32R"};
  fprintf(f, "*HEADING\nIngot mesh\n*NODE\n");
  /* Numbers count from 1, as Abaqus has no 0. */
  for (ig_lid n = 0; n < mesh->nodes; n++) {
    char x[3][IG_NUMBER_TEXT];
    fprintf(f, "%d, %s, %s, %s\n", n + 1, ig_inp_number(mesh->x[3 * (size_t)n], x[0]),
            ig_inp_number(mesh->x[3 * (size_t)n + 1], x[1]),
            ig_inp_number(mesh->x[3 * (size_t)n + 2], x[2]));
  }
  ig_lid element = 0;
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int npe = ig_elem_info_get(block->type)->nodes;
    fprintf(f, "*ELEMENT, TYPE=%s\n", (mesh->dim == 2 ? plane : space)[block->type]);
    for (ig_lid e = 0; e < block->count; e++) {
      fprintf(f, "%d", ++element);
      const ig_lid *conn = block->conn + (size_t)e * (size_t)npe;
      static const int middle[] = {0, 2, 1}; /* of a beam comes second */
      for (int a = 0; a < npe; a++) /* at most 16 numbers in a line; a comma at its end goes on */
        fprintf(f, a == 15 ? ",\n%d" : ", %d", conn[block->type == IG_BEAM3 ? middle[a] : a] + 1);
      fputc('\n', f);
    }
  }
  /* Faces as surfaces, other sets as NSET and ELSET. */
  for (int s = 0; s < mesh->sets; s++)
    if (mesh->set[s].kind == IG_SET_FACES)
      inp_surface_write(f, mesh, &mesh->set[s]);
    else
      set_write(f, &mesh->set[s]);
}

/* Writes into memory first, then stores the file atomically. */
static ig_status text_store(ig_ctx *cx, const ig_mesh *mesh, const char *path,
                            void (*write)(FILE *, const ig_mesh *)) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path);
  write(f, mesh);
  return ig_text_store(cx, path, f, &text, &size);
}

/* Names must survive a round trip through the reader. */
ig_status ig_mesh_write_inp(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  for (int s = 0; s < mesh->sets; s++)
    if (strpbrk(mesh->set[s].name, ",=\"/") || strlen(mesh->set[s].name) > 53 ||
        ig_name_is_odd(mesh->set[s].name))
      return IG_FAIL(cx, IG_INPUT,
                     "set '%s' cannot be written to .inp: its name has ',', '=', '/', control "
                     "characters or spaces around it, or is longer than 53 letters",
                     mesh->set[s].name);
  return text_store(cx, mesh, path, ig_inp_put);
}

/* --- .stl: binary, single precision, in millimetres, as slicers expect */

/* Normal from the order of corners; zero for a triangle without area. */
static void triangle_write(FILE *f, const double *a, const double *b, const double *c) {
  float v[12] = {0};
  const double *corner[3] = {a, b, c};
  double n[3], length = 0;
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, g = (d + 2) % 3;
    n[d] = (b[e] - a[e]) * (c[g] - a[g]) - (b[g] - a[g]) * (c[e] - a[e]);
    length += n[d] * n[d];
  }
  /* The normal, then the corners in mm, single precision; two bytes of attributes are zero. */
  for (int d = 0; d < 3; d++) {
    v[d] = length > 0 ? (float)(n[d] / sqrt(length)) : 0;
    for (int k = 0; k < 3; k++)
      v[3 + 3 * k + d] = (float)(1e3 * corner[k][d]);
  }
  const uint16_t none = 0;
  fwrite(v, sizeof v, 1, f);
  fwrite(&none, sizeof none, 1, f);
}

static uint32_t face_write(FILE *f, const ig_mesh *mesh, const ig_lid *conn, const int *local,
                           int corners) {
  const double *x[4];
  for (int a = 0; a < corners; a++)
    x[a] = &mesh->x[3 * (size_t)conn[local ? local[a] : a]];
  for (int a = 2; f && a < corners; a++)
    triangle_write(f, x[0], x[a - 1], x[a]);
  return (uint32_t)(corners - 2);
}

/* Counts triangles, and writes them if there is a file: STL needs the count first. */
static uint32_t surface_write(FILE *f, const ig_mesh *mesh, const ig_boundary *b) {
  uint32_t count = 0;
  ig_lid local;
  for (ig_lid i = 0; i < b->count; i++) {
    const ig_block *block = ig_mesh_element(mesh, b->element[i], &local);
    const ig_elem_info *info = ig_elem_info_get(block->type);
    if (info->dim == 3)
      count += face_write(f, mesh, block->conn + (size_t)local * (size_t)info->nodes,
                          ig_elem_face(block->type, b->face[i]),
                          ig_elem_face_distinct(block->type, b->face[i]));
  }
  for (int k = 0; k < mesh->blocks; k++) {
    const ig_block *block = &mesh->block[k];
    const ig_elem_info *info = ig_elem_info_get(block->type);
    for (ig_lid e = 0; info->dim == 2 && e < block->count; e++)
      count += face_write(f, mesh, block->conn + (size_t)e * (size_t)info->nodes, NULL,
                          block->type == IG_QUAD4 || block->type == IG_QUAD8 ? 4 : 3);
  }
  return count;
}

/* Binary, in millimetres, as STL names no unit and most programs assume that. */
ig_status ig_mesh_write_stl(ig_ctx *cx, const ig_mesh *mesh, const char *path) {
  ig_boundary b = {0};
  char *text = NULL, head[80] = "Ingot mesh, millimetres";
  size_t size = 0;
  IG_TRY(ig_mesh_boundary(cx, mesh, &b));
  const uint32_t count = surface_write(NULL, mesh, &b);
  FILE *f = count ? open_memstream(&text, &size) : NULL;
  ig_status status = IG_OK;
  if (!count)
    status = IG_FAIL(cx, IG_INPUT, "%s: the mesh has no surface to write", path);
  else if (!f)
    status = IG_FAIL(cx, IG_MEMORY, "no memory to write '%s'", path);
  if (status == IG_OK) {
    fwrite(head, sizeof head, 1, f);
    fwrite(&count, sizeof count, 1, f);
    surface_write(f, mesh, &b);
    status = ig_text_store(cx, path, f, &text, &size);
  }
  ig_boundary_free(&b);
  return status;
}
