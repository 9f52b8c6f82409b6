/* VTK's files in XML: .vtu, .pvtu, .vti. */
#ifndef IG_IO_FORMAT_VTK_XML_H
#define IG_IO_FORMAT_VTK_XML_H

#include "core/ctx.h"

/* A whole file in memory. */
typedef struct {
  ig_ctx *cx;
  const char *path;
  char *text, *end;
  const char *appended; /* behind the '_'; NULL: none */
  bool base64, compressed, big;
  int header; /* bytes of a size: 4 or 8 */
} ig_vtk_xml;

/* Reads a file of a type, as <VTKFile type=…> names it; free v->text. */
IG_MUST_CHECK ig_status ig_vtk_xml_open(ig_ctx *cx, const char *path, const char *type,
                                        ig_vtk_xml *v);
/* The next tag from p on whose name this is; *stop is its '>'. NULL: none before `end`. */
const char *ig_vtk_xml_tag(const char *p, const char *end, const char *name, const char **stop);
/* From <name …> to </name>. */
bool ig_vtk_xml_section(const char *from, const char *end, const char *name, const char **begin,
                        const char **stop);
/* The array of a name (NULL: the first) within a section. */
const char *ig_vtk_xml_array(const char *from, const char *end, const char *name,
                             const char **stop);
/* The type of an array whose tag this is: F, I or U, and bytes. */
IG_MUST_CHECK ig_status ig_vtk_xml_kind(const ig_vtk_xml *v, const char *tag, const char *stop,
                                        char *kind, int *size);
/* `count` numbers of the array whose tag this is. */
IG_MUST_CHECK ig_status ig_vtk_xml_values(const ig_vtk_xml *v, const char *tag, const char *stop,
                                          int64_t count, double *out);
/* More values than this the file cannot hold. */
int64_t ig_vtk_xml_most(const ig_vtk_xml *v);

#endif
