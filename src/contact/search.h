/* Faces of one side, found by place: a tree of boxes over their nodes, at positions that are copied
   when it is made. */
#ifndef IG_CONTACT_SEARCH_H
#define IG_CONTACT_SEARCH_H

#include "contact/contact.h"

typedef struct {
  int nodes;
  ig_lid node[8];
  double x[8][3], low[3], high[3];
} ig_contact_face;

/* Zeros: none. order: faces, those of a part of the tree one after the other; box: of each part,
   low then high; parts are those of the first half and of the second, from `leaf` faces on. */
typedef struct {
  int32_t count;
  ig_contact_face *face;
  int32_t *order;
  double (*box)[6];
} ig_contact_search;

/* drawn: at the positions of the start instead of the accepted ones. *to is zero before. */
IG_MUST_CHECK ig_status ig_contact_search_new(const ig_contact *s, const ig_set *set, bool drawn,
                                              ig_contact_search *to);
void ig_contact_search_free(ig_contact_search *s);
/* The face nearest to p within `reach`, -1: none; at: the place on it. Of equals the first. */
int32_t ig_contact_search_nearest(const ig_contact_search *s, const double p[3], double reach,
                                  double at[2]);
/* The faces whose boxes are no further from a box than `reach` along any axis, by
   rising numbers, into `found`, which has room for all: how many. */
int32_t ig_contact_search_near(const ig_contact_search *s, const double low[3],
                               const double high[3], double reach, int32_t *found);

#endif
