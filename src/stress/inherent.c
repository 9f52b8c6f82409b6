/* Inherent strain as rows xx yy zz xy of a table. The shear xy is the tensor component. Rows are
   mean values over real layers where an element layer stands for several, as scan lines turn
   from layer to layer. */
#include "stress/model.h"

#include <math.h>

/* The mean strain of layers `first` to `first + layers - 1`: along the scan lines, across and up,
   turned about z. */
void ig_stress_inherent_turned(const ig_stress_inherent *in, double scale, double first, int layers,
                               double *row) {
  for (int i = 0; i < 4; i++)
    row[i] = 0;
  for (int k = 0; k < layers; k++) {
    /* cos and sin of 0 are written out: a case without rotation has the same bits everywhere */
    const double a = in->angle + (first + k) * in->rotation, c = a == 0 ? 1 : cos(a),
                 s = a == 0 ? 0 : sin(a), w = scale / layers;
    row[0] += w * (c * c * in->strain[0] + s * s * in->strain[1]);
    row[1] += w * (s * s * in->strain[0] + c * c * in->strain[1]);
    row[2] += w * in->strain[2];
    row[3] += w * c * s * (in->strain[0] - in->strain[1]);
  }
}

void ig_stress_inherent_row(const ig_stress_case *c, int i, double *row) {
  ig_stress_inherent_turned(IG_ITEM(const ig_stress_inherent, c->inherent, i), c->inherent_scale, 0,
                            1, row);
}
