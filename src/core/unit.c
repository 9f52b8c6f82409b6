/* Units and numbers that carry them: "1.1 mm" for an option in metres.

   A unit is a factor to SI, an offset (temperatures) and the powers of the base units; two units
   are of the same kind if their powers agree. Powers are stored doubled, so that a toughness in
   MPa m^0.5 has integers. The reader is a recursive descent: product_read joins factors from
   left to right, factor_read takes a symbol or a bracket, power_read an exponent.

   A '/' applies to the next factor alone: "W/m K" is W K/m, and W/(m K) needs its brackets. */
#include "core/unit.h"
#include "core/number.h"
#include "core/option.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { M, KG, S, A, K, MOL, CD, RAD, B };
enum { LONGEST = 64, DEEPEST = 8, HIGHEST = 48 }; /* characters, brackets, doubled power */

typedef struct {
  const char *name;
  bool prefix; /* takes SI prefixes */
  double factor, offset;
  signed char power[IG_BASE_UNITS]; /* m kg s A K mol cd rad B */
} symbol;

/* LB is the international avoirdupois pound in kg, G0 the standard acceleration of gravity in
   m/s^2; both are exact by definition. */
#define PI 3.14159265358979323846
#define LB 0.45359237
#define G0 9.80665
static const symbol symbols[] = {
    {"m", true, 1, 0, {1}},
    {"g", true, 1e-3, 0, {0, 1}},
    {"s", true, 1, 0, {0, 0, 1}},
    {"A", true, 1, 0, {0, 0, 0, 1}},
    {"K", true, 1, 0, {0, 0, 0, 0, 1}},
    {"mol", true, 1, 0, {0, 0, 0, 0, 0, 1}},
    {"cd", true, 1, 0, {0, 0, 0, 0, 0, 0, 1}},
    {"rad", true, 1, 0, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"B", true, 1, 0, {0, 0, 0, 0, 0, 0, 0, 0, 1}},
    {"Hz", true, 1, 0, {0, 0, -1}},
    {"N", true, 1, 0, {1, 1, -2}},
    {"Pa", true, 1, 0, {-1, 1, -2}},
    {"J", true, 1, 0, {2, 1, -2}},
    {"W", true, 1, 0, {2, 1, -3}},
    {"V", true, 1, 0, {2, 1, -3, -1}},
    {"ohm", true, 1, 0, {2, 1, -3, -2}},
    {"L", true, 1e-3, 0, {3}},
    {"bar", true, 1e5, 0, {-1, 1, -2}},
    {"atm", false, 101325, 0, {-1, 1, -2}},
    {"t", true, 1e3, 0, {0, 1}},
    {"min", false, 60, 0, {0, 0, 1}},
    {"h", false, 3600, 0, {0, 0, 1}},
    {"degC", false, 1, 273.15, {0, 0, 0, 0, 1}},
    {"degF", false, 5.0 / 9, 459.67 * 5.0 / 9, {0, 0, 0, 0, 1}},
    {"deg", false, PI / 180, 0, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"rev", false, 2 * PI, 0, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"rpm", false, 2 * PI / 60, 0, {0, 0, -1, 0, 0, 0, 0, 1}},
    {"%", false, 1e-2, 0, {0}},
    {"in", false, 0.0254, 0, {1}},
    {"ft", false, 0.3048, 0, {1}},
    {"mil", false, 2.54e-5, 0, {1}},
    {"lb", false, LB, 0, {0, 1}},
    {"oz", false, LB / 16, 0, {0, 1}},
    {"lbf", false, LB *G0, 0, {1, 1, -2}},
    {"kgf", false, G0, 0, {1, 1, -2}},
    {"psi", false, LB *G0 / (0.0254 * 0.0254), 0, {-1, 1, -2}},
    {"ksi", false, 1e3 * LB *G0 / (0.0254 * 0.0254), 0, {-1, 1, -2}},
    {"hp", false, 550 * 0.3048 * LB *G0, 0, {2, 1, -3}},
    {"cal", true, 4.184, 0, {2, 1, -2}},
    {"Btu", false, 1055.05585262, 0, {2, 1, -2}},
};

static const struct {
  const char *name;
  double factor;
} prefixes[] = {{"f", 1e-15}, {"p", 1e-12},       {"n", 1e-9},       {"u", 1e-6},
                {"m", 1e-3},  {"c", 1e-2},        {"d", 1e-1},       {"h", 1e2},
                {"k", 1e3},   {"M", 1e6},         {"G", 1e9},        {"T", 1e12},
                {"da", 1e1},  {"\xc2\xb5", 1e-6}, {"\xce\xbc", 1e-6}}; /* both signs for micro */

/* What values of the common dimensions are called; the first unit is the SI one. */
static const struct {
  const char *unit, *name, *examples;
} quantities[] = {
    {"", "a pure number", NULL},
    {"m", "a length", "m, mm, um, in"},
    {"m^2", "an area", "m^2, mm^2, in^2"},
    {"m^3", "a volume", "m^3, mm^3, L"},
    {"kg", "a mass", "kg, g, lb"},
    {"s", "a time", "s, ms, us, min"},
    {"K", "a temperature", "K, degC, degF"},
    {"rad", "an angle", "rad, deg"},
    {"B", "an amount of memory", "GB, MB"},
    {"rad/s", "an angular speed", "rad/s, rpm"},
    {"1/s", "a rate", "1/s, Hz, kHz"},
    {"1/K", "an expansion coefficient", "1/K"},
    {"m/s", "a speed", "m/s, mm/s, mm/min"},
    {"m/s^2", "an acceleration", "m/s^2, mm/s^2"},
    {"N", "a force", "N, kN, lbf"},
    {"N m", "an energy or a moment", "J, kJ, N m"},
    {"Pa", "a pressure or stress", "Pa, MPa, GPa, psi"},
    {"W", "a power", "W, kW"},
    {"kg/m^3", "a density", "kg/m^3, g/cm^3"},
    {"W/(m K)", "a conductivity", "W/(m K)"},
    {"J/(kg K)", "a specific heat", "J/(kg K), kJ/(kg K)"},
    {"J/kg", "a specific energy", "J/kg, kJ/kg"},
    {"W/(m^2 K)", "a heat transfer coefficient", "W/(m^2 K)"},
    {"W/m^2", "a heat flux", "W/m^2, kW/m^2, W/mm^2"},
    {"W/m^3", "a heat source density", "W/m^3, W/mm^3"},
    {"J/m^2", "a fracture energy or surface stiffness", "J/m^2, N/m, N/mm"},
    {"Pa m^0.5", "a fracture toughness", "Pa m^0.5, MPa m^0.5"},
    {"kg/s", "a mass rate", "kg/s, g/min"},
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* --- the expression: factors joined by a space, '*' or '/', from left to right ------------------
 */

typedef struct {
  const char *text, *at;
  int depth;
  bool single; /* nothing but one symbol so far: an offset counts */
  char *problem;
  size_t size;
} reader;

static bool fault(reader *r, const char *what, const char *text, size_t length) {
  snprintf(r->problem, r->size, "%s '%.*s'", what, (int)(length < 20 ? length : 20), text);
  return false;
}

static void scale(ig_unit *u, const ig_unit *by, int doubled, int sign) {
  u->factor *= pow(by->factor, 0.5 * doubled * sign);
  for (int i = 0; i < IG_BASE_UNITS; i++)
    u->power[i] += sign * by->power[i] * doubled / 2;
}

/* Bounds the powers, so that their sums cannot overflow, and excludes factors that have become 0
   or infinite. */
static bool sound(reader *r, const ig_unit *u, const char *from) {
  bool ok = isfinite(u->factor) && u->factor > 0;
  for (int i = 0; i < IG_BASE_UNITS; i++)
    ok &= abs(u->power[i]) <= HIGHEST;
  return ok || fault(r, "too high a power in the unit", from, strlen(from));
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (c & 0x80);
}
/* 2 or 3 at a superscript, 1 at a raised dot, else 0 */
static int raised(const char *p) {
  return strncmp(p, "\xc2\xb2", 2) == 0   ? 2
         : strncmp(p, "\xc2\xb3", 2) == 0 ? 3
         : strncmp(p, "\xc2\xb7", 2) == 0 ? 1
                                          : 0;
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Without a prefix first: "ft" is a foot, not a femtotonne. */
static bool symbol_find(const char *name, size_t length, ig_unit *u) {
  for (int pass = 0; pass < 2; pass++) /* plain symbols come before prefixed ones: min, ft */
    for (size_t p = 0; p < (pass ? COUNT(prefixes) : 1); p++) {
      const size_t skip = pass ? strlen(prefixes[p].name) : 0;
      if (skip >= length || (pass && strncmp(name, prefixes[p].name, skip) != 0))
        continue;
      for (size_t s = 0; s < COUNT(symbols); s++) {
        const symbol *y = &symbols[s];
        if ((pass && !y->prefix) || strlen(y->name) != length - skip ||
            strncmp(name + skip, y->name, length - skip) != 0)
          continue;
        u->factor = y->factor * (pass ? prefixes[p].factor : 1);
        u->offset = y->offset;
        for (int i = 0; i < IG_BASE_UNITS; i++)
          u->power[i] = 2 * y->power[i];
        return true;
      }
    }
  return false;
}

/* ^2 ^-1 ^0.5 or just a digit after the symbol; 2 (that is, one) where there is none */
static bool power_read(reader *r, int *doubled) {
  *doubled = 2;
  const char *from = r->at;
  int sign = 1;
  if (raised(r->at) > 1) {
    *doubled = 2 * raised(r->at);
    r->at += 2;
    r->single = false;
    return true;
  }
  if (*r->at == '^') {
    r->at++;
    if (*r->at == '-') {
      sign = -1;
      r->at++;
    }
    if (!is_digit(*r->at))
      return fault(r, "no whole or half number in the power", from, strlen(from));
  }
  if (is_digit(*r->at)) {
    *doubled = 2 * sign * (*r->at++ - '0');
    if (r->at[0] == '.' && r->at[1] == '5') {
      *doubled += sign;
      r->at += 2;
    }
    if (is_digit(*r->at) || *r->at == '.')
      return fault(r, "no power from -9 to 9 in halves:", from, strlen(from));
    r->single = false;
  }
  return true;
}

static bool product_read(reader *r, ig_unit *u);

/* "1" is a factor only in front of '/' or a blank, as in 1/s: numbers within units are not
   allowed. A root must leave whole doubled powers: m^0.25 does not exist here. */
static bool factor_read(reader *r, ig_unit *u) {
  static const struct {
    const char *written, *symbol;
  } aliases[] = {{"\xc2\xb0"
                  "C",
                  "degC"},
                 {"\xc2\xb0"
                  "F",
                  "degF"},
                 {"\xc2\xb0", "deg"}};
  *u = (ig_unit){.factor = 1};
  if (*r->at == '(') {
    const char *open = r->at++;
    if (++r->depth > DEEPEST)
      return fault(r, "too many brackets in the unit", open, strlen(open));
    r->single = false;
    if (!product_read(r, u))
      return false;
    if (*r->at != ')')
      return fault(r, "a bracket is not closed in the unit", open, strlen(open));
    r->at++;
    r->depth--;
  } else if (*r->at == '1' && (r->at[1] == '/' || r->at[1] == ' ')) {
    r->at++;
    r->single = false;
    return true;
  } else {
    const char *name = r->at;
    while (is_letter(*r->at) && !raised(r->at))
      r->at++;
    size_t length = (size_t)(r->at - name);
    if (!length)
      return fault(r, *name ? "no unit at" : "a unit is missing at the end of",
                   *name ? name : r->text, strlen(*name ? name : r->text));
    const char *known = name;
    for (size_t i = 0; i < COUNT(aliases); i++)
      if (length == strlen(aliases[i].written) && !strncmp(name, aliases[i].written, length)) {
        known = aliases[i].symbol;
        length = strlen(known);
        break;
      }
    if (!symbol_find(known, length, u)) {
      if (length == 1 && (*name == 'C' || *name == 'F'))
        snprintf(r->problem, r->size, "unknown unit '%c' (degrees are written deg%c)", *name,
                 *name);
      else
        fault(r, "unknown unit", name, length);
      return false;
    }
  }
  int doubled;
  if (!power_read(r, &doubled))
    return false;
  if (doubled != 2) {
    const ig_unit base = *u;
    for (int i = 0; i < IG_BASE_UNITS; i++)
      if (base.power[i] * doubled % 2)
        return fault(r, "no such root of", "the unit", 8);
    *u = (ig_unit){.factor = 1};
    scale(u, &base, doubled, 1);
  }
  return true;
}

static bool product_read(reader *r, ig_unit *u) {
  const char *from = r->at;
  if (!factor_read(r, u))
    return false;
  for (;;) {
    int sign = 1;
    while (*r->at == ' ')
      r->at++;
    if (*r->at == '\0' || *r->at == ')')
      return sound(r, u, from);
    if (*r->at == '/' || *r->at == '*' || raised(r->at) == 1) {
      sign = *r->at == '/' ? -1 : 1;
      r->at += raised(r->at) ? 2 : 1;
      while (*r->at == ' ')
        r->at++;
    }
    r->single = false;
    ig_unit next;
    if (!factor_read(r, &next))
      return false;
    scale(u, &next, 2, sign);
    if (!sound(r, u, from))
      return false;
  }
}

bool ig_unit_read(const char *text, ig_unit *unit, char *problem, size_t problem_size) {
  *unit = (ig_unit){.factor = 1};
  reader r = {.text = text, .at = text, .single = true, .problem = problem, .size = problem_size};
  while (*r.at == ' ')
    r.at++;
  if (!*r.at)
    return true;
  if (strlen(r.at) > LONGEST)
    return fault(&r, "too long a unit", r.at, strlen(r.at));
  if (!product_read(&r, unit))
    return false;
  if (*r.at)
    return fault(&r, "trailing", r.at, strlen(r.at));
  if (!r.single)
    unit->offset = 0; /* W/(m degC) speaks of a difference */
  return true;
}

/* The same dimensions. */
bool ig_quantity_read(const char *text, double *number, const char **unit, ig_unit *factor,
                      char *problem, size_t problem_size) {
  char *rest;
  *number = ig_decimal_read(text, &rest);
  const bool good = rest != text && isfinite(*number);
  *unit = rest + strspn(rest, " ");
  if (!good)
    snprintf(problem, problem_size, "expected a number, as in 12.5 or 12.5 mm");
  return good && ig_unit_read(*unit, factor, problem, problem_size);
}

static bool alike(const ig_unit *a, const ig_unit *b) {
  return memcmp(a->power, b->power, sizeof a->power) == 0;
}

bool ig_units_alike(const char *a, const char *b) {
  ig_unit one, other;
  char problem[96];
  return !ig_unit_read(a, &one, problem, sizeof problem) ||
         !ig_unit_read(b, &other, problem, sizeof problem) || alike(&one, &other);
}

static int quantity_find(const ig_unit *unit) {
  for (size_t i = 0; i < COUNT(quantities); i++) {
    ig_unit known;
    char problem[96];
    if (ig_unit_read(quantities[i].unit, &known, problem, sizeof problem) && alike(&known, unit))
      return (int)i;
  }
  return -1;
}

void ig_unit_describe(const char *unit, char *text, size_t size) {
  ig_unit u;
  char problem[96];
  const char *const name = unit ? unit : "";
  const int q = ig_unit_read(name, &u, problem, sizeof problem) ? quantity_find(&u) : -1;
  if (q < 0)
    snprintf(text, size, "a value in %s", name);
  else if (quantities[q].examples)
    snprintf(text, size, "%s (%s)", quantities[q].name, quantities[q].examples);
  else
    snprintf(text, size, "%s", quantities[q].name);
}

/* --- numbers ------------------------------------------------------------------------------------
 */

/* The decimal number at the start of `text`: its length, 0 if there is none. Only decimal
   notation: strtod would also take hexadecimal numbers, "inf" and "nan". An 'e' belongs to the
   number only if digits follow. */
static size_t number_length(const char *text) {
  const char *p = text;
  if (*p == '+' || *p == '-')
    p++;
  const char *digits = p;
  while (is_digit(*p))
    p++;
  size_t count = (size_t)(p - digits);
  if (*p == '.') {
    const char *point = p++;
    while (is_digit(*p))
      p++;
    count += (size_t)(p - point) - 1;
  }
  if (!count)
    return 0;
  const char *e = p;
  if (*e == 'e' || *e == 'E') {
    e++;
    if (*e == '+' || *e == '-')
      e++;
    if (is_digit(*e)) {
      while (is_digit(*e))
        e++;
      p = e;
    }
  }
  return (size_t)(p - text);
}

/* The number in the first `length` letters; false if double precision does not hold it. A number
   that is written with a digit above 0 and reads as 0 has underflowed; that is an error as much
   as an overflow. */
static bool decimal_read(const char *text, size_t length, double *value) {
  char copy[LONGEST + 1];
  if (length > LONGEST)
    return false;
  memcpy(copy, text, length);
  copy[length] = '\0';
  *value = ig_decimal_read(copy, NULL);
  bool zero = true;
  for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++)
    zero &= text[i] < '1' || text[i] > '9';
  return isfinite(*value) && (*value != 0 || zero);
}

/* `what` is wrong; and what was expected. */
static bool refuse(const char *unit, const char *what, const char *how, char *problem,
                   size_t problem_size) {
  char expected[128];
  ig_unit_describe(unit, expected, sizeof expected);
  snprintf(problem, problem_size, "%s%sexpected %s%s", what, *what ? "; " : "", expected, how);
  return false;
}

bool ig_number_read(const char *text, const char *unit, double *value, char *problem,
                    size_t problem_size) {
  static const char too_large[] = " of a size that double precision holds";
  char why[96] = "";
  while (*text == ' ')
    text++;
  const size_t length = number_length(text);
  const char *rest = text + length;
  ig_unit want, have;
  if (!ig_unit_read(unit ? unit : "", &want, why, sizeof why)) {
    snprintf(problem, problem_size, "%s", why);
    return false;
  }
  if (!length && *text && ig_unit_read(text, &have, why, sizeof why) && alike(&want, &have)) {
    snprintf(why, sizeof why, "no decimal number, did you mean '1 %.40s'?", text);
    return refuse(unit, why, "", problem, problem_size);
  }
  if (!length || ((*rest == 'x' || *rest == 'X') && length == 1) || *rest == '_' || *rest == ',')
    return refuse(unit, "no decimal number", "", problem, problem_size);
  double number;
  if (!decimal_read(text, length, &number))
    return refuse(unit, "", too_large, problem, problem_size);
  while (*rest == ' ')
    rest++;
  have = want; /* a number without a unit is in SI */
  have.factor = 1;
  have.offset = 0;
  if (*rest && !ig_unit_read(rest, &have, why, sizeof why))
    return refuse(unit, why, "", problem, problem_size);
  if (!alike(&want, &have)) {
    const int found = quantity_find(&have);
    snprintf(why, sizeof why, "that is %s", found < 0 ? "something else" : quantities[found].name);
    return refuse(unit, why, "", problem, problem_size);
  }
  /* 1.1 mm is 1.1 / 1000, the same bits as 0.0011 */
  const double parts = rint(1 / have.factor);
  const bool divides = have.factor < 1 && fabs(parts * have.factor - 1) < 1e-14;
  *value = (divides ? number / parts : number * have.factor) + have.offset;
  return isfinite(*value) || refuse(unit, "", too_large, problem, problem_size);
}
