/* VTK's XML files: .vtu, .pvtu, .vti. */
#ifndef IG_IO_FORMAT_VTK_XML_H
#define IG_IO_FORMAT_VTK_XML_H

#include "core/ctx.h"

/* A whole file in memory. */
typedef struct {
  ig_ctx *cx;
  const char *path;
  char *text, *end;
  /* First byte behind the '_' of <AppendedData>; NULL: none. */
  const char *appended; /* behind the '_'; NULL: none */
  bool base64, compressed, big;
  int header; /* bytes of a size: 4 or 8 */
} ig_vtk_xml;

/* Reads a file of the given type (attribute of <VTKFile>). The caller frees v->text; after a
   failure nothing is left to free. */
IG_MUST_CHECK ig_status ig_vtk_xml_open(ig_ctx *cx, const char *path, const char *type,
                                        ig_vtk_xml *v);
/* The next tag named `name` from p on; *stop: its '>'. NULL: none before `end`. */
const char *ig_vtk_xml_tag(const char *p, const char *end, const char *name, const char **stop);
/* The content from <name ...> to </name>: *begin, *stop. false: there is none. */
bool ig_vtk_xml_section(const char *from, const char *end, const char *name, const char **begin,
                        const char **stop);
/* The DataArray of a name (NULL: the first) within a section; NULL: none. */
const char *ig_vtk_xml_array(const char *from, const char *end, const char *name,
                             const char **stop);
/* Type of an array: kind F, I or U, and bytes per value. */
IG_MUST_CHECK ig_status ig_vtk_xml_kind(const ig_vtk_xml *v, const char *tag, const char *stop,
                                        char *kind, int *size);
/* Reads `count` numbers of an array as doubles. */
IG_MUST_CHECK ig_status ig_vtk_xml_values(const ig_vtk_xml *v, const char *tag, const char *stop,
                                          int64_t count, double *out);
/* Upper limit of the values that the file can contain; checked before memory is allocated. */
int64_t ig_vtk_xml_most(const ig_vtk_xml *v);

#endif
