/* Numbers that remember how they were made, for the kernel sources included after this: the code
   that computes a force computes its transposed tangent, too (reverse-mode automatic
   differentiation, Griewank and Walther 2008). C++ only, after <stdlib.h> and <string.h>.

   An operation writes a row onto a tape: its operands and the derivatives by them. Going back over
   the rows from the last to the first turns bars (derivatives of one figure) of results into bars
   of everything that went in, at the cost of a few evaluations whatever the number of inputs; with
   dual numbers (prec_dual.h) it would take one pass per IG_DUAL inputs.

   A number is a row of the tape, with a lane for each of IG_PACK_F64 elements side by side; or a
   constant, the same in all lanes, on which no row is spent. Row 0 takes what constants would get.
   A product is no row until it is used: a sum of two products is one. Where all lanes take the same
   branch (R_IFGT), the branch is taken and not recorded. REAL and SCALAR are the same type, so that
   parameters have bars as well; comparisons look at the first lane, in which a parameter is what it
   is in all. Not guarded: it is included often. */
#ifndef __cplusplus
#error "numbers on a tape need C++"
#endif
#include "kern/prec_f64.h"

#ifndef IG_KERN_REVERSE
#define IG_KERN_REVERSE
#include "kern/pack.h"

/* s a b + s2 a2 b2, where operands that are not there are row 0 (its value is 1): PRODUCT has the
   first term alone, LINEAR a and a2 alone, MIXED all but b2, SUM all. GENERAL: derivatives by a and
   b are kept in `partial`, from place a2 on. */
enum ig_rev_kind { IG_REV_PRODUCT, IG_REV_LINEAR, IG_REV_MIXED, IG_REV_SUM, IG_REV_GENERAL };
struct ig_rev_row {
  int32_t kind, a, b, a2, b2;
  double s, s2;
};
struct ig_rev_tape {
  ig_pack_f64 *value, *bar, *partial;
  ig_rev_row *row;
  int32_t rows, room, partials, partial_room;
  bool failed; /* no memory: numbers mean nothing */
};
/* The tape that operations of this thread write to; set while a kernel is on it. */
static thread_local ig_rev_tape *ig_rev_now;

struct ig_rev {
  int32_t i; /* row; 0: the constant c */
  double c;
  ig_rev() = default;
  ig_rev(double v) : i(0), c(v) {}
};
/* s times two rows, or one (b: 0), or none. */
struct ig_rev_term {
  int32_t a, b;
  double s;
  ig_rev_term() = default;
  ig_rev_term(double v) : a(0), b(0), s(v) {}
  ig_rev_term(int32_t i, int32_t j, double by) : a(i), b(j), s(by) {}
  inline operator ig_rev() const;
};

#define IG_REV_HD static inline __attribute__((always_inline, unused))
#define IG_REV_FAR static __attribute__((noinline, unused))

template <class T> static bool ig_rev_more(T **at, int32_t used, int32_t room) {
  void *more = NULL;
  if (posix_memalign(&more, 64, (size_t)room * sizeof(T)) != 0)
    return false;
  if (used)
    memcpy(more, (const void *)*at, (size_t)used * sizeof(T));
  free((void *)*at);
  *at = (T *)more;
  return true;
}
IG_REV_FAR void ig_rev_grow(ig_rev_tape *t) {
  const int32_t room = t->room ? 2 * t->room : 1 << 14;
  if (room > 1 << 26 || !ig_rev_more(&t->value, t->rows, room) || !ig_rev_more(&t->bar, 0, room) ||
      !ig_rev_more(&t->row, t->rows, room)) {
    t->failed = true;
    t->rows = t->room ? 1 : 0; /* goes on in what there is */
    return;
  }
  t->room = room;
}
IG_REV_FAR void ig_rev_grow_partials(ig_rev_tape *t) {
  const int32_t room = t->partial_room ? 2 * t->partial_room : 1 << 13;
  if (room > 1 << 26 || !ig_rev_more(&t->partial, t->partials, room)) {
    t->failed = true;
    t->partials = 0;
    return;
  }
  t->partial_room = room;
}
IG_REV_HD ig_pack_f64 ig_rev_pack(double c) {
  return c - (ig_pack_f64){0};
}
/* An empty tape; row 0 is there. False: no memory. */
IG_REV_FAR bool ig_rev_clear(ig_rev_tape *t) {
  t->failed = false;
  if (!t->room)
    ig_rev_grow(t);
  if (!t->partial_room)
    ig_rev_grow_partials(t);
  if (t->room)
    t->value[0] = ig_rev_pack(1);
  t->rows = 1;
  t->partials = 0;
  return !t->failed;
}
IG_REV_FAR void ig_rev_free(ig_rev_tape *t) {
  free((void *)t->value);
  free((void *)t->bar);
  free((void *)t->partial);
  free(t->row);
}

IG_REV_HD ig_pack_f64 ig_rev_value(ig_rev x) {
  return x.i ? ig_rev_now->value[x.i] : ig_rev_pack(x.c);
}
IG_REV_HD ig_rev ig_rev_put(ig_rev_row row, ig_pack_f64 v) {
  ig_rev_tape *t = ig_rev_now;
  if (t->rows == t->room)
    ig_rev_grow(t);
  ig_rev r;
  r.i = t->rows++;
  r.c = 0;
  t->value[r.i] = v;
  t->row[r.i] = row;
  return r;
}
/* Something that goes in: its bar is looked at in the end. */
IG_REV_FAR ig_rev ig_rev_in(ig_pack_f64 v) {
  return ig_rev_put({IG_REV_LINEAR, 0, 0, 0, 0, 0, 0}, v);
}
IG_REV_HD ig_rev ig_rev_general(int32_t a, ig_pack_f64 pa, int32_t b, ig_pack_f64 pb,
                                ig_pack_f64 v) {
  ig_rev_tape *t = ig_rev_now;
  if (t->partials + 2 > t->partial_room)
    ig_rev_grow_partials(t);
  const int32_t p = t->partials;
  t->partials += 2;
  t->partial[p] = pa;
  t->partial[p + 1] = pb;
  return ig_rev_put({IG_REV_GENERAL, a, b, p, 0, 0, 0}, v);
}

/* Bars of all rows from those of results, which the caller has put: `bar` of the others is 0. */
IG_REV_FAR void ig_rev_back(ig_rev_tape *t) {
  ig_pack_f64 *const bar = t->bar;
  const ig_pack_f64 *const value = t->value;
  for (int32_t i = t->rows - 1; i > 0; i--) {
    const ig_rev_row *r = &t->row[i];
    const ig_pack_f64 b = bar[i];
    switch (r->kind) {
    case IG_REV_LINEAR:
      bar[r->a] += r->s * b;
      bar[r->a2] += r->s2 * b;
      break;
    case IG_REV_SUM: {
      const ig_pack_f64 s2 = r->s2 * b, va2 = value[r->a2], vb2 = value[r->b2];
      bar[r->a2] += vb2 * s2;
      bar[r->b2] += va2 * s2;
    } /* fall through */
    case IG_REV_PRODUCT: {
      const ig_pack_f64 s = r->s * b, va = value[r->a], vb = value[r->b];
      bar[r->a] += vb * s;
      bar[r->b] += va * s;
      break;
    }
    case IG_REV_MIXED: {
      const ig_pack_f64 s = r->s * b, va = value[r->a], vb = value[r->b];
      bar[r->a] += vb * s;
      bar[r->b] += va * s;
      bar[r->a2] += r->s2 * b;
      break;
    }
    default:
      bar[r->a] += t->partial[r->a2] * b;
      bar[r->b] += t->partial[r->a2 + 1] * b;
      break;
    }
  }
}

/* --- products and sums */

/* A term as a row: a product, or a row times a number. */
IG_REV_HD ig_rev ig_rev_multiply(ig_rev_term x) {
  const ig_pack_f64 *value = ig_rev_now->value;
  return x.b ? ig_rev_put({IG_REV_PRODUCT, x.a, x.b, 0, 0, x.s, 0}, x.s * value[x.a] * value[x.b])
             : ig_rev_put({IG_REV_LINEAR, x.a, 0, 0, 0, x.s, 0}, x.s * value[x.a]);
}
inline ig_rev_term::operator ig_rev() const {
  if (!a)
    return ig_rev(s);
  if (b || s != 1)
    return ig_rev_multiply(*this);
  ig_rev r;
  r.i = a;
  r.c = 0;
  return r;
}
IG_REV_HD ig_rev_term ig_rev_term_of(ig_rev x) {
  return x.i ? ig_rev_term(x.i, 0, 1) : ig_rev_term(x.c);
}
/* x + y, of which one at least is no constant. Terms with more operands come first. */
IG_REV_HD ig_rev ig_rev_add_terms(ig_rev_term x, ig_rev_term y) {
  const ig_pack_f64 *value = ig_rev_now->value;
  if ((y.b && !x.b) || !x.a) {
    const ig_rev_term z = x;
    x = y;
    y = z;
  }
  if (!x.b)
    return ig_rev_put({IG_REV_LINEAR, x.a, 0, y.a, 0, x.s, y.s},
                      x.s * value[x.a] + y.s * value[y.a]);
  const ig_pack_f64 first = value[x.a] * value[x.b];
  if (!y.b)
    return ig_rev_put({IG_REV_MIXED, x.a, x.b, y.a, 0, x.s, y.s}, x.s * first + y.s * value[y.a]);
  return ig_rev_put({IG_REV_SUM, x.a, x.b, y.a, y.b, x.s, y.s},
                    x.s * first + y.s * (value[y.a] * value[y.b]));
}
IG_REV_HD ig_rev ig_rev_sum(ig_rev_term x, ig_rev_term y) {
  return x.a | y.a ? ig_rev_add_terms(x, y) : ig_rev(x.s + y.s);
}
IG_REV_HD ig_rev_term ig_rev_times(ig_rev_term x, ig_rev_term y) {
  if (x.b && y.a)
    x = ig_rev_term_of((ig_rev)x);
  if (y.b && x.a)
    y = ig_rev_term_of((ig_rev)y);
  return x.a && y.a ? ig_rev_term(x.a, y.a, x.s * y.s)
                    : ig_rev_term(x.a | y.a, x.b | y.b, x.s * y.s);
}
IG_REV_HD ig_rev_term ig_rev_minus(ig_rev_term x) {
  x.s = -x.s;
  return x;
}
IG_REV_FAR ig_rev ig_rev_divide(ig_rev x, ig_rev y) {
  const ig_pack_f64 inverse = 1 / ig_rev_value(y), v = ig_rev_value(x) * inverse;
  return ig_rev_general(x.i, inverse, y.i, -v * inverse, v);
}
/* A function of one number: value and derivative. */
IG_REV_FAR ig_rev ig_rev_chain(ig_rev x, ig_pack_f64 v, ig_pack_f64 slope) {
  return ig_rev_general(x.i, slope, 0, (ig_pack_f64){0}, v);
}

#define IG_REV_TERM(x) ig_rev_as_term(x)
IG_REV_HD ig_rev_term ig_rev_as_term(ig_rev x) {
  return ig_rev_term_of(x);
}
IG_REV_HD ig_rev_term ig_rev_as_term(ig_rev_term x) {
  return x;
}
IG_REV_HD ig_rev_term ig_rev_as_term(double x) {
  return ig_rev_term(x);
}
#define IG_REV_PAIR(X, Y)                                                                          \
  IG_REV_HD ig_rev operator+(X x, Y y) {                                                           \
    return ig_rev_sum(IG_REV_TERM(x), IG_REV_TERM(y));                                             \
  }                                                                                                \
  IG_REV_HD ig_rev operator-(X x, Y y) {                                                           \
    return ig_rev_sum(IG_REV_TERM(x), ig_rev_minus(IG_REV_TERM(y)));                               \
  }                                                                                                \
  IG_REV_HD ig_rev_term operator*(X x, Y y) {                                                      \
    return ig_rev_times(IG_REV_TERM(x), IG_REV_TERM(y));                                           \
  }
IG_REV_PAIR(ig_rev, ig_rev)
IG_REV_PAIR(ig_rev, ig_rev_term)
IG_REV_PAIR(ig_rev, double)
IG_REV_PAIR(ig_rev_term, ig_rev)
IG_REV_PAIR(ig_rev_term, ig_rev_term)
IG_REV_PAIR(ig_rev_term, double)
IG_REV_PAIR(double, ig_rev)
IG_REV_PAIR(double, ig_rev_term)
#undef IG_REV_PAIR
IG_REV_HD ig_rev_term operator-(ig_rev x) {
  return ig_rev_minus(ig_rev_term_of(x));
}
IG_REV_HD ig_rev_term operator-(ig_rev_term x) {
  return ig_rev_minus(x);
}
IG_REV_HD ig_rev operator/(ig_rev x, ig_rev y) {
  return y.i ? ig_rev_divide(x, y) : (ig_rev)(ig_rev_term_of(x) * (1 / y.c));
}
IG_REV_HD ig_rev operator/(double x, ig_rev y) {
  return ig_rev(x) / y;
}
IG_REV_HD ig_rev_term operator/(ig_rev x, double y) {
  return ig_rev_term_of(x) * (1 / y);
}
IG_REV_HD ig_rev_term operator/(ig_rev_term x, double y) {
  return x * (1 / y);
}
IG_REV_HD ig_rev &operator+=(ig_rev &x, ig_rev y) {
  x = x + y;
  return x;
}
IG_REV_HD ig_rev &operator+=(ig_rev &x, ig_rev_term y) {
  x = x + y;
  return x;
}

/* The number in the first lane: all that `if` of kernel sources looks at. */
IG_REV_HD double ig_rev_first(ig_rev x) {
  return x.i ? ig_rev_now->value[x.i][0] : x.c;
}
#define IG_REV_COMPARE(op)                                                                         \
  IG_REV_HD bool operator op(ig_rev x, ig_rev y) {                                                 \
    return ig_rev_first(x) op ig_rev_first(y);                                                     \
  }                                                                                                \
  IG_REV_HD bool operator op(ig_rev x, double y) {                                                 \
    return ig_rev_first(x) op y;                                                                   \
  }
IG_REV_COMPARE(>)
IG_REV_COMPARE(<)
IG_REV_COMPARE(>=)
IG_REV_COMPARE(<=)
IG_REV_COMPARE(==)
IG_REV_COMPARE(!=)
#undef IG_REV_COMPARE

/* The slope at 0 is infinite; 0 is taken: what vanishes there (a norm) then has no derivative. */
IG_REV_FAR ig_rev ig_rev_sqrt(ig_rev x) {
  if (!x.i)
    return sqrt(x.c);
  const ig_pack_f64 r = ig_sqrt_f64(ig_rev_now->value[x.i]), none = {0};
  return ig_rev_chain(x, r, ig_ifgt_f64(r, none, 0.5 / r, none));
}
IG_REV_FAR ig_rev ig_rev_exp(ig_rev x) {
  if (!x.i)
    return exp(x.c);
  const ig_pack_f64 r = ig_exp_f64(ig_rev_now->value[x.i]);
  return ig_rev_chain(x, r, r);
}
IG_REV_FAR ig_rev ig_rev_log(ig_rev x) {
  if (!x.i)
    return log(x.c);
  const ig_pack_f64 v = ig_rev_now->value[x.i];
  return ig_rev_chain(x, ig_log_f64(v), 1 / v);
}
IG_REV_FAR ig_rev ig_rev_pow(ig_rev x, ig_rev y) {
  return ig_rev_exp(y * ig_rev_log(x));
}
/* Lanes in which x > y: none (0), some (1), all (2); `share` is 1 in these. */
IG_REV_FAR int ig_rev_above(ig_rev x, ig_rev y, ig_pack_f64 *share) {
  int count = 0;
  const ig_pack_f64 one = ig_rev_pack(1), none = {0};
  *share = ig_ifgt_f64(ig_rev_value(x), ig_rev_value(y), one, none);
  for (int l = 0; l < IG_PACK_F64; l++)
    count += (*share)[l] != 0;
  return count == 0 ? 0 : count == IG_PACK_F64 ? 2 : 1;
}
IG_REV_FAR ig_rev ig_rev_if(ig_rev a, ig_rev b, ig_rev x, ig_rev y) {
  ig_pack_f64 share;
  const int above = ig_rev_above(a, b, &share);
  if (above != 1)
    return above ? x : y;
  return ig_rev_general(
      x.i, share, y.i, 1 - share,
      ig_ifgt_f64(ig_rev_value(a), ig_rev_value(b), ig_rev_value(x), ig_rev_value(y)));
}
IG_REV_HD ig_rev ig_rev_max(ig_rev a, ig_rev b) {
  return ig_rev_if(a, b, a, b);
}
IG_REV_HD ig_rev ig_rev_min(ig_rev a, ig_rev b) {
  return ig_rev_if(a, b, b, a);
}
IG_REV_HD ig_rev ig_rev_abs(ig_rev a) {
  return ig_rev_if(ig_rev(0), a, -a, a);
}
IG_REV_HD int ig_rev_any(ig_rev x, ig_rev y) {
  ig_pack_f64 share;
  return ig_rev_above(x, y, &share) > 0;
}
#endif

#undef REAL
#undef FN
#undef SCALAR
#undef SFN
/* inlined everywhere, this code takes minutes to compile; its time is that of the tape */
#undef IG_HD
#define IG_HD static inline __attribute__((unused))
#define REAL ig_rev
#define FN(name) name##_rev
#define SCALAR ig_rev
#define SFN(name) name##_rev
#undef R_SQRT
#undef R_EXP
#undef R_LOG
#undef R_POW
#undef R_LANE_LOG
#undef R_LANE_EXP
#undef R_FMAX
#undef R_FMIN
#undef R_FABS
#undef R_OF
#undef R_IFGT
#undef R_ANYGT
#undef R_S_MAX
#undef R_S_POW
#undef R_S_SQRT
#undef R_S_LOG
#undef R_S_EXP
#define R_SQRT ig_rev_sqrt
#define R_EXP ig_rev_exp
#define R_LOG ig_rev_log
#define R_POW ig_rev_pow
#define R_LANE_LOG ig_rev_log
#define R_LANE_EXP ig_rev_exp
#define R_IFGT ig_rev_if
#define R_ANYGT ig_rev_any
#define R_FMAX ig_rev_max
#define R_FMIN ig_rev_min
#define R_FABS ig_rev_abs
#define R_OF(scalar) ig_rev(scalar)
#define R_S_MAX ig_rev_max
#define R_S_POW ig_rev_pow
#define R_S_SQRT ig_rev_sqrt
#define R_S_LOG ig_rev_log
#define R_S_EXP ig_rev_exp
#ifndef IG_KERN_REVERSE_SHARED /* what every kernel may use, once per file */
#define IG_KERN_REVERSE_SHARED
#include "kern/vec.inc"
#include "kern/tensor.inc"
#include "kern/quadrature.inc"
#include "kern/shape.inc"
#include "kern/hooke.inc"
#endif
