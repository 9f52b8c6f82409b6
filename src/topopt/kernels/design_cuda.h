/* What design_cuda.cu and design_sums_cuda.cu give the table in design_cuda.c: launchers with C
   linkage, one per function of ig_topopt_design_ops, where arguments are explained
   (kernels/design.h). */
#ifndef IG_TOPOPT_KERNELS_DESIGN_CUDA_H
#define IG_TOPOPT_KERNELS_DESIGN_CUDA_H

#include "topopt/kernels/design.h"

IG_C_BEGIN
ig_status ig_topopt_design_cuda_filter(ig_ctx *cx, const ig_grid *g, const ig_taps *taps,
                                       const uint8_t *role, const double *in, double *out);
ig_status ig_topopt_design_cuda_to_nodes(ig_ctx *cx, const ig_grid *g, double share,
                                         const double *in, double *out);
ig_status ig_topopt_design_cuda_to_elements(ig_ctx *cx, const ig_grid *g, const uint8_t *role,
                                            const double *in, double *out);
ig_status ig_topopt_design_cuda_print(ig_ctx *cx, const ig_print_layer *l, const uint8_t *role,
                                      const double *in, const double *below, double *out,
                                      double *now);
ig_status ig_topopt_design_cuda_print_back(ig_ctx *cx, const ig_print_layer *l, const uint8_t *role,
                                           const double *in, const double *printed,
                                           const double *above, double *now, double *slope);
ig_status ig_topopt_design_cuda_draw(ig_ctx *cx, const ig_grid *g, const ig_draw *d, int side,
                                     const uint8_t *role, const double *in, double *carry,
                                     double *out);
ig_status ig_topopt_design_cuda_draw_back(ig_ctx *cx, const ig_grid *g, const ig_draw *d, int side,
                                          const uint8_t *role, const double *in,
                                          const double *drawn, double *carry, double *slope);
ig_status ig_topopt_design_cuda_fold_sum(ig_ctx *cx, const ig_grid *g, const ig_fold *f,
                                         const uint8_t *role, const double *v, double *sum);
ig_status ig_topopt_design_cuda_fold_spread(ig_ctx *cx, const ig_grid *g, const ig_fold *f,
                                            const uint8_t *role, const double *sum,
                                            const double *count, double *v);
ig_status ig_topopt_design_cuda_average(ig_ctx *cx, const ig_links *links, double *v);
ig_status ig_topopt_design_cuda_node_scale(ig_ctx *cx, const ig_node_layout *l, const uint8_t *fix,
                                           const double *w, const double *x, double *y);
ig_status ig_topopt_design_cuda_node_dot(ig_ctx *cx, const ig_node_layout *l, const double *u,
                                         const double *v, double *out);
ig_status ig_topopt_design_cuda_mass(ig_ctx *cx, int64_t n, const uint8_t *role, double threshold,
                                     bool slope, const double *density, double *out);
ig_status ig_topopt_design_cuda_mix(ig_ctx *cx, int64_t n, double p, const double *a, double q,
                                    const double *b, double *out);
ig_status ig_topopt_design_cuda_powers(ig_ctx *cx, int64_t n, const double *w, const uint8_t *fix,
                                       const double *v, double inverse, double power, bool sign,
                                       double *out);
ig_status ig_topopt_design_cuda_physical(ig_ctx *cx, int64_t n, const uint8_t *role,
                                         const ig_law *law, const double *filtered, double *density,
                                         double *modulus);
ig_status ig_topopt_design_cuda_slope(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_law *law,
                                      const double *filtered, const double *density,
                                      const double *energy, double *dc, double *dv);
ig_status ig_topopt_design_cuda_map(ig_ctx *cx, int64_t n, const uint8_t *role, ig_map how,
                                    const double *a, const double *b, const double *c, double *out);
ig_status ig_topopt_design_cuda_asymptotes(ig_ctx *cx, int64_t n, const uint8_t *role, bool first,
                                           double share, const double *x, const double *old,
                                           const double *older, double *lower, double *upper);
ig_status ig_topopt_design_cuda_oc(ig_ctx *cx, int64_t n, const uint8_t *role, const ig_oc *oc,
                                   const double *x, const double *dc, const double *dv,
                                   double *work, double *out, double *multiplier);
ig_status ig_topopt_design_cuda_dual(ig_ctx *cx, int64_t n, const uint8_t *role,
                                     const ig_topopt_mma *mma, double *sums);
ig_status ig_topopt_design_cuda_mma(ig_ctx *cx, int64_t n, const uint8_t *role,
                                    const ig_topopt_mma *mma, double *out);
ig_status ig_topopt_design_cuda_stats(ig_ctx *cx, const ig_grid *g, int64_t n, const uint8_t *role,
                                      const ig_law *law, const double *x, const double *old,
                                      ig_topopt_design_stats *stats);
IG_C_END

#endif
