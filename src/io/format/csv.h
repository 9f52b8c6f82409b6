/* CSV after RFC 4180: comma-separated cells, in quotes if they contain a comma, a quote or a line
   end. Every table that Ingot writes goes through ig_csv_cell, every reader through ig_csv_take.

   A spreadsheet computes a cell that begins with = or @, and with + or - if more than a number and
   a unit follows, whoever wrote it. Such a text gets an apostrophe before it, as one that has an
   apostrophe there already; ig_csv_take and the Python package take one away again. */
#ifndef IG_IO_FORMAT_CSV_H
#define IG_IO_FORMAT_CSV_H

#include "io/format/json.h"

/* Adds a cell, after a comma unless it is the first of its row. */
void ig_csv_cell(ig_text *csv, const char *cell, bool first);

/* Reads the cell at *at into `cell`, which it replaces, and moves *at past it and its comma. True:
   another cell of this row follows. False: it was the last, and *at is behind the line's end. */
bool ig_csv_take(const char **at, ig_text *cell);

/* A table with one line of headings; cells as numbers. Freed by ig_csv_table_free. */
typedef struct {
  int columns;
  int64_t rows;
  char **name;   /* columns: with the unit, "T_max [K]" */
  double *value; /* rows x columns; NaN: not a number */
} ig_csv_table;
/* Rows with a wrong number of cells are left out, and a last row without line end, which is still
   being written. Free the table after a failure too. */
IG_MUST_CHECK ig_status ig_csv_table_parse(ig_ctx *cx, const char *text, ig_csv_table *table);
void ig_csv_table_free(ig_csv_table *table);

/* Splits a heading "name [unit]" or "name": returns the length of the name, and the unit ("":
   none). */
enum { IG_CSV_UNIT = 32 };
size_t ig_csv_name(const char *heading, char unit[IG_CSV_UNIT]);

#endif
