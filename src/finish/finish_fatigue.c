/* Damage by cycles of loads: von Mises stresses, mean stresses after Goodman or Sines, Basquin's
   line, and Miner's sum over the blocks of a spectrum.

     M = von Mises' stress and T = trace at the largest load of a cycle, R its ratio
     amplitude (1 - R)/2 M
     Goodman: a = amplitude / (1 - mean / ultimate), mean (1 + R)/2 M with the sign of T, above 0
     Sines:   a = amplitude + mean_stress (1 + R)/2 T, 0 at least
     N from a = coefficient (2N)^exponent,  damage = sum of cycles / N

   A stress that reaches the tensile strength is damage 1 at once. */
#include "finish/finish.h"

#include <math.h>

static double mises_of(const double *s) {
  const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  const double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * shear);
}

static double damage_of(const ig_fatigue_case *by, const ig_spectrum_case *block, const double *s) {
  const double mises = fabs(block->factor) * mises_of(s);
  const double trace = block->factor * (s[0] + s[1] + s[2]);
  const double amplitude = 0.5 * (1 - block->ratio) * mises, middle = 0.5 * (1 + block->ratio);
  if (mises >= by->ultimate)
    return fmax(1, block->cycles);
  const double to_and_fro =
      isnan(by->mean_stress)
          ? amplitude / (1 - fmax(0, middle * copysign(mises, trace)) / by->ultimate)
          : fmax(0, amplitude + by->mean_stress * middle * trace);
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
      damage[n] += damage_of(by, block, stress + 6 * (size_t)n);
  }
}
