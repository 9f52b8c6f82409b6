/* Options: what a case file may say, declared once.

   A table of ig_option describes a C struct. From that one table come parsing, defaults, units,
   range checks, error messages with the nearest valid key, docs/reference/case-reference.md and
   shell completion. The key in the case file is the name of the struct member.

   Every struct filled from a case begins with `ig_src at`, the place it was read from, so that a
   room can say where a value that is wrong in its context stands. */
#ifndef IG_CORE_OPTION_H
#define IG_CORE_OPTION_H

#include "core/ctx.h"

typedef struct {
  const char *file; /* NULL: made by a program */
  int line, column; /* from 1; 0: `file` is no file but says where it is from ("--set title") */
  bool given;       /* false: the whole section was left out and holds defaults */
} ig_src;

/* Fails with IG_INPUT and "file:line:column: message", on one line. */
ig_status ig_fail_at(ig_ctx *cx, const ig_src *at, const char *format, ...) IG_PRINTF(3, 4);
void ig_warn_at(ig_ctx *cx, const ig_src *at, const char *format, ...) IG_PRINTF(3, 4);

typedef enum {
  IG_OPT_BOOL,    /* bool; false when optional and not given */
  IG_OPT_INT,     /* int64_t; 0 when optional and not given */
  IG_OPT_REAL,    /* double, in SI; NaN when optional and not given */
  IG_OPT_TEXT,    /* const char *; NULL when optional and not given */
  IG_OPT_FILE,    /* const char *: an input, its path found from the case file's folder */
  IG_OPT_CHOICE,  /* int: place in `choices`; -1 when optional and not given */
  IG_OPT_VECTOR,  /* double[length], in SI; NaNs when optional and not given */
  IG_OPT_IVECTOR, /* int64_t[length]; zeros when optional and not given */
  IG_OPT_REALS,   /* ig_reals: any number of them; one scalar is a list of one */
  IG_OPT_TEXTS,   /* ig_texts: any number of them; one scalar is a list of one */
  IG_OPT_TABLE,   /* ig_table: rows [x, y], x rising; one scalar means y for every x */
  IG_OPT_MAP,     /* a struct described by `sub` */
  IG_OPT_LIST,    /* ig_list of structs described by `sub`; one map is a list of one */
  IG_OPT_KEYS     /* a struct described by `sub`, whose keys stand among those of this table */
} ig_option_kind;

typedef const char *ig_opt_text;
typedef struct {
  int count;
  double *value;
} ig_reals;
typedef struct {
  int count;
  const char **value;
} ig_texts;
typedef struct {
  int count; /* 0: not given; 1: constant (x[0] is 0) */
  double *x, *y;
} ig_table;
/* Straight lines between the rows, constant beyond them. The table must be given. */
double ig_table_at(const ig_table *t, double x);
typedef struct {
  int count;
  void *items; /* of the struct the list was declared with */
} ig_list;
#define IG_ITEM(type, list, i) (&((type *)(list).items)[i])

/* One line of a table: a key, the member it fills and everything that is known about the value.
   Made with the macros below only, which check the member's type. */
typedef struct ig_option {
  const char *key;
  ig_option_kind kind;
  size_t offset;
  const char *unit;     /* SI unit of the value ("W/(m K)"), NULL or "": a pure number */
  const char *xunit;    /* of a table's first column */
  const char *fallback; /* default, as it would be written; NULL: none (optional); IG_REQUIRED */
  double min, max;      /* of numbers, in SI; both 0: any finite value */
  double low, high;     /* usual values, in SI; both 0: those of the unit (ig_option_usual) */
  const char *choices;  /* "cold|warm", of a choice, or of a text that must be one of them */
  int length;           /* of a vector */
  int least;            /* of those that must be given, 0: all; the others are NaN */
  const struct ig_option *sub; /* of a map, list or keys, ended by an entry with key NULL */
  size_t sub_size;
  const char *help;
} ig_option;

#define IG_REQUIRED "\001" /* a fallback that says: must be given */
#define IG_UNBOUNDED 1e300
#define IG_POSITIVE 1e-300 /* the least positive bound: "greater than zero" */

/* A member's offset; does not compile where the member is not what its kind of option fills. */
#define IG_MEMBER(S, m, type)                                                                      \
  (offsetof(S, m) + 0 * sizeof(char[_Generic(((const S *)0)->m, type : 1, const type : 1)]))
#define IG_MEMBER_SIZED(S, m, size)                                                                \
  (offsetof(S, m) + 0 * sizeof(char[sizeof(((const S *)0)->m) == (size) ? 1 : -1]))

/* One line each in a table. S: the struct, m: its member (and so the key). */
#define IG_BOOL(S, m, def, text)                                                                   \
  { .key = #m, .kind = IG_OPT_BOOL, .offset = IG_MEMBER(S, m, bool), .fallback = def, .help = text }
#define IG_INT(S, m, def, lo, hi, text)                                                            \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_INT, .offset = IG_MEMBER(S, m, int64_t), .fallback = def, .min = lo, \
    .max = hi, .help = text                                                                        \
  }
#define IG_REAL(S, m, u, def, lo, hi, text)                                                        \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_REAL, .offset = IG_MEMBER(S, m, double), .unit = u, .fallback = def, \
    .min = lo, .max = hi, .help = text                                                             \
  }
/* The same with the values that are usual, between `least` and `most`: others run with a warning */
#define IG_REAL_USUAL(S, m, u, def, lo, hi, least, most, text)                                     \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_REAL, .offset = IG_MEMBER(S, m, double), .unit = u, .fallback = def, \
    .min = lo, .max = hi, .low = least, .high = most, .help = text                                 \
  }
#define IG_TEXT(S, m, def, text)                                                                   \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_TEXT, .offset = IG_MEMBER(S, m, ig_opt_text), .fallback = def,       \
    .help = text                                                                                   \
  }
#define IG_FILE(S, m, def, text)                                                                   \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_FILE, .offset = IG_MEMBER(S, m, ig_opt_text), .fallback = def,       \
    .help = text                                                                                   \
  }
#define IG_CHOICE(S, m, list, def, text)                                                           \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_CHOICE, .offset = IG_MEMBER_SIZED(S, m, sizeof(int)),                \
    .choices = list, .fallback = def, .help = text                                                 \
  }
#define IG_VECTOR(S, m, n, u, def, text)                                                           \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_VECTOR, .offset = IG_MEMBER_SIZED(S, m, n * sizeof(double)),         \
    .length = n, .unit = u, .fallback = def, .help = text                                          \
  }
#define IG_VECTOR3(S, m, u, def, text) IG_VECTOR(S, m, 3, u, def, text)
/* double[3] from two numbers, as meshes in the plane have them, or three */
#define IG_VECTOR23(S, m, u, def, text)                                                            \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_VECTOR, .offset = IG_MEMBER_SIZED(S, m, 3 * sizeof(double)),         \
    .length = 3, .least = 2, .unit = u, .fallback = def, .help = text                              \
  }
#define IG_IVECTOR(S, m, n, def, lo, hi, text)                                                     \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_IVECTOR, .offset = IG_MEMBER_SIZED(S, m, n * sizeof(int64_t)),       \
    .length = n, .fallback = def, .min = lo, .max = hi, .help = text                               \
  }
#define IG_REALS(S, m, u, def, lo, hi, text)                                                       \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_REALS, .offset = IG_MEMBER(S, m, ig_reals), .unit = u,               \
    .fallback = def, .min = lo, .max = hi, .help = text                                            \
  }
#define IG_TEXTS(S, m, def, text)                                                                  \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_TEXTS, .offset = IG_MEMBER(S, m, ig_texts), .fallback = def,         \
    .help = text                                                                                   \
  }
#define IG_TABLE(S, m, xu, u, def, lo, hi, text)                                                   \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_TABLE, .offset = IG_MEMBER(S, m, ig_table), .xunit = xu, .unit = u,  \
    .fallback = def, .min = lo, .max = hi, .help = text                                            \
  }
#define IG_TABLE_USUAL(S, m, xu, u, def, lo, hi, least, most, text)                                \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_TABLE, .offset = IG_MEMBER(S, m, ig_table), .xunit = xu, .unit = u,  \
    .fallback = def, .min = lo, .max = hi, .low = least, .high = most, .help = text                \
  }
/* def: NULL optional (then at.given says whether it was there), or IG_REQUIRED */
#define IG_MAP(S, m, T, table, def, text)                                                          \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_MAP, .offset = IG_MEMBER(S, m, T), .sub = table,                     \
    .sub_size = sizeof(T), .fallback = def, .help = text                                           \
  }
#define IG_LIST(S, m, T, table, def, text)                                                         \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_LIST, .offset = IG_MEMBER(S, m, ig_list), .sub = table,              \
    .sub_size = sizeof(T), .fallback = def, .help = text                                           \
  }
/* A struct that several others hold, all with the same keys; its at.given says whether any of them
   was there. `m` is no key. None of the keys may be required. */
#define IG_KEYS(S, m, T, table, text)                                                              \
  {                                                                                                \
    .key = #m, .kind = IG_OPT_KEYS, .offset = IG_MEMBER(S, m, T), .sub = table,                    \
    .sub_size = sizeof(T), .help = text                                                            \
  }
#define IG_END                                                                                     \
  { .key = NULL }

/* A case as a tree of maps, lists and scalars with their places; built by io/case_yaml from a file
   or by ig_case_set from a program, read by ig_options_read. */
typedef struct ig_node ig_node;
typedef enum { IG_NODE_SCALAR, IG_NODE_LIST, IG_NODE_MAP } ig_node_kind;
struct ig_node {
  ig_node_kind kind;
  ig_src at;
  const char *key;  /* inside a map */
  ig_src key_at;    /* where the key stands */
  const char *text; /* of a scalar */
  bool quoted;      /* a scalar in quotes: '' is an empty text, not nothing */
  bool later;       /* a number that is not known yet: read as NaN, or as any whole number */
  ig_node *child, *next;
};

/* Memory that lives as long as its case. */
typedef struct ig_arena ig_arena;
IG_MUST_CHECK ig_status ig_arena_new(ig_ctx *cx, ig_arena **arena);
void ig_arena_free(ig_arena *arena);
IG_MUST_CHECK ig_status ig_arena_take(ig_ctx *cx, ig_arena *arena, void **p, size_t count,
                                      size_t size); /* zeroed */
IG_MUST_CHECK ig_status ig_arena_text(ig_ctx *cx, ig_arena *arena, const char **p, const char *text,
                                      size_t length);

/* The child of a map with that key, NULL if there is none. */
ig_node *ig_node_find(const ig_node *map, const char *key);
/* Where the value of a key of `map` stands; `otherwise` where it has none. */
ig_src ig_key_at(const ig_node *map, const char *key, ig_src otherwise);
IG_MUST_CHECK ig_status ig_node_copy(ig_ctx *cx, ig_arena *arena, const ig_node *from,
                                     ig_node **to);
/* Gives `map` the keys of `base` that it does not have, and those of their sections likewise at
   every depth. Lists and single values of `map` replace those of `base`. `base` is used up. */
void ig_node_fold(ig_node *map, ig_node *base);
/* Takes a key out of a map, if it is there. */
void ig_node_drop(ig_node *map, const char *key);
/* A value written on one line: a scalar, "[1, 2]", "{a: 1, b: [2, 3]}", quotes where needed. */
IG_MUST_CHECK ig_status ig_node_parse(ig_ctx *cx, ig_arena *arena, const char *text, ig_src at,
                                      ig_node **node);

/* Fills structs from the map `node`: any of the `count` tables may hold a key, each fills its own
   struct. Unknown keys, wrong kinds, units and ranges fail. A NULL node leaves defaults throughout
   and required keys as if they were optional. */
typedef struct {
  const ig_option *options;
  void *into;
} ig_option_table;
IG_MUST_CHECK ig_status ig_options_read(ig_ctx *cx, ig_arena *arena, const ig_node *node,
                                        const ig_option_table *tables, int count);

/* "1.1 mm" -> 0.0011 for unit "m". On failure *problem says what was expected. */
bool ig_number_read(const char *text, const char *unit, double *value, char *problem,
                    size_t problem_size);

/* The place in "cold|warm" of what `node` says. */
IG_MUST_CHECK ig_status ig_choice_read(ig_ctx *cx, const ig_node *node, const char *choices,
                                       int *value);
/* What a number must be, "more than 0 W, at most 1e+06 W"; "" if any will do. */
void ig_option_range(const ig_option *option, char *text, size_t size);
/* Which values are usual, in SI: of the values of a table, or of its first column. Zero is, where
   the range has it, except as a temperature. false: any. */
bool ig_option_usual(const ig_option *option, bool abscissa, double *low, double *high);
/* The same in words, "1e6 to 1.5e12 Pa"; "" if any will do. */
void ig_option_usual_text(const ig_option *option, bool abscissa, char *text, size_t size);
/* "a|b|c" as "a, b or c". */
void ig_choices_list(const char *choices, char *text, size_t size);
/* "double" from place 1 in "single|double|mixed". */
const char *ig_choice_text(const char *choices, int place, char *text, size_t size);
/* The place of a word in "cold|warm", -1 if it is not there. */
int ig_choices_find(const char *choices, const char *word);
/* The entry of "cold|warm" most like `word`, copied into `text`; false if none is like it. */
bool ig_nearest(const char *word, const char *choices, char *text, size_t size);

#endif
