/* The analysis of a stochastic ensemble Kalman filter (Evensen 1994, with perturbed observations as
   Burgers et al. 1998 have it), in the space of the ensemble: any quantity of the
   members, x (a row of m numbers), becomes x + (x - mean) W with one matrix W (m x m).

     S     predicted observations less their mean, p x m
     C     S S^T / (m - 1) + R, R the diagonal of the squared uncertainties
     W     S^T C^-1 (measured + perturbation - predicted) / (m - 1)

   With a linear model and normal distributions mean and covariance are those of the Kalman filter,
   exact to the sampling error of the ensemble. */
#ifndef IG_CHAIN_KALMAN_H
#define IG_CHAIN_KALMAN_H

#include "core/ctx.h"

/* Random numbers of the standard normal distribution, the same on every machine. */
double ig_normal_draw(uint64_t *state);

/* W for p observations of m members. predicted: p x m; measured, uncertainty: p. *fit: the mean
   square of the innovations, scaled by C: about 1 if ensemble and uncertainties are consistent. */
IG_MUST_CHECK ig_status ig_kalman_weights(ig_ctx *cx, int p, int m, const double *predicted,
                                          const double *measured, const double *uncertainty,
                                          uint64_t *state, double *weights, double *fit);
/* Mean and standard deviation of a row of m numbers. */
void ig_ensemble_moments(int m, const double *row, double *mean, double *deviation);
/* Multiplies the distances from the mean by `factor`. */
void ig_ensemble_inflate(int m, double factor, double *row);
/* One quantity of all members after the analysis; `work`: m numbers. */
void ig_kalman_apply(int m, const double *weights, double *row, double *work);

#endif
