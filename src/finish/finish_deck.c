/* The finished part as a deck of CalculiX and Abaqus: mesh, material, supports, and a static step
   for each load case, in SI units. Loads are forces of nodes: the deck means exactly what was
   analysed here. */
#include "finish/finish.h"
#include "core/number.h"
#include "io/mesh/mesh_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *number(double value, char text[IG_NUMBER_TEXT]) {
  return ig_inp_number(value, text);
}

static void model_write(const ig_finished *f, const ig_finish_model *m, FILE *to) {
  char a[IG_NUMBER_TEXT], b[IG_NUMBER_TEXT];
  for (int k = 0; k < f->materials; k++) {
    const ig_finish_material *one = &f->material[k];
    ig_lid count = 0;
    for (ig_lid e = 0; e < ig_mesh_elements(m->mesh); e++) {
      if (m->material[e] != k)
        continue;
      if (count++ == 0)
        fprintf(to, "*ELSET, ELSET=PART%d\n", k + 1);
      fprintf(to, "%d\n", e + 1);
    }
    if (count == 0)
      continue;
    fprintf(to, "*MATERIAL, NAME=PART%d\n*ELASTIC\n%s, %s\n", k + 1, number(one->young, a),
            number(one->poisson, b));
    if (one->density == one->density)
      fprintf(to, "*DENSITY\n%s\n", number(one->density, a));
    fprintf(to, "*SOLID SECTION, ELSET=PART%d, MATERIAL=PART%d\n", k + 1, k + 1);
  }
  fprintf(to, "*BOUNDARY\n");
  for (ig_lid n = 0; n < m->mesh->nodes; n++)
    for (int d = 0; d < 3; d++)
      if (m->fix[n] >> d & 1)
        fprintf(to, "%d, %d, %d, %s\n", n + 1, d + 1, d + 1,
                number(m->value[3 * (size_t)n + (size_t)d], a));
}

static void steps_write(const ig_finished *f, const ig_finish_model *m, FILE *to) {
  char a[IG_NUMBER_TEXT];
  for (int q = 0; q < f->cases; q++) {
    if (f->t->analysis.large_deflections) /* Hooke's law with Green's strain */
      fprintf(to, "*STEP, NLGEOM, INC=1000\n*STATIC\n%s, 1.\n*CLOAD, OP=NEW\n",
              number(1.0 / (double)f->t->analysis.load_steps, a));
    else
      fprintf(to, "*STEP\n*STATIC\n*CLOAD, OP=NEW\n");
    for (ig_lid n = 0; n < m->mesh->nodes; n++)
      for (int d = 0; d < 3; d++)
        if (m->force[q][3 * (size_t)n + (size_t)d] != 0)
          fprintf(to, "%d, %d, %s\n", n + 1, d + 1,
                  number(m->force[q][3 * (size_t)n + (size_t)d], a));
    fprintf(to, "*NODE FILE\nU\n*EL FILE\nS\n*END STEP\n");
  }
}

ig_status ig_finish_deck(const ig_finished *f, const ig_finish_model *m, const char *path) {
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (!to)
    return IG_FAIL(f->cx, IG_MEMORY, "no memory to write '%s'", path);
  ig_inp_put(to, m->mesh);
  model_write(f, m, to);
  steps_write(f, m, to);
  return ig_text_store(f->cx, path, to, &text, &size);
}
