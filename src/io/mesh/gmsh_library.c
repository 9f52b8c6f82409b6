/* The library of Gmsh: loading it at run time, its error messages, and element types. */
#ifdef INGOT_HAVE_GMSH

#include "io/mesh/mesh_gmsh.h"
#include "io/format/atomic_file.h"
#include "io/mesh/mesh_io.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Gmsh's state is global, in the child process that reads a file (mesh_read_isolated.c). */
ig_gmsh_api ig_gmsh;

/* By soname first, then by the file that was found at build time. All functions must be there:
   another major version may lack some. Loaded when first needed, so that a program without Gmsh
   starts and reads everything else. All functions must be there: an older library is refused as a
   whole. */
static bool library_open(void **library) {
  *library = dlopen(INGOT_GMSH_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (!*library)
    *library = dlopen(INGOT_GMSH_FILE, RTLD_NOW | RTLD_LOCAL);
  bool whole = *library != NULL;
#define X(name)                                                                                    \
  *(void **)&ig_gmsh.name = *library ? dlsym(*library, "gmsh" #name) : NULL;                       \
  whole = whole && ig_gmsh.name;
  GMSH_LIST(X)
#undef X
  return whole;
}

ig_status ig_gmsh_load(ig_ctx *cx, const char *path) {
  void *library;
  if (ig_gmsh.library)
    return IG_OK;
  if (!library_open(&library)) {
    const char *why = dlerror();
    const ig_status status =
        IG_FAIL(cx, IG_UNSUPPORTED, "%s: Gmsh's library (%s) does not load: %s", path,
                INGOT_GMSH_SONAME, why ? why : "it lacks a function");
    if (library)
      dlclose(library);
    return status;
  }
  ig_gmsh.library = library;
  return IG_OK;
}

/* Where no process can be made the answer is yes: the attempt to mesh will say what is missing. */
bool ig_mesh_gmsh_usable(void) {
  int how = 0;
  const pid_t child = fork();
  if (child == 0) {
    void *library;
    _exit(library_open(&library) ? 0 : 1);
  }
  pid_t ended = -1;
  while (child > 0 && (ended = waitpid(child, &how, 0)) < 0 && errno == EINTR)
    ;
  return ended != child || (WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

/* A script may fail because the sandbox denies access to a file; the message then names the
   rule. */
ig_status ig_gmsh_failed(ig_gmsh_reader *r, const char *what) {
  char *error = NULL;
  int ierr;
  ig_gmsh.LoggerGetLastError(&error, &ierr);
  const bool outside = error && ig_path_ends(r->path, ".geo") && strstr(error, "open");
  const ig_status status =
      IG_FAIL(r->cx, IG_INPUT, "%s: %s%s%.800s%s", r->path, what, error && *error ? ": " : "",
              error ? error : "",
              outside ? ": a script reads files in its folder and below, and saves files only on "
                        "kernels with Landlock (Linux 5.13)"
                      : "");
  ig_gmsh.Free(error);
  return status;
}

/* Gmsh's element type (Gmsh reference manual, MSH file format), our code, nodes, corners. */
static const ig_gmsh_elem elems[] = {
    {1, IG_BEAM2, 2, 2},          {8, -1, 3, 2},
    {2, IG_TRI3, 3, 3},           {9, IG_TRI6, 6, 3},
    {3, IG_QUAD4, 4, 4},          {16, IG_QUAD8, 8, 4},
    {10, IG_CELL_QUAD9, 9, 4},    {4, IG_TET4, 4, 4},
    {11, IG_TET10, 10, 4},        {5, IG_HEX8, 8, 8},
    {17, IG_HEX20, 20, 8},        {12, IG_CELL_HEX27, 27, 8},
    {6, IG_WEDGE6, 6, 6},         {18, IG_WEDGE15, 15, 6},
    {13, IG_CELL_WEDGE18, 18, 6}, {14, IG_CELL_PYRAMID14, 14, 5},
    {7, IG_PYRAMID5, 5, 5},       {19, IG_CELL_PYRAMID13, 13, 5},
};

/* By Gmsh's number of the element type; NULL: one that is not known. */
static const ig_gmsh_elem *elem_of(int gmsh) {
  for (size_t i = 0; i < sizeof elems / sizeof *elems; i++)
    if (elems[i].gmsh == gmsh)
      return &elems[i];
  return NULL;
}

/* Gmsh allocates all arrays; ig_gmsh_list_free frees them, also after a failure. */
int ig_gmsh_list(int dim, int entity, ig_gmsh_listed *l) {
  int ierr = 0;
  memset(l, 0, sizeof *l);
  ig_gmsh.ModelMeshGetElements(&l->type, &l->types, &l->tag, &l->tag_count, &l->tags, &l->node,
                               &l->node_count, &l->nodes, dim, entity, &ierr);
  return ierr;
}

/* What Gmsh allocates it must free: its allocator may be another one. */
void ig_gmsh_list_free(ig_gmsh_listed *l) {
  for (size_t i = 0; i < l->tags; i++)
    ig_gmsh.Free(l->tag[i]);
  for (size_t i = 0; i < l->nodes; i++)
    ig_gmsh.Free(l->node[i]);
  ig_gmsh.Free(l->type);
  ig_gmsh.Free(l->tag);
  ig_gmsh.Free(l->tag_count);
  ig_gmsh.Free(l->node);
  ig_gmsh.Free(l->node_count);
}

/* The element of first order that the corners of one of a higher order make; NULL: there is none.
 *name is freed by the caller. Corners come first in every element of Gmsh. */
static const ig_gmsh_elem *linear_of(int gmsh, char **name) {
  static const struct {
    int dim, corners, gmsh;
  } linear[] = {{1, 2, 1}, {2, 3, 2}, {2, 4, 3}, {3, 4, 4}, {3, 8, 5}, {3, 6, 6}, {3, 5, 7}};
  int dim = 0, order = 0, nodes, corners = 0, ierr = 0;
  double *local = NULL;
  size_t local_count = 0;
  ig_gmsh.ModelMeshGetElementProperties(gmsh, name, &dim, &order, &nodes, &local, &local_count,
                                        &corners, &ierr);
  ig_gmsh.Free(local);
  for (size_t i = 0; !ierr && order > 2 && i < sizeof linear / sizeof *linear; i++)
    if (linear[i].dim == dim && linear[i].corners == corners)
      return elem_of(linear[i].gmsh);
  return NULL;
}

/* Keeps the first `corners` of the nodes of each element. */
static void corners_keep(size_t *node, size_t *count, size_t elements, size_t corners) {
  const size_t nodes = elements ? *count / elements : 0;
  for (size_t e = 0; nodes >= corners && e < elements; e++)
    memmove(node + e * corners, node + e * nodes, corners * sizeof *node);
  *count = nodes >= corners ? elements * corners : *count;
}

/* An unknown type is an error only in the dimension that becomes the mesh; in lower dimensions it
   is ignored. Calls `take` with all elements of one type in one entity. Unknown types of the
   highest dimension are refused, lower ones are passed over. */
ig_status ig_gmsh_elements_each(ig_gmsh_reader *r, int dim, int entity, ig_gmsh_take *take,
                                void *user) {
  ig_gmsh_listed l;
  ig_status status =
      ig_gmsh_list(dim, entity, &l) ? ig_gmsh_failed(r, "Gmsh cannot list the elements") : IG_OK;
  for (size_t i = 0; i < l.types && status == IG_OK; i++) {
    const ig_gmsh_elem *kind = elem_of(l.type[i]);
    char *name = NULL;
    const ig_gmsh_elem *linear = !kind || kind->code < 0 ? linear_of(l.type[i], &name) : NULL;
    if (!kind && linear) {
      kind = linear;
      corners_keep(l.node[i], &l.node_count[i], l.tag_count[i], kind->nodes);
      if (dim == r->dim && entity < 0)
        ig_warn(r->cx,
                "%s: %zu elements of high order (%s) are taken by their corners: their other nodes "
                "are left out",
                r->path, l.tag_count[i], name ? name : "?");
    }
    if ((!kind || kind->code < 0) && dim == r->dim)
      status = IG_FAIL(r->cx, IG_INPUT,
                       "%s: the mesh has elements of Gmsh type %d (%s): expected lines, "
                       "triangles, quadrilaterals, tetrahedra, hexahedra, wedges or pyramids",
                       r->path, l.type[i], name ? name : "unknown");
    ig_gmsh.Free(name);
    if (!kind || status != IG_OK)
      continue;
    /* What the library returns is checked before it is used as an index. */
    if (l.node_count[i] != l.tag_count[i] * kind->nodes)
      status = IG_FAIL(r->cx, IG_INPUT, "%s: elements of Gmsh type %d have a wrong number of nodes",
                       r->path, l.type[i]);
    else
      status = take(r, kind, l.tag_count[i], l.tag[i], l.node[i], user);
  }
  ig_gmsh_list_free(&l);
  return status;
}

#endif
