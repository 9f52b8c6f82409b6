/* The command line: a thin user of the library. Each command declares its options once, in a table
   that parsing, --help, the manual and shell completion are made from. Commands return exit codes;
   messages for people go to standard error, results to standard output. */
#ifndef CLI_H
#define CLI_H

#include <ingot/ingot.h>
#include <stdio.h>

/* 0 good, 1 the run failed, 2 the input must be corrected */
enum { CLI_GOOD = 0, CLI_FAILED = 1, CLI_BAD_INPUT = 2 };

enum { CLI_MAX_WORDS = 256, CLI_MAX_KEY = 256 /* letters of a key, with the zero */ };

/* Words or values of one option, in the order given; they point into argv. */
typedef struct {
  int count;
  const char *item[CLI_MAX_WORDS];
} cli_texts;

/* All values that any command takes; a command's table says which of these it offers. What is not
   given is zero or NULL, except where a `given_` member tells it from a zero. */
typedef struct {
  const char *backend, *out, *restart, *stage, *json, *markdown;
  const char *format, *field, *palette, *threshold, *warp, *title;
  const char *clip, *slice, *arrows, *movie; /* of view */
  const char *key, *figure;                  /* of calibrate */
  const char *each;                          /* of sweep */
  const char *method;                        /* of sample */
  const char *at, *of;                       /* of results */
  const char *size, *material;               /* of new cases */
  const char *snapshots, *match, *distance;  /* of compare */
  const char *partition, *gpu_mpi, *gpu_ipc; /* of runs on ranks */
  const char *units;                         /* of a deck */
  const char *file;                          /* of a data set */
  const char *spectrum;                      /* of a finished part */
  /* Options that may be repeated. */
  cli_texts set, vary, tolerance, bounds, fields;
  int frequencies, buckling; /* of a finished part */
  int threads, jobs, meshes, width, height, layer, beam, frames, triangles, port, samples, seed;
  double range[2], view[2], threshold_range[2];
  double zoom, warp_scale, unit, edge, dpi, meshing_time, meshing_memory;
  double target, within;         /* of calibrate */
  double uncertainty;            /* of optimise */
  double power, travel, feed, z; /* of toolpaths */
  bool quiet, list, quick, man, reference, keys, schema, edges, bare, resume, force, split, report,
      join, step, outline, celsius, elementwise, loads, difference, watch, smoke, lenient, check,
      differences, maximise, errors, tables, last, large_deflections;
  bool given_range, given_view, given_threshold_range, given_target;
  cli_texts words; /* what is no option */
} cli_args;

/* Kinds of options, and the type of the member of cli_args that each is stored in. */
typedef enum {
  CLI_FLAG,  /* bool */
  CLI_TEXT,  /* const char * */
  CLI_FILE,  /* const char *, completed as a file name */
  CLI_INT,   /* int, from 0 */
  CLI_COUNT, /* int, from 1; 0 stands for not given */
  CLI_REAL,  /* double */
  CLI_PAIR,  /* double[2], written A:B */
  CLI_REPEAT /* cli_texts: may be given many times */
} cli_kind;

/* One option of a command. Tables end with an entry whose name is NULL. */
typedef struct {
  const char *name; /* "backend" for --backend */
  char letter;      /* 'b' for -b, 0: none */
  cli_kind kind;
  size_t offset;       /* in cli_args */
  size_t given;        /* offset of a bool set when the option is there, 0: none */
  const char *value;   /* how help calls the value */
  const char *choices; /* "auto|cpu|cuda", NULL: anything */
  const char *help;
} cli_option;
/* Offset of a member of cli_args, for the tables. */
#define CLI_AT(m) offsetof(cli_args, m)

/* A command. `words` is shown in the usage, `detail` may be NULL and may have lines that begin with
   a space, which are kept as they are. */
typedef struct {
  const char *name;  /* "run", "mesh new" */
  const char *words; /* "CASE.yaml" */
  int least, most;   /* how many words */
  const char *about; /* one line */
  const char *detail;
  const cli_option *options; /* ended by a NULL name */
  int (*run)(const cli_args *args);
} cli_command;

/* All commands, for help and completion. */
extern const cli_command *const *cli_commands; /* set by main.c, ended by NULL */

/* Options that mean the same everywhere. Each is an initialiser of cli_option. */
#define CLI_BACKEND                                                                                \
  {                                                                                                \
    "backend", 'b', CLI_TEXT, CLI_AT(backend), 0, "NAME", "auto|cpu|cuda|debug",                   \
        "where to compute: the GPU if there is one (auto), or exactly the one named"               \
  }
#define CLI_THREADS                                                                                \
  {                                                                                                \
    "threads", 't', CLI_INT, CLI_AT(threads), 0, "N", NULL,                                        \
        "CPU threads; if not given, as many as the work is worth, at most all cores"               \
  }
#define CLI_PARTITION                                                                              \
  {                                                                                                \
    "partition", 0, CLI_TEXT, CLI_AT(partition), 0, "NAME", "auto|curve|boxes|metis|random",       \
        "of several ranks: how a mesh is divided between them; results do not depend on it"        \
  }
#define CLI_GPU_MPI                                                                                \
  {                                                                                                \
    "gpu-mpi", 0, CLI_TEXT, CLI_AT(gpu_mpi), 0, "NAME", "auto|on|off",                             \
        "of several ranks with GPUs: send device memory by MPI; on: tried in a process of its "    \
        "own, "                                                                                    \
        "auto: where MPI says that it can"                                                         \
  }
#define CLI_GPU_IPC                                                                                \
  {                                                                                                \
    "gpu-ipc", 0, CLI_TEXT, CLI_AT(gpu_ipc), 0, "NAME", "auto|on|off",                             \
        "of several ranks with GPUs on one computer: write into each other's device memory; "      \
        "auto: where it works and is quicker than through host memory"                             \
  }
#define CLI_QUIET                                                                                  \
  { "quiet", 'q', CLI_FLAG, CLI_AT(quiet), 0, NULL, NULL, "say nothing but warnings and errors" }
#define CLI_LENIENT                                                                                \
  {                                                                                                \
    "lenient", 0, CLI_FLAG, CLI_AT(lenient), 0, NULL, NULL,                                        \
        "of a deck: pass over keywords that do not change the mechanics and have no counterpart "  \
        "in a case, with a line each; of LS-DYNA all that are not understood, with a warning each" \
  }
#define CLI_UNITS                                                                                  \
  {                                                                                                \
    "unit", 'u', CLI_TEXT, CLI_AT(units), 0, "UNITS", NULL,                                        \
        "of a deck of LS-DYNA: its units LENGTH-MASS-TIME, as in mm-t-s, which are converted to "  \
        "SI; if not given, numbers are taken as they are"                                          \
  }
/* Limits of Gmsh. */
#define CLI_MESHING                                                                                \
  {"meshing-time",                                                                                 \
   0,                                                                                              \
   CLI_REAL,                                                                                       \
   CLI_AT(meshing_time),                                                                           \
   0,                                                                                              \
   "TIME",                                                                                         \
   NULL,                                                                                           \
   "end Gmsh after so long, 20min for 20 minutes; 10 minutes if not given"},                       \
  {                                                                                                \
    "meshing-memory", 0, CLI_REAL, CLI_AT(meshing_memory), 0, "MEMORY", NULL,                      \
        "memory that Gmsh may take, as in 8GB; three quarters of what is left if not given"        \
  }
#define CLI_SET                                                                                    \
  {                                                                                                \
    "set", 's', CLI_REPEAT, CLI_AT(set), 0, "KEY=VALUE", NULL,                                     \
        "override a key of the case, as in output.every=10; may be repeated"                       \
  }

/* --- args.c */
/* The command that argv begins with; *used says how many words named it. */
const cli_command *cli_find(int argc, char **argv, int *used);
/* Fills args; prints what is wrong and returns CLI_BAD_INPUT, or CLI_GOOD. *help: --help was there.
 */
int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args, bool *help);
/* Help texts, from the tables; `to` is standard output when help was asked for, else standard
   error. */
void cli_help_command(FILE *to, const cli_command *command);
void cli_help_all(FILE *to);
/* Commands of two words, such as 'mesh info', are a family by their first. */
bool cli_in_family(const cli_command *command, const char *word);
bool cli_is_family(const char *word);
void cli_help_family(FILE *to, const char *word);
/* Of the words in a NULL-ended list the one most like `word`, NULL if none is near. */
const char *cli_nearest(const char *word, const char *const *list);

/* "0.001", "1 mm", "mm": a length in metres; false: it is none. */
bool cli_length(const char *text, double *metres);

/* --- completion.c: the manual page (troff) and completion scripts, from the tables */
void cli_man(FILE *to);
void cli_complete_bash(FILE *to);
void cli_complete_zsh(FILE *to);
void cli_complete_fish(FILE *to);

/* --- markdown.c: pages of figures beside what is shown */
/* A file in the making: it is written to `part`, PATH.part, and renamed at the end. */
typedef struct {
  FILE *file; /* NULL: no page is wanted */
  const char *path;
  char part[4096], date[16], room[32]; /* room: of the row before */
} cli_page;
/* `path` NULL: no page. Prints what is wrong. */
int cli_page_open(const char *path, cli_page *page);
/* Keeps the page if `code` is good; the exit code. The page is renamed into place, or removed. */
int cli_page_close(cli_page *page, int code);
/* A cell of a Markdown table, "| text ". */
void cli_page_cell(cli_page *page, const char *text);
/* Begins a section where the room changes; true: it did. */
bool cli_page_room(cli_page *page, const char *room);
/* Text and numbers of JSON; what is not finite is null. */
void cli_page_quote(FILE *to, const char *text);
void cli_page_number(FILE *to, double value);

/* --- term.c: messages, progress, ranks, signals */
/* Messages with the program's name before them, in colour on a terminal unless NO_COLOR is set.
   Control characters are replaced, as messages may quote files. */
void cli_error(const char *format, ...) IG_PRINTF(1, 2);
void cli_warning(const char *format, ...) IG_PRINTF(1, 2);
/* Opens a context that logs and shows progress here; joins the other ranks where there are any.
   `backend` NULL: the case says. Prints what is wrong and returns an exit code; on failure *cx is
   NULL. Close with cli_close. */
int cli_open(const char *backend, const cli_args *args, ig_ctx **cx);

/* --- spin.c */
/* Whether threads of OpenMP wait shortly by now. Call it once, at the start of main. */
bool cli_spin_done(void);

/* --- gpu_try.c */
#define CLI_GPU_TRY "gpu-mpi-try" /* how this program is called for that, with a backend */
/* Used for --gpu-mpi on, once on each computer of a job. */
bool cli_gpu_works(const char *backend); /* starts a child and waits */
int cli_gpu_try(const char *backend);    /* what the child does */
void cli_close(ig_ctx *cx);
/* How many copies of the program mpirun or srun started, 1 if none did; whether this is the first,
   as far as the environment says. Both can be asked before MPI is started. */
int cli_copies(void);
bool cli_first_copy(void);
/* This copy works by itself, whatever others there are. */
void cli_alone(void);
/* Whether this program is one of several ranks, and whether it is the first of them, which alone
   prints; known after cli_open. */
bool cli_ranks(void);
bool cli_first(void);
void cli_ranks_show(const ig_ctx *cx);
void cli_line_first(void *user, const char *label, const char *value); /* a cli_line of the first */
/* From here on Ctrl-C, SIGTERM and a lost terminal ask the open context to stop, which then does
   `what`: for commands that keep something or clean up. The others end at once, as any program
   does. */
#define CLI_KEEPS "finishing the step and writing a checkpoint"
void cli_catch_signals(const char *what);
/* Opens a case or a deck and sets keys, texts "KEY=VALUE"; the context has what is wrong. deck:
   how a deck is read, may be NULL. set has `sets` entries and may be NULL if that is
   0. */
ig_status cli_case_read(ig_ctx *cx, const char *path, const ig_deck_options *deck,
                        const char *const *set, int sets, ig_case **c);
/* Opens the case named first on the command line and applies --set; *c is NULL if that fails. */
int cli_open_case(ig_ctx *cx, const cli_args *args, ig_case **c);
/* Calls `with` with that case, on a CPU, if --figure and --wrt are given (cmd_gradient.c). */
int cli_with_figure(const cli_args *args, int (*with)(const cli_args *, ig_ctx *, ig_case *));
/* The output folder of a case where none is given: cases/thermal/first.yaml -> first-out. */
void cli_usual_folder(const char *path, char *folder, size_t size);
/* Prints the context's message if the call failed, on the first rank; returns the exit code: 2 for
   bad input, 1 for other failures. */
int cli_result(ig_ctx *cx, ig_status status);
/* Removes the progress line, so that other output starts on a clean line. */
void cli_progress_end(void);
double cli_now(void);            /* seconds on a clock that never runs backwards */
bool cli_on_terminal(void);      /* standard error is one that moves its cursor */
const char *cli_rate_unit(void); /* of the run shown last */
/* A line of "label  value", aligned. Control characters in either text are replaced; user is not
   used. */
void cli_line(void *user, const char *label, const char *value);
/* 12345678 as "12 345 678"; 3.2e9 "B" as "3.20 GB"; seconds in s, min or h. The text is one of
   eight that take turns: copy it if it must last longer. */
const char *cli_count(double n);
const char *cli_scaled(double value, const char *unit);
const char *cli_duration(double seconds);

#endif
