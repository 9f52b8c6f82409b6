/* Decks: input files of Abaqus and CalculiX as models, and cases made of them. Those of LS-DYNA:
   dyna.h, with the notes and the tree of this header and import.h.

     cards.c     text           -> cards: a keyword, its parameters, its data lines
     keywords.c  which keywords and parameters there are, and what becomes of them
     model.c     cards          -> ig_deck: materials, sections, constraints
     step.c      cards          -> ig_deck: steps with their supports, loads and requests
     import*.c   ig_deck        -> the tree of a case (core/option.h)
     write.c     tree           -> a case file with comments

   Nodes, elements and sets are not part of the model: the case names the deck as its mesh file,
   whose reader (io/mesh/mesh_inp.c) knows them by their numbers and names. A node of the tree keeps
   the line of the deck it comes from, so that a room's message about a value points into the deck.

   Everything lives in the arena of the case. Nothing is dropped in silence: what a case cannot say
   is an error with its line; what does not change the mechanics becomes a note.

   Data flow and ownership:

        deck.inp --cards.c--> cards --model.c, step.c--> ig_deck --build.c--> ig_node tree
                                |                          |                     |
                     one per keyword line      lists in the deck's order    c->root of a case

   Cards and ig_deck point to the same text and are not changed once made, with these exceptions:
   *CLEARANCE and *MODEL CHANGE complete contact pairs that were read before, *EQUATION, REMOVE ends
   equations, and *MPC makes steps large. Names are compared without regard to case, as both
   programs do. Numbers have no units: a case made of a deck takes them as they are (`no_units`).

   Example. The lines

     *BOUNDARY             supports:
     left, 1, 3              - {set: left, fix: x}    (and y, z)
     *STEP, NLGEOM         loads:
     *STATIC                 - {set: tip, force: [0, -100, 0], history: [[0, 0], [1, 1]]}
     0.1, 1.               analysis:
     *CLOAD                  - {kind: static, large: true, duration: 1, first_step: 0.1}
     tip, 2, -100.
     *END STEP

   become the entries on the right. A card keeps its text; ig_deck keeps numbers and names; only
   the importer knows the keys of a case. */
#ifndef IG_DECK_DECK_H
#define IG_DECK_DECK_H

#include "core/option.h"
#include "io/mesh/mesh_io.h"
#include "run/case.h"

/* --- cards */

/* One parameter of a keyword line, NAME or NAME=VALUE. */
typedef struct {
  const char *name, *value; /* name in capitals without blanks; value "" where there is none */
} ig_card_parameter;

/* A data line: `line` is its number in the file, `count` the fields up to the last that is not
   empty. */
typedef struct ig_card_line {
  int line;
  int count;
  const char **field; /* trimmed; "" where nothing stands between two commas */
  struct ig_card_line *next;
} ig_card_line;

struct ig_deck_keyword;
/* A keyword line with its data lines, in the order of the deck. `last` is where the next data
   line goes. */
typedef struct ig_card {
  ig_src at;
  const char *word; /* in capitals without star and blanks: "SOLIDSECTION" */
  const struct ig_deck_keyword *keyword;
  int parameters;
  ig_card_parameter *parameter;
  ig_card_line *line, **last; /* none of *NODE, *ELEMENT and sets */
  struct ig_card *next;
} ig_card;

/* --- keywords */

typedef enum {
  IG_DECK_MESH,       /* nodes, elements, sets: read by the mesh reader */
  IG_DECK_MODEL,      /* part of the model */
  IG_DECK_STEP,       /* part of a step */
  IG_DECK_OUTPUT,     /* requests of output */
  IG_DECK_UNANSWERED, /* does not change the mechanics, and has no counterpart: --lenient */
  IG_DECK_REFUSED     /* known, changes the mechanics, and a case cannot say it */
} ig_deck_class;
/* One row of the table in keywords.c. */
typedef struct ig_deck_keyword {
  const char *word;
  ig_deck_class class;
  const char *parameters; /* "NSET|SYSTEM": those that are understood */
  const char *idle;       /* those that do not change the mechanics: a note each */
  const char *becomes;    /* keys of a case, for the documentation; of refused ones a remedy */
} ig_deck_keyword;
/* NULL: not known. */
const ig_deck_keyword *ig_deck_keyword_find(const char *word);
extern const ig_deck_keyword ig_deck_keywords[]; /* ended by a NULL word */

/* --- the model */

/* Rows of numbers as a keyword has them. */
typedef struct {
  ig_src at;
  const char *type; /* TYPE=, "" where there is none */
  int rows, columns;
  double *value; /* rows x columns, NaN where nothing was given */
} ig_deck_rows;

/* A *MATERIAL and the cards after it. A property with rows = 0 was not given. Columns end with
   the temperature: elastic 3, 10 or 22 by TYPE, plastic 3 (stress, strain, T), the others 2. */
typedef struct ig_deck_material {
  ig_src at;
  const char *name;
  ig_deck_rows elastic, plastic, density, expansion, conductivity, specific_heat, hyperelastic;
  ig_deck_rows creep;    /* factor, power of the stress, power of the time, temperature */
  bool creep_by_strain;  /* hardening */
  double expansion_zero; /* temperature of no thermal strain by a mean coefficient */
  bool kinematic;        /* hardening of `plastic` */
  double damping[2];     /* shares of mass and stiffness */
  const char *energy;    /* of `hyperelastic`: the parameter that names it */
  struct ig_deck_material *next;
} ig_deck_material;

/* *SOLID SECTION, *SHELL SECTION or *BEAM SECTION: the material of a set of elements and, of
   shells and beams, its shape. offset: of shells [0], of beams both, over the thickness. */
typedef struct ig_deck_section {
  ig_src at;
  const char *kind; /* SOLIDSECTION, SHELLSECTION, BEAMSECTION */
  const char *elset, *material, *orientation, *profile;
  double offset[2];
  bool nodal;                   /* NODAL THICKNESS: sizes are those of nodes where they are given */
  double size[6], direction[3]; /* thickness; sizes of a beam's profile and its first axis */
  int sizes;
  struct ig_deck_section *next;
} ig_deck_section;

/* A set of elements of one type, as an *ELEMENT card makes it. */
typedef struct ig_deck_elements {
  ig_src at;
  const char *type, *elset;
  const ig_card *card; /* its lines, of elements that are no part of the mesh: springs, masses */
  struct ig_deck_elements *next;
} ig_deck_elements;

/* *AMPLITUDE: piecewise linear, constant outside of its times. time and value: count each, times
   rising. */
typedef struct ig_deck_amplitude {
  ig_src at;
  const char *name;
  bool total; /* time runs through all steps */
  int count;
  double *time, *value;
  struct ig_deck_amplitude *next;
} ig_deck_amplitude;

/* *SPRING, *MASS, *DISTRIBUTING COUPLING: what elements that are no part of the mesh do. */
typedef struct ig_deck_point {
  ig_src at;
  const ig_card *card;
  const char *elset;
  struct ig_deck_point *next;
} ig_deck_point;

/* Local axes. a, b: two points of the axis (cylindrical), or vectors along x and in the plane of
   x and y (rectangular). */
typedef struct ig_deck_axes { /* *TRANSFORM, *ORIENTATION */
  ig_src at;
  const char *name; /* node set; of an orientation its name */
  bool cylindrical, orientation;
  double a[3], b[3];
  struct ig_deck_axes *next;
} ig_deck_axes;

/* *EQUATION: sum over the terms of factor x component of node = 0. node: a number or a set, as
   written. The first term is the dependent one. */
typedef struct ig_deck_equation {
  ig_src at;
  int terms;
  const char **node;
  int *component; /* 1 to 6 */
  double *factor;
  int first, last; /* steps, from 1; last 0: to the end */
  struct ig_deck_equation *next;
} ig_deck_equation;

/* *TIE, *CONTACT PAIR, *RIGID BODY, *COUPLING and *MPC: what joins nodes. */
typedef struct ig_deck_join {
  ig_src at;
  const char *kind;           /* the keyword */
  const char *slave, *master; /* sets, surfaces or nodes */
  const char *type;           /* of a coupling or MPC */
  const char *interaction;
  const char *rotation; /* second reference node of a rigid body */
  const char *orientation;
  double tolerance, clearance; /* NaN: none */
  uint8_t component[6];
  bool adjust;
  const char *onto; /* of a contact pair: ADJUST=, a set of nodes or a distance */
  bool small;       /* of a contact pair: SMALL SLIDING */
  uint64_t without; /* steps without it, a bit each; from 1 */
  struct ig_deck_join *next;
} ig_deck_join;

/* *SURFACE INTERACTION with what follows it. value: of *SURFACE BEHAVIOR; LINEAR: stiffness,
   tension; EXPONENTIAL: distance, pressure; TIED: stiffness. */
typedef struct ig_deck_interaction {
  ig_src at;
  const char *name, *overclosure;
  double value[4]; /* of *SURFACE BEHAVIOR */
  int values;
  double friction, stick;     /* NaN: none */
  double damping, tangential; /* 0: none */
  struct ig_deck_interaction *next;
} ig_deck_interaction;

/* A value of nodes or elements: *BOUNDARY, *CLOAD, *DLOAD, *TEMPERATURE, *INITIAL CONDITIONS. */
typedef struct ig_deck_value {
  ig_src at;
  const char *kind;      /* the keyword */
  const char *target;    /* set or number; "" of a load on everything */
  const char *label;     /* P3, GRAV; of initial conditions their TYPE */
  int component;         /* 1 to 6, 11 temperature; 0: none */
  double value[8];       /* the value; of GRAV and CENTRIF what else the line has */
  const char *amplitude; /* NULL: none */
  double delay;          /* of the amplitude */
  bool fixed;            /* *BOUNDARY, FIXED: where the node is */
  bool renewed;          /* OP=NEW: those of former steps are gone */
  struct ig_deck_value *next;
} ig_deck_value;

/* One quantity of one request. A card with several quantities makes several. */
typedef struct ig_deck_print {
  ig_src at;
  int of; /* IG_SET_NODES: *NODE PRINT, _ELEMENTS: *EL PRINT, _FACES: *SECTION PRINT */
  const char *set;
  const char *quantity;             /* in capitals */
  bool totals, totals_only, global; /* global: in fixed axes, GLOBAL=YES */
  struct ig_deck_print *next;
} ig_deck_print;

/* One *STEP. Times are those of the step; histories are over the time of all steps (history.c).
   first, period, least, most: of the procedure's data line. removed: keywords with OP=NEW in
   this step. */
typedef struct ig_deck_step {
  ig_src at;
  const char *kind; /* STATIC, FREQUENCY, BUCKLE, HEATTRANSFER, DYNAMIC … */
  bool nlgeom, perturbation, suddenly, ramp, direct, explicit_, steady, storage;
  /* Numbers of the procedure's data line: first increment, length of the step, least and largest
     increment, s. */
  double first, period, least, most; /* increments; NaN: none given */
  double creep_change;               /* CETOL of *VISCO; 0: none given */
  int64_t increments, modes;
  /* RIKS: ends at this factor of the loads, or where a component of a node has a displacement; NaN,
     NULL: not given. */
  bool riks;
  double end_factor, end_value;
  const char *end_node;
  int end_component;
  /* Of *FREQUENCY, Hz; high is infinite where it is not given. */
  double low, high; /* frequencies */
  double alpha;
  ig_deck_value *value, **last;
  ig_deck_print *print;
  const char *removed[9]; /* keywords whose loads end with OP=NEW, each once: of all there are */
  int removals;
  struct ig_deck_step *next;
} ig_deck_step;

/* The whole deck. Lists are in the order of the deck, except for `elements`, which has the last
   card first. `name` and `name_of` are allocated and freed in open.c; all else is in the arena. */
typedef struct ig_deck {
  ig_ctx *cx;
  ig_arena *arena;
  const char *path;
  bool lenient;
  const char *unit; /* of a deck of LS-DYNA: converted to SI; NULL: as it is */
  const char *title;
  ig_card *card;
  int names;
  const char **name; /* of sets that cards of the mesh make, as they are spelled first; allocated */
  ig_namemap name_of;
  double absolute_zero, stefan_boltzmann; /* NaN: not given */
  bool parts;                             /* numbers and sets belong to instances of parts */
  /* Lists of the model, each in the order of the deck unless it says otherwise. */
  ig_deck_material *material;
  ig_deck_section *section;
  ig_deck_elements *elements;
  ig_deck_amplitude *amplitude;
  ig_deck_axes *axes;
  ig_deck_equation *equation, **equation_last;
  ig_deck_join *join;
  ig_deck_point *point;
  ig_deck_point *mpc; /* *MPC cards */
  ig_deck_interaction *interaction;
  ig_deck_value *initial;   /* *INITIAL CONDITIONS */
  ig_deck_value *thickness; /* *NODAL THICKNESS: values 0 and 1 */
  ig_deck_value *normal;    /* *NORMAL: component is the node, target the element, values 0 to 2 */
  ig_deck_value *boundary;  /* *BOUNDARY before the first step */
  ig_deck_step *step;
  /* What was passed over, for the log or the written case; see ig_deck_note. */
  int notes, note_capacity;
  const char **note;               /* notes, "line 12: *NODE FILE: …" */
  struct ig_case_warning *warning; /* what was passed over and may change results (run/case.h) */
} ig_deck;

/* Stages of reading, in this order; each needs the one before. They fail with IG_INPUT and a
   located message. */
IG_MUST_CHECK ig_status ig_deck_cards(ig_deck *d);
IG_MUST_CHECK ig_status ig_deck_model(ig_deck *d);
/* The step that begins at *card, up to its *END STEP. */
IG_MUST_CHECK ig_status ig_deck_step_read(ig_deck *d, const ig_card **card);
/* The lines of a *BOUNDARY, *CLOAD, *DLOAD, *TEMPERATURE, *INITIAL CONDITIONS, to the end of
   `*list`. */
IG_MUST_CHECK ig_status ig_deck_values(ig_deck *d, const ig_card *card, ig_deck_value **list);
/* Factor over the time of all steps of a value that a step gives first; see history.c. */
typedef struct {
  double scale; /* what the history multiplies */
  int rows;
  double *time, *factor;
} ig_deck_history;
/* Gives the history of a value that `step` (NULL: the model) gives first, through all later
   steps that change it. `factor` is relative to `scale`: its largest entry has the size 1.
   `step` itself is not needed at present. */
IG_MUST_CHECK ig_status ig_deck_history_of(ig_deck *d, const ig_deck_step *step,
                                           const ig_deck_value *value, ig_deck_history *history);
/* Whether two values are of the same thing: the last of a step counts, loads of a step add up.
   a, b: of any step. Compares kind, target, component, label, and the direction of body forces. */
bool ig_deck_same(const ig_deck_value *a, const ig_deck_value *b);
/* Whether a step gives it a value; whether it ends all of its kind (OP=NEW). */
bool ig_deck_gives(const ig_deck_step *s, const ig_deck_value *value);
bool ig_deck_ends(const ig_deck_step *s, const ig_deck_value *value);
/* Whether a step before `step` gives this value: then it belongs to that one's history. Of
   supports only if none has ended it since: one that is given again is another one. */
bool ig_deck_given_before(const ig_deck *d, const ig_deck_step *step, const ig_deck_value *value);
/* The tree of the case.
   Fills *root with the tree; it belongs to the arena of d. */
IG_MUST_CHECK ig_status ig_deck_build(ig_deck *d, ig_node **root);

/* What is passed over because it does not change the mechanics.
   format as printf; the note gets the line of `at`. Fails only for lack of memory. */
IG_MUST_CHECK ig_status ig_deck_note(ig_deck *d, const ig_src *at, const char *format, ...)
    IG_PRINTF(3, 4);
/* What is passed over or replaced although results may change: a note, and a warning of every
   run. */
IG_MUST_CHECK ig_status ig_deck_warn(ig_deck *d, const ig_src *at, const char *format, ...)
    IG_PRINTF(3, 4);
/* An error at the card: "*WORD: text". Returns IG_INPUT. */
ig_status ig_deck_refuse(const ig_deck *d, const ig_card *card, const char *format, ...)
    IG_PRINTF(3, 4);

/* Elements that the reader of the mesh passes over: "SPRINGA", "MASS", "DCOUP3D" … */
bool ig_deck_is_point(const char *type);
/* *EQUATION in the model (step 0) or in a step: equations, or which ones end. */
IG_MUST_CHECK ig_status ig_deck_equations(ig_deck *d, const ig_card *card, int step);
/* Fields of cards. The value of a parameter, NULL: not there.
   parameter: in capitals without blanks, as card->parameter has it. */
const char *ig_card_get(const ig_card *card, const char *parameter);
/* The place of a data line, for messages. */
ig_src ig_card_line_at(const ig_card *card, const ig_card_line *line);
IG_MUST_CHECK ig_status ig_card_real(const ig_deck *d, const ig_card *card,
                                     const ig_card_line *line, int field, double fallback,
                                     double *value); /* fallback NaN: it must be there */
/* As ig_card_real, for whole numbers; `fallback` stands for a blank field. */
IG_MUST_CHECK ig_status ig_card_int(const ig_deck *d, const ig_card *card, const ig_card_line *line,
                                    int field, int64_t fallback, int64_t *value);
/* The number that a parameter has; the fallback where it is not there. */
IG_MUST_CHECK ig_status ig_card_number(const ig_deck *d, const ig_card *card, const char *parameter,
                                       double fallback, double *value);
const char *ig_card_text(const ig_card_line *line, int field); /* "" if it is not there */
bool ig_is_number(const char *text);                           /* a whole number */
/* An item of a list in the arena, at its end. */
#define IG_DECK_ADD(d, list, item)                                                                 \
  ig_deck_add(d, (void **)(list), offsetof(__typeof__(**(item)), next), sizeof **(item),           \
              (void **)(item))
IG_MUST_CHECK ig_status ig_deck_add(ig_deck *d, void **list, size_t next, size_t size, void **item);

#endif
