/* How an analysis is made where the case leaves it open. */
#include "dynamics/dynamics.h"

ig_dyn_method ig_dyn_method_of(const ig_dyn_case *c, const ig_dyn_analysis *a) {
  bool touch = c->contact.at.given && c->contact.on;
  for (int i = 0; i < c->tools.count; i++)
    touch |= IG_ITEM(const ig_dyn_tool_case, c->tools, i)->friction > 0;
  if (a->method != IG_STATIC_AUTO)
    return (ig_dyn_method)a->method;
  return touch && a->kind == IG_ANALYSIS_STATIC ? IG_STATIC_RELAXATION : IG_STATIC_NEWTON;
}
