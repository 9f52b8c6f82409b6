/* What a room offers to ig_case_gradient (run/gradient.c): the derivative of a figure by every
   number that its set-up makes of a case, by one adjoint. The derivative of these numbers by a key
   is taken by differences of set-ups, which run/gradient.c makes. */
#ifndef IG_CORE_GRADIENT_H
#define IG_CORE_GRADIENT_H

#include "core/room.h"

typedef struct {
  double value;
  char unit[16];
  int64_t steps;
} ig_gradient_figure;

/* Values and derivatives of a field, allocated by the room and freed by the caller. */
typedef struct {
  int64_t count;
  double *value, *derivative;
} ig_gradient_field;

typedef struct {
  /* Beginnings of keys that may be asked for, and for messages what they are. */
  const char *const *keys;
  const char *expected;
  /* Whether a key that begins so has a derivative; NULL: all. */
  bool (*known)(const char *key);
  /* Runs the case and its adjoint. *self is set also on failure: close it. */
  ig_status (*open)(ig_job *job, const char *figure, void **self, ig_gradient_figure *found);
  /* What the figure would change by, to first order, in the case of another job. */
  ig_status (*difference)(void *self, ig_job *other, double *change);
  /* The figure of another job by a whole run. */
  ig_status (*run)(void *self, ig_job *other, const char *figure, double *value);
  /* Whether a key names a field; its values and derivatives. NULL: the room has none. `same`: a job
     of the same case. */
  bool (*is_field)(const char *key);
  ig_status (*field)(void *self, ig_job *same, const char *key, ig_gradient_field *field);
  void (*close)(void *self);
} ig_gradient_ops;

#endif
