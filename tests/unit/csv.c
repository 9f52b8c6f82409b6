/* CSV: any names come back as they were written; damaged tables are read without harm. */
#include "check.h"
#include "io/format/csv.h"

static ig_ctx *cx;
static uint64_t seed = 99;
static unsigned dice(unsigned sides) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)(seed >> 20) % sides;
}

static void name_make(char *name, size_t most) {
  static const char letters[] = ",,\"\"[] \r\nab;'\t=+<>\\ü-@'=";
  size_t n = dice((unsigned)most);
  for (size_t i = 0; i < n; i++)
    name[i] = letters[dice(sizeof letters - 1)];
  name[n] = '\0';
}

static void random_names_come_back(void **state) {
  (void)state;
  for (int trial = 0; trial < 3000; trial++) {
    const int columns = 1 + (int)dice(6), rows = (int)dice(4);
    char name[6][24];
    ig_text csv = {0};
    for (int c = 0; c < columns; c++) {
      name_make(name[c], sizeof name[c]);
      ig_csv_cell(&csv, name[c], c == 0);
    }
    ig_text_add(&csv, dice(2) ? "\n" : "\r\n");
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++) {
        char number[16];
        snprintf(number, sizeof number, "%d", 10 * r + c);
        ig_csv_cell(&csv, number, c == 0);
        if (c == columns - 1)
          ig_text_add(&csv, "\n");
      }
    ig_csv_table t;
    GOOD(cx, ig_csv_table_parse(cx, csv.at, &t));
    assert_int_equal(t.columns, columns);
    assert_int_equal(t.rows, rows);
    for (int c = 0; c < columns; c++)
      assert_string_equal(t.name[c], name[c]);
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++)
        assert_true(t.value[r * columns + c] == 10 * r + c);
    ig_csv_table_free(&t);
    free(csv.at);
  }
}

/* Spreadsheets compute what begins like a formula: no cell does, but numbers and quantities. */
static void no_cell_is_a_formula(void **state) {
  (void)state;
  static const struct {
    const char *cell, *written;
  } known[] = {{"=cmd|' /c calc'!A0", "'=cmd|' /c calc'!A0"},
               {"@SUM(1)", "'@SUM(1)"},
               {"-x", "'-x"},
               {"+1+cmd|'a'!A0", "'+1+cmd|'a'!A0"},
               {"=a,b", "\"'=a,b\""},
               {"'=a", "''=a"},
               {"'a", "'a"},
               {"-1.5e-3", "-1.5e-3"},
               {"-2 mm", "-2 mm"},
               {"+.5", "+.5"},
               {"-inf", "-inf"},
               {"", ""}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    ig_text csv = {0}, cell = {0};
    ig_csv_cell(&csv, known[i].cell, true);
    ig_text_add(&csv, "\n");
    assert_true(strncmp(csv.at, known[i].written, strlen(known[i].written)) == 0);
    assert_int_equal(csv.length, strlen(known[i].written) + 1);
    const char *at = csv.at;
    assert_false(ig_csv_take(&at, &cell));
    assert_string_equal(cell.at, known[i].cell);
    free(csv.at);
    free(cell.at);
  }
}

static void damaged_tables(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int columns, rows;
  } known[] = {
      {"", 1, 0},
      {"a,b\n1,2\n3,4", 2, 1},        /* the last row is still being written */
      {"a,b\n1\n1,2,3\n5,6\n", 2, 1}, /* too few, too many cells */
      {"a,\"b\n1,2\n", 2, 0},         /* a quote that is never closed */
      {"a,b\r\n1,x\r\n", 2, 1},
      {",,,\n,,,\n\n\n\n", 4, 1},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    ig_csv_table t;
    GOOD(cx, ig_csv_table_parse(cx, known[i].text, &t));
    assert_int_equal(t.columns, known[i].columns);
    assert_int_equal(t.rows, known[i].rows);
    ig_csv_table_free(&t);
  }
  for (int trial = 0; trial < 3000; trial++) { /* anything at all: within its memory */
    char text[200];
    name_make(text, sizeof text);
    ig_csv_table t;
    GOOD(cx, ig_csv_table_parse(cx, text, &t));
    ig_csv_table_free(&t);
  }
}

static void headings_have_units(void **state) {
  (void)state;
  static const struct {
    const char *heading, *unit;
    size_t length;
  } known[] = {{"T_max [K]", "K", 5}, {"step", "", 4},  {"p[1] [m/s]", "m/s", 4},
               {"a [b] [N]", "N", 5}, {"[K]", "", 3},   {"", "", 0},
               {"odd [", "", 5},      {"x [] ", "", 5}, {"x []", "", 1}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char unit[IG_CSV_UNIT];
    assert_int_equal(ig_csv_name(known[i].heading, unit), known[i].length);
    assert_string_equal(unit, known[i].unit);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_names_come_back),
      cmocka_unit_test(no_cell_is_a_formula),
      cmocka_unit_test(damaged_tables),
      cmocka_unit_test(headings_have_units),
  };
  cx = ctx_on("cpu", 1);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ig_ctx_close(cx);
  return failed;
}
