/* Damage by cycles of loads: signed von Mises stresses, mean stresses after Goodman, Basquin's
   line, and Miner's sum over the blocks of a spectrum.

     S = sign(trace) von Mises' stress of the largest load of a cycle, R its ratio
     amplitude (1 - R)/2 |S|, mean (1 + R)/2 S
     a = amplitude / (1 - mean / ultimate), for means above 0
     N from a = coefficient (2N)^exponent,  damage = sum of cycles / N

   A stress that reaches the tensile strength is damage 1 at once. */
#include "finish/finish.h"

#include <math.h>

static double signed_mises(const double *s) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  const double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
  return copysign(sqrt(0.5 * (a * a + b * b + c * c) + 3 * shear), s[0] + s[1] + s[2]);
}

static double damage_of(const ig_fatigue_case *by, const ig_spectrum_case *block, double stress) {
  const double amplitude = 0.5 * (1 - block->ratio) * fabs(stress);
  const double mean = 0.5 * (1 + block->ratio) * stress;
  if (fabs(stress) >= by->ultimate)
    return fmax(1, block->cycles);
  const double to_and_fro = amplitude / (1 - fmax(0, mean) / by->ultimate);
  if (to_and_fro <= by->limit)
    return 0;
  return 2 * block->cycles / pow(to_and_fro / by->coefficient, 1 / by->exponent);
}

void ig_finish_damage_add(const ig_finished *f, const ig_fatigue_case *by, int q, ig_lid nodes,
                          const double *stress, double *damage) {
  const ig_list *spectrum = &f->t->finish.spectrum;
  for (int i = 0; i < spectrum->count; i++) {
    const ig_spectrum_case *block = IG_ITEM(ig_spectrum_case, *spectrum, i);
    for (ig_lid n = 0; n < nodes && block->load_case == q + 1; n++)
      damage[n] += damage_of(by, block, block->factor * signed_mises(stress + 6 * (size_t)n));
  }
}
