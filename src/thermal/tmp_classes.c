#include "mesh/topology.h"
#include <stdlib.h>
#include <string.h>
#include <math.h>
__attribute__((weak)) ig_status ig_mesh_classes(ig_ctx *cx, const double *x, ig_lid elements, int npe,
                                              const ig_lid *conn, ig_classes *classes) {
  memset(classes,0,sizeof *classes);
  IG_TRY(IG_NEW(cx,&classes->of,elements,"x"));
  IG_TRY(IG_NEW(cx,&classes->representative,elements,"x"));
  for (ig_lid e=0;e<elements;e++){ ig_lid c; for(c=0;c<classes->count;c++){ double d=0; const ig_lid*p=conn+npe*classes->representative[c],*q=conn+npe*e;
    for(int a=0;a<npe;a++)for(int k=0;k<3;k++) d=fmax(d,fabs(x[3*p[a]+k]-x[3*p[0]+k]-x[3*q[a]+k]+x[3*q[0]+k])); if(d<1e-12)break;}
    if(c==classes->count) classes->representative[classes->count++]=e; classes->of[e]=c;}
  return IG_OK;
}
__attribute__((weak)) void ig_classes_free(ig_classes *c){free(c->of);free(c->representative);memset(c,0,sizeof*c);}
