/* Constraints, the pattern of the matrix, and assembly (system.h).

   Equal bits whatever the number of threads: elements of a chunk are evaluated in parallel into
   scratch, then forces are added by one thread, and tangents by all, each thread its own range of
   rows. Every number of the matrix so gets its contributions in the order of elements. */
#include "implicit/system.h"
#include "core/threads.h"
#include "core/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ig_status ig_system_new(ig_ctx *cx, int32_t unknowns, ig_system **to) {
  ig_system *s;
  const size_t n = (size_t)unknowns + 1;
  IG_TRY(IG_NEW(cx, &s, 1, "equations"));
  *to = s;
  s->cx = cx;
  s->unknowns = unknowns;
  IG_TRY(IG_NEW(cx, &s->equation, n, "equations"));
  IG_TRY(IG_NEW(cx, &s->term_first, n, "equations"));
  IG_TRY(IG_NEW(cx, &s->shift, n, "equations"));
  IG_TRY(IG_NEW(cx, &s->kind, n, "equations"));
  IG_TRY(IG_NEW(cx, &s->row, n, "equations"));
  for (int32_t i = 0; i < unknowns; i++)
    s->row[i] = -1;
  return IG_OK;
}

void ig_system_free(ig_system *s) {
  if (!s)
    return;
  free(s->equation);
  free(s->term);
  free(s->term_first);
  free(s->factor);
  free(s->shift);
  free(s->kind);
  free(s->first);
  free(s->column);
  free(s->value);
  free(s->row);
  free(s->master);
  free(s->constraint);
  free(s->coefficient);
  free(s->sequence);
  free(s->f);
  free(s->k);
  free(s);
}

/* A constraint that is replaced stays in the list and is never looked at again. */
ig_status ig_system_constrain(ig_system *s, int32_t slave, int32_t terms, const int32_t *master,
                              const double *coefficient, double g, int32_t *number) {
  IG_TRY(IG_MORE(s->cx, &s->constraint, s->constraints, "constraints"));
  ig_constraint *c = &s->constraint[s->constraints];
  *c = (ig_constraint){slave, terms, s->masters, g};
  for (int32_t i = 0; i < terms; i++) {
    IG_TRY(IG_MORE(s->cx, &s->master, s->masters, "constraints"));
    IG_TRY(IG_MORE(s->cx, &s->coefficient, s->masters, "constraints"));
    s->master[s->masters] = master[i];
    s->coefficient[s->masters++] = coefficient[i];
  }
  if (number)
    *number = s->constraints;
  s->row[slave] = s->constraints++;
  return IG_OK;
}

/* Constraints in an order in which masters come before what depends on them; a circle is an error.
 */
static ig_status sequence_make(ig_system *s) {
  int32_t *stack = NULL, done = 0;
  uint8_t *seen = NULL; /* 1: on the way, 2: in the sequence */
  ig_status status = IG_OK;
  free(s->sequence);
  s->sequence = NULL;
  IG_TRY(IG_NEW(s->cx, &s->sequence, (size_t)s->constraints + 1, "constraints"));
  IG_TRY_GOTO(status, end, IG_NEW(s->cx, &stack, (size_t)s->constraints + 1, "constraints"));
  IG_TRY_GOTO(status, end, IG_NEW(s->cx, &seen, (size_t)s->constraints + 1, "constraints"));
  for (int32_t i = 0; i < s->constraints; i++) {
    int32_t depth = 0;
    if (seen[i] || s->row[s->constraint[i].slave] != i)
      continue;
    stack[depth++] = i;
    while (depth > 0) {
      const int32_t k = stack[depth - 1];
      const ig_constraint *c = &s->constraint[k];
      int32_t open = -1;
      seen[k] = 1;
      for (int32_t t = 0; t < c->terms && open < 0; t++) {
        const int32_t on = s->row[s->master[c->at + (size_t)t]];
        if (on >= 0 && seen[on] == 1) {
          status =
              IG_FAIL(s->cx, IG_INPUT, "constraints go round in a circle at unknown %d", c->slave);
          goto end;
        }
        if (on >= 0 && seen[on] == 0)
          open = on;
      }
      if (open >= 0)
        stack[depth++] = open;
      else {
        seen[k] = 2;
        s->sequence[done++] = k;
        depth--;
      }
    }
  }
  s->sequence[done] = -1;
end:
  free(stack);
  free(seen);
  return status;
}

/* Equations that constraint rows stand for; ones that occur twice are kept twice. Here the
   equations are numbered. Before, equation[] holds 0 for unknowns that occur in an element or a
   constraint and -1 for others; after, -1 also for constrained ones. */
static ig_status terms_make(ig_system *s) {
  int32_t *count, n = 0;
  IG_TRY(IG_NEW(s->cx, &count, (size_t)s->unknowns + 1, "constraints"));
  for (int32_t i = 0; i < s->unknowns; i++)
    count[i] = s->row[i] < 0 && s->equation[i] >= 0 ? 1 : 0;
  for (int32_t i = 0; i < s->unknowns; i++)
    if (s->equation[i] >= 0)
      s->equation[i] = s->row[i] < 0 ? n++ : -1;
  s->equations = n;
  for (int32_t i = 0; s->sequence[i] >= 0; i++) {
    const ig_constraint *c = &s->constraint[s->sequence[i]];
    for (int32_t t = 0; t < c->terms; t++)
      count[c->slave] += count[s->master[c->at + (size_t)t]];
  }
  for (int32_t i = 0; i < s->unknowns; i++)
    s->term_first[i + 1] = s->term_first[i] + count[i];
  free(count);
  IG_TRY(IG_NEW(s->cx, &s->term, (size_t)s->term_first[s->unknowns] + 1, "constraints"));
  return IG_NEW(s->cx, &s->factor, (size_t)s->term_first[s->unknowns] + 1, "constraints");
}

/* In `sequence`, so that masters are sums over equations before their slaves are. */
void ig_system_resolve(ig_system *s) {
  for (int32_t i = 0; i < s->unknowns; i++) {
    s->shift[i] = 0;
    if (s->equation[i] >= 0) {
      s->term[s->term_first[i]] = s->equation[i];
      s->factor[s->term_first[i]] = 1;
    }
  }
  for (int32_t i = 0; s->sequence[i] >= 0; i++) {
    const ig_constraint *c = &s->constraint[s->sequence[i]];
    int64_t at = s->term_first[c->slave];
    s->shift[c->slave] = c->g;
    for (int32_t t = 0; t < c->terms; t++) {
      const int32_t m = s->master[c->at + (size_t)t];
      const double b = s->coefficient[c->at + (size_t)t];
      s->shift[c->slave] += b * s->shift[m];
      for (int64_t k = s->term_first[m]; k < s->term_first[m + 1]; k++, at++) {
        s->term[at] = s->term[k];
        s->factor[at] = b * s->factor[k];
      }
    }
  }
}

/* --- the pattern */

/* Equations of an element, each once, rising; returns how many. */
static int32_t element_equations(const ig_system *s, const ig_implicit_group *g, int32_t e,
                                 int32_t *list) {
  int32_t n = 0, kept = 0;
  for (int i = 0; i < g->unknowns; i++) {
    const int32_t u = g->unknown[(int64_t)e * g->unknowns + i];
    for (int64_t k = u < 0 ? 0 : s->term_first[u]; u >= 0 && k < s->term_first[u + 1]; k++)
      list[n++] = s->term[k];
  }
  qsort(list, (size_t)n, sizeof *list, ig_rising_i32);
  for (int32_t i = 0; i < n; i++)
    if (i == 0 || list[i] != list[i - 1])
      list[kept++] = list[i];
  return kept;
}

/* Longest list an element may have. */
static int64_t element_most(const ig_system *s, int groups, const ig_implicit_group *group) {
  int64_t most = 1;
  for (int g = 0; g < groups; g++)
    for (int32_t e = 0; e < group[g].count; e++) {
      int64_t n = 0;
      for (int i = 0; i < group[g].unknowns; i++) {
        const int32_t u = group[g].unknown[(int64_t)e * group[g].unknowns + i];
        n += u < 0 ? 0 : s->term_first[u + 1] - s->term_first[u];
      }
      most = n > most ? n : most;
    }
  return most;
}

/* Equations of all elements, one after the other. */
typedef struct {
  int64_t elements, *first;
  int32_t *list;
} lists;

/* `list` has space for equations that occur twice; what is left of it stays unused. */
static ig_status lists_make(const ig_system *s, int groups, const ig_implicit_group *group,
                            lists *l) {
  int64_t room = 0, e = 0;
  for (int g = 0; g < groups; g++)
    l->elements += group[g].count;
  IG_TRY(IG_NEW(s->cx, &l->first, (size_t)l->elements + 1, "pattern"));
  for (int g = 0; g < groups; g++)
    for (int64_t i = 0; i < (int64_t)group[g].count * group[g].unknowns; i++) {
      const int32_t u = group[g].unknown[i];
      room += u < 0 ? 0 : s->term_first[u + 1] - s->term_first[u];
    }
  IG_TRY(IG_NEW(s->cx, &l->list, (size_t)room + 1, "pattern"));
  for (int g = 0; g < groups; g++)
    for (int32_t i = 0; i < group[g].count; i++, e++)
      l->first[e + 1] = l->first[e] + element_equations(s, &group[g], i, l->list + l->first[e]);
  return IG_OK;
}

/* Elements of each equation by counting; then the union of their lists, row by row, in two passes:
   length, columns. The diagonal is always there, also of an equation without elements. */
static ig_status pattern_make(ig_system *s, const lists *l) {
  const int32_t n = s->equations;
  int64_t *at = NULL, count = 0;
  int32_t *element = NULL, *mark = NULL;
  ig_status status = IG_OK;
  IG_TRY(IG_NEW(s->cx, &s->first, (size_t)n + 1, "pattern"));
  IG_TRY(IG_NEW(s->cx, &at, (size_t)n + 2, "pattern"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &element, (size_t)l->first[l->elements] + 1, "pattern"));
  IG_TRY_GOTO(status, done, IG_NEW(s->cx, &mark, (size_t)n + 1, "pattern"));
  for (int64_t i = 0; i < l->first[l->elements]; i++)
    at[l->list[i] + 2]++;
  for (int32_t i = 0; i < n; i++)
    at[i + 2] += at[i + 1];
  for (int64_t e = 0; e < l->elements; e++)
    for (int64_t i = l->first[e]; i < l->first[e + 1]; i++)
      element[at[l->list[i] + 1]++] = (int32_t)e;
  for (int pass = 0; pass < 2 && status == IG_OK; pass++) {
    for (int32_t i = 0; i < n; i++)
      mark[i] = -1;
    count = 0;
    for (int32_t i = 0; i < n; i++) {
      const int64_t begin = count;
      mark[i] = i;
      if (pass)
        s->column[count] = i;
      count++;
      for (int64_t k = at[i]; k < at[i + 1]; k++)
        for (int64_t j = l->first[element[k]]; j < l->first[element[k] + 1]; j++) {
          const int32_t c = l->list[j];
          if (mark[c] == i)
            continue;
          mark[c] = i;
          if (pass)
            s->column[count] = c;
          count++;
        }
      if (pass) {
        qsort(s->column + begin, (size_t)(count - begin), sizeof *s->column, ig_rising_i32);
        s->first[i + 1] = count;
      }
    }
    if (pass == 0)
      status = IG_NEW(s->cx, &s->column, (size_t)count + 1, "pattern");
  }
  if (status == IG_OK)
    status = IG_NEW(s->cx, &s->value, (size_t)count + 1, "matrix");
done:
  free(at);
  free(element);
  free(mark);
  return status;
}

enum { CHUNK = 512 }; /* elements evaluated before they are added */

ig_status ig_system_close(ig_system *s, int groups, const ig_implicit_group *group) {
  lists l = {0};
  int most = 1;
  void **const made[] = {(void **)&s->term,   (void **)&s->factor, (void **)&s->first,
                         (void **)&s->column, (void **)&s->value,  (void **)&s->f,
                         (void **)&s->k};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) { /* of a former call */
    free(*made[i]);
    *made[i] = NULL;
  }
  for (int32_t i = 0; i < s->unknowns; i++)
    s->equation[i] = -1;
  for (int g = 0; g < groups; g++) {
    most = group[g].unknowns > most ? group[g].unknowns : most;
    for (int64_t i = 0; i < (int64_t)group[g].count * group[g].unknowns; i++)
      if (group[g].unknown[i] >= 0)
        s->equation[group[g].unknown[i]] = 0;
  }
  /* masters count too */
  for (size_t i = 0; i < s->masters; i++)
    s->equation[s->master[i]] = 0;
  IG_TRY(sequence_make(s));
  IG_TRY(terms_make(s));
  ig_system_resolve(s);
  ig_status status = lists_make(s, groups, group, &l);
  if (status == IG_OK)
    status = pattern_make(s, &l);
  free(l.first);
  free(l.list);
  IG_TRY(status);
  IG_TRY(IG_NEW(s->cx, &s->f, (size_t)CHUNK * most, "elements"));
  return IG_NEW(s->cx, &s->k, (size_t)CHUNK * most * most, "elements");
}

/* --- vectors */

void ig_system_spread(const ig_system *s, const double *v, double *u) {
  for (int32_t i = 0; i < s->unknowns; i++) {
    u[i] = s->shift[i];
    for (int64_t k = s->term_first[i]; k < s->term_first[i + 1]; k++)
      u[i] += s->factor[k] * v[s->term[k]];
  }
}

/* The sequence ends with -1: constraints that were replaced are not in it. */
void ig_system_carry(const ig_system *s, double *f) {
  int32_t last = 0;
  while (s->sequence[last] >= 0)
    last++;
  for (int32_t i = last - 1; i >= 0; i--) {
    const ig_constraint *c = &s->constraint[s->sequence[i]];
    for (int32_t k = 0; k < c->terms; k++)
      f[s->master[c->at + (size_t)k]] += s->coefficient[c->at + (size_t)k] * f[c->slave];
  }
}

/* One thread, in the order of unknowns: threads would change the order of sums. */
void ig_system_reduce(const ig_system *s, const double *f, double *r) {
  memset(r, 0, (size_t)s->equations * sizeof *r);
  for (int32_t i = 0; i < s->unknowns; i++)
    for (int64_t k = s->term_first[i]; k < s->term_first[i + 1]; k++)
      r[s->term[k]] += s->factor[k] * f[i];
}

void ig_system_times(const ig_system *s, const double *x, double *y) {
#pragma omp parallel for schedule(static) num_threads(ig_team(s->cx, s->equations, IG_WORK_ELEMENT))
  for (int32_t i = 0; i < s->equations; i++) {
    double sum = 0;
    for (int64_t k = s->first[i]; k < s->first[i + 1]; k++)
      sum += s->value[k] * x[s->column[k]];
    y[i] = sum;
  }
}

/* --- assembly */

/* One number of an element, as the equations see it. */
typedef struct {
  int32_t equation, local;
  double factor;
} share;

static int by_equation(const void *a, const void *b) {
  const share *p = a, *q = b;
  if (p->equation != q->equation)
    return p->equation < q->equation ? -1 : 1;
  return (p->local > q->local) - (p->local < q->local);
}

/* Adds an element's tangent to rows begin ... end - 1, as C^T k C: each number of the element
   reaches every equation that its unknowns are sums of. Columns are sorted as those of the matrix,
   so that one walk along the row finds all places. list: scratch of one thread. */
static void tangent_add(ig_system *s, const ig_implicit_group *g, int32_t e, const double *k,
                        share *list, int32_t begin, int32_t end) {
  const int n = g->unknowns;
  int count = 0;
  bool sorted = true;
  for (int i = 0; i < n; i++) {
    const int32_t u = g->unknown[(int64_t)e * n + i];
    for (int64_t t = u < 0 ? 0 : s->term_first[u]; u >= 0 && t < s->term_first[u + 1]; t++) {
      sorted &= count == 0 || list[count - 1].equation < s->term[t];
      list[count++] = (share){s->term[t], i, s->factor[t]};
    }
  }
  if (!sorted)
    qsort(list, (size_t)count, sizeof *list, by_equation);
  for (int a = 0; a < count; a++) {
    const int32_t row = list[a].equation;
    if (row < begin || row >= end)
      continue;
    const double *from = k + (int64_t)list[a].local * n;
    int64_t at = s->first[row];
    for (int b = 0; b < count; b++) {
      while (s->column[at] < list[b].equation)
        at++;
      s->value[at] += list[a].factor * list[b].factor * from[list[b].local];
    }
  }
}

typedef struct {
  ig_system *s;
  const ig_implicit_group *g;
  const ig_trial *at;
  bool tangent;
  const double *push;
  int32_t begin, end;
  share *list;
  int64_t most;
} chunk;

/* Evaluates up to CHUNK elements and adds them. Pieces of 32 keep threads equally busy where
   elements differ in cost (plastic ones). Of several elements that cannot be computed the one with
   the lowest number is reported, whatever thread met it first. */
static ig_status chunk_do(const chunk *c, double *f, double size[2], double count[2],
                          ig_trouble *trouble) {
  ig_system *s = c->s;
  const ig_implicit_group *g = c->g;
  const int n = g->unknowns, team = ig_team(s->cx, c->end - c->begin, IG_WORK_ROW);
  ig_status status = IG_OK;
  ig_trouble worst = {-1, NULL};
  const int32_t piece = 32, pieces = (c->end - c->begin + piece - 1) / piece;
#pragma omp parallel for schedule(dynamic, 1) num_threads(team)
  for (int32_t p = 0; p < pieces; p++) {
    ig_trouble mine = {-1, NULL};
    const int32_t b = c->begin + p * piece, e = b + piece < c->end ? b + piece : c->end;
    const int64_t at = b - c->begin;
    const ig_status one = g->evaluate(g->self, c->at, b, e, s->f + at * n,
                                      c->tangent ? s->k + at * n * n : NULL, &mine);
    if (one != IG_OK || mine.element >= 0)
#pragma omp critical(ig_implicit)
    {
      status = one != IG_OK ? one : status;
      if (mine.element >= 0 && (worst.element < 0 || mine.element < worst.element))
        worst = mine;
    }
  }
  *trouble = worst;
  if (status != IG_OK || worst.element >= 0)
    return status;
  for (int32_t e = c->begin; e < c->end; e++)
    for (int i = 0; i < n; i++) {
      const int32_t u = g->unknown[(int64_t)e * n + i];
      const double v = s->f[(int64_t)(e - c->begin) * n + i];
      if (u < 0)
        continue;
      f[u] += v;
      for (int j = 0; j < (c->push ? n : 0); j++) {
        const int32_t w = g->unknown[(int64_t)e * n + j];
        f[u] += w < 0 ? 0 : s->k[((int64_t)(e - c->begin) * n + i) * n + j] * c->push[w];
      }
      size[s->kind[u]] += fabs(v);
      count[s->kind[u]]++;
    }
  if (c->tangent) {
    const int threads = ig_team(s->cx, c->end - c->begin, IG_WORK_ROW);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++) {
      const int32_t begin = (int32_t)((int64_t)s->equations * t / threads);
      const int32_t end = (int32_t)((int64_t)s->equations * (t + 1) / threads);
      for (int32_t e = c->begin; e < c->end; e++)
        tangent_add(s, g, e, s->k + (int64_t)(e - c->begin) * n * n, c->list + t * c->most, begin,
                    end);
    }
  }
  return IG_OK;
}

ig_status ig_system_assemble(ig_system *s, int groups, const ig_implicit_group *group,
                             const ig_trial *at, bool tangent, const double *push, double *f,
                             double size[2], double count[2], int *trouble_group,
                             ig_trouble *trouble) {
  share *list = NULL;
  ig_status status = IG_OK;
  const int64_t most = element_most(s, groups, group);
  *trouble = (ig_trouble){-1, NULL};
  size[0] = size[1] = count[0] = count[1] = 0;
  if (tangent) {
    IG_TRY(IG_NEW(s->cx, &list, (size_t)(most * (s->cx->threads + 1)), "assembly"));
    memset(s->value, 0, (size_t)s->first[s->equations] * sizeof *s->value);
  }
  for (int g = 0; g < groups && status == IG_OK && trouble->element < 0; g++)
    for (int32_t b = 0; b < group[g].count && status == IG_OK && trouble->element < 0; b += CHUNK) {
      const int32_t end = b + CHUNK < group[g].count ? b + CHUNK : group[g].count;
      const chunk c = {s, &group[g], at, tangent, push, b, end, list, most};
      *trouble_group = g;
      status = chunk_do(&c, f, size, count, trouble);
    }
  free(list);
  return status;
}
