/* The analysis of a stochastic ensemble Kalman filter (Evensen 1994, with perturbed observations as
   Burgers et al. 1998 have it). Of p independent observations of m members:

     S     predicted observations less their mean, p x m
     R     squares of the uncertainties, a diagonal matrix
     Z     (S S^T / (m - 1) + R)^-1 (measured + perturbation - predicted), p x m

   A quantity x of the members, a row of m numbers, becomes x + ((x - mean) S^T D / (m - 1)) Z. D is
   diagonal: how much x may follow each observation, 1 without localisation (the Schur product of
   Houtekamer and Mitchell 2001, between quantities and observations). With a linear model and
   normal distributions mean and covariance are those of the Kalman filter, exact to the sampling
   error of the ensemble. */
#ifndef IG_CHAIN_KALMAN_H
#define IG_CHAIN_KALMAN_H

#include "core/ctx.h"

/* Random numbers of the standard normal distribution, the same on every machine. */
double ig_normal_draw(uint64_t *state);

typedef struct {
  int p, m;
  double *s, *z; /* p x m */
  double fit;    /* mean square of the innovations, scaled by their covariance: about 1 if ensemble
                    and uncertainties are consistent */
} ig_kalman;

/* predicted: p x m; measured, uncertainty: p. Close it after a failure too. */
IG_MUST_CHECK ig_status ig_kalman_make(ig_ctx *cx, int p, int m, const double *predicted,
                                       const double *measured, const double *uncertainty,
                                       uint64_t *state, ig_kalman *kalman);
void ig_kalman_free(ig_kalman *kalman);
/* One quantity of all members after the analysis. share: p numbers, D; NULL: all 1. work: m. */
void ig_kalman_apply(const ig_kalman *kalman, const double *share, double *row, double *work);

/* Mean and standard deviation of a row of m numbers. */
void ig_ensemble_moments(int m, const double *row, double *mean, double *deviation);
/* Multiplies the distances from the mean by `factor`. */
void ig_ensemble_inflate(int m, double factor, double *row);
/* Correlation function of compact support (Gaspari and Cohn 1999, eq. 4.10): 1 at distance 0, 0
   from `reach` on. */
double ig_gaspari_cohn(double distance, double reach);

#endif
