/* Partition by METIS (Karypis and Kumar 1998), which minimises the number of cut edges. The shared
   library is loaded by dlopen on first use: a program built with the headers of METIS also runs
   where the library is missing. */
#include "ranks/partition.h"
#include "core/kept_signals.h"

#ifdef INGOT_HAVE_METIS
#include <dlfcn.h>
#include <metis.h>
#include <stdlib.h>

/* Types of the two functions of METIS 5 that are used. idx_t may have 32 or 64 bits, as METIS was
   compiled. */
typedef int mesh_nodal(idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, real_t *,
                       idx_t *, idx_t *, idx_t *, idx_t *);
typedef int defaults(idx_t *);

/* A mesh in METIS' format: nodes of element e are node[start[e]] to node[start[e + 1] - 1]. */
typedef struct {
  idx_t elements, nodes, *start, *node, *element_part, *node_part;
} metis_mesh;

static ig_status mesh_list(ig_ctx *cx, const ig_mesh *mesh, metis_mesh *m) {
  int64_t length = 0;
  idx_t e = 0;
  for (int b = 0; b < mesh->blocks; b++)
    length += (int64_t)ig_elem_info_get(mesh->block[b].type)->nodes * mesh->block[b].count;
  m->elements = (idx_t)ig_mesh_elements(mesh);
  m->nodes = (idx_t)mesh->nodes;
  if (sizeof(idx_t) < 8 && length > INT32_MAX)
    return IG_FAIL(cx, IG_UNSUPPORTED,
                   "METIS with 32-bit numbers cannot take a mesh of %lld corners: use --partition "
                   "curve",
                   (long long)length);
  IG_TRY(IG_NEW(cx, &m->start, (size_t)m->elements + 1, "division by METIS"));
  IG_TRY(IG_NEW(cx, &m->node, (size_t)length + 1, "division by METIS"));
  IG_TRY(IG_NEW(cx, &m->element_part, (size_t)m->elements + 1, "division by METIS"));
  IG_TRY(IG_NEW(cx, &m->node_part, (size_t)m->nodes + 1, "division by METIS"));
  for (int b = 0; b < mesh->blocks; b++) {
    const ig_block *block = &mesh->block[b];
    const int npe = ig_elem_info_get(block->type)->nodes;
    for (ig_lid i = 0; i < block->count; i++, e++) {
      m->start[e + 1] = m->start[e] + npe;
      for (int a = 0; a < npe; a++)
        m->node[m->start[e] + a] = (idx_t)block->conn[(int64_t)npe * i + a];
    }
  }
  return IG_OK;
}

/* METIS_PartMeshNodal partitions the graph of nodes that share an element. METIS 4 has another
   signature, so version 5 is checked by the presence of METIS_SetDefaultOptions. The seed is fixed:
   the partition must be the same in each run. */
static ig_status divide(ig_ctx *cx, void *library, metis_mesh *m, int ranks) {
  mesh_nodal *part = NULL;
  defaults *usual = NULL;
  *(void **)&part = dlsym(library, "METIS_PartMeshNodal");
  *(void **)&usual = dlsym(library, "METIS_SetDefaultOptions");
  if (!part || !usual)
    return IG_FAIL(cx, IG_UNSUPPORTED, "this METIS is not version 5: use --partition curve");
  idx_t options[METIS_NOPTIONS], parts = ranks, cut = 0;
  (void)usual(options);
  options[METIS_OPTION_SEED] = 1; /* the same division every time */
  ig_kept_signals kept;
  ig_signals_keep(&kept);
  const int done = part(&m->elements, &m->nodes, m->start, m->node, NULL, NULL, &parts, NULL,
                        options, &cut, m->element_part, m->node_part);
  ig_signals_kept(&kept);
  return done == METIS_OK ? IG_OK
                          : IG_FAIL(cx, IG_NUMERIC,
                                    "METIS cannot divide this mesh between %d ranks "
                                    "(%d): use --partition curve",
                                    ranks, done);
}

ig_status ig_divide_metis(ig_ctx *cx, const ig_mesh *mesh, int ranks, int32_t *owner) {
  void *library = dlopen(INGOT_METIS_SONAME, RTLD_NOW | RTLD_LOCAL);
  metis_mesh m = {0};
  if (!library)
    return IG_FAIL(cx, IG_UNSUPPORTED, "METIS cannot be loaded (%s): use --partition curve",
                   dlerror());
  ig_status status = mesh_list(cx, mesh, &m);
  if (status == IG_OK && m.elements > 0 && ranks > 1)
    status = divide(cx, library, &m, ranks);
  for (ig_lid n = 0; n < mesh->nodes && status == IG_OK; n++)
    owner[n] = (int32_t)m.node_part[n];
  free(m.start);
  free(m.node);
  free(m.element_part);
  free(m.node_part);
  dlclose(library);
  return status;
}

bool ig_divide_has_metis(void) {
  return true;
}
#else
ig_status ig_divide_metis(ig_ctx *cx, const ig_mesh *mesh, int ranks, int32_t *owner) {
  (void)mesh, (void)ranks, (void)owner;
  return IG_FAIL(cx, IG_UNSUPPORTED,
                 "METIS is not compiled in: install libmetis-dev and configure "
                 "again, or use --partition curve");
}

bool ig_divide_has_metis(void) {
  return false;
}
#endif
