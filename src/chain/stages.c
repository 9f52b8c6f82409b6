/* Stages by their names; the keys of a chain that are no keys of its cases. These are read by
   chain.c and dropped before a stage becomes a case. */
#include "chain/chain.h"

#include <stdio.h>
#include <string.h>

/* How a stage is drawn: the options of `ingot view`, by the same names. */
#define P ig_picture_case
static const ig_option picture_options[] = {
    IG_TEXT(
        P, field, NULL,
        "field to color by; left out: of a design its surface, else temperature, damage, stress, "
        "the first"),
    IG_TEXT(P, palette, NULL,
            "viridis, cividis, inferno, coolwarm, rainbow, gray, embers, steel or distinct"),
    IG_TEXT(P, threshold, NULL, "field: only cells within `keep` are drawn"),
    IG_VECTOR(P, keep, 2, NULL, NULL, "least and most of the threshold's field"),
    IG_VECTOR(P, range, 2, NULL, NULL, "of the colors; left out: the field's own"),
    IG_VECTOR(P, camera, 2, NULL, NULL, "azimuth and elevation in degrees"),
    IG_TEXT(P, warp, NULL, "vector field the points are moved by"),
    IG_REAL(P, scale, "", "1", 0, 0, "of the warp"),
    IG_REAL(P, zoom, "", "1", IG_POSITIVE, 1000, "closer than 1, farther below"),
    IG_REAL(P, when, "", "1", 0, 1, "which snapshot: 0 the first, 1 the last"),
    IG_BOOL(P, edges, "false", "draw element edges"),
    IG_BOOL(P, outline, "false", "draw the shape before `warp` as lines"),
    IG_END};
#undef P
/* The default of 0.002 is the offset of Rp0.2 (ISO 6892-1). */
#define U ig_curve_case
static const ig_option curve_options[] = {
    IG_TEXT(U, force, IG_REQUIRED, "column of history.csv: the load"),
    IG_TEXT(U, displacement, IG_REQUIRED, "column of history.csv: the displacement of the load"),
    IG_TEXT(U, plastic, "plastic_strain", "cell field that is zero until the material yields"),
    IG_REAL(U, length, "m", IG_REQUIRED, IG_POSITIVE, 1e6, "length the offset is a share of"),
    IG_REAL(U, offset, "", "0.002", IG_POSITIVE, 1, "share of the length"),
    IG_END};
#undef U
/* Keys of a stage that belong to the chain, not to its case. */
#define S ig_stage_case
const ig_option ig_stage_keys[] = {
    IG_MAP(S, picture, ig_picture_case, picture_options, NULL, "how the result is drawn"),
    IG_MAP(S, curve, ig_curve_case, curve_options, NULL,
           "loads at yield, read from a curve of load over displacement"),
    IG_END};
#undef S
/* A line of the report: either a figure or a column. */
#define R ig_report_case
static const ig_option report_options[] = {
    IG_TEXT(R, name, IG_REQUIRED, "what it is called"),
    IG_TEXT(R, stage, IG_REQUIRED, "stage it is from"),
    IG_TEXT(R, figure, NULL, "key of that stage's figures"),
    IG_TEXT(R, column, NULL, "or column of its history.csv"),
    IG_CHOICE(R, take, "last|max|min", "last", "which of the column's values"),
    IG_END};
#undef R

const ig_option ig_chain_keys[] = {IG_TEXT(ig_chain_case, title, "''", "a line for reports"),
                                   IG_LIST(ig_chain_case, report, ig_report_case, report_options,
                                           NULL, "figures of the stages that are shown at the end"),
                                   IG_END};

/* Names are few: a linear search does. */
int ig_stage_find(const ig_chain *chain, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(chain->stage[i].name, name) == 0)
      return i;
  return -1;
}

/* "a, b or c" for messages; what does not fit into 512 characters is left out. */
void ig_stage_list(const ig_chain *chain, int count, char *list, size_t size) {
  char names[512] = "";
  for (int i = 0; i < count; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? "|" : "",
             chain->stage[i].name);
  ig_choices_list(names, list, size);
}
