/* Lines and planes through the mesh along which facets are cut or have laws of their own. */
#ifndef IG_FRAC_CRACKS_H
#define IG_FRAC_CRACKS_H

#include "fracture/run.h"

/* Marks the facets that lie on the cracks (host side of `mark`); then, when the model has started,
   opens them: free notches, then those whose sides keep contact.
   Fails where no facet lies on a crack of the case. */
IG_MUST_CHECK ig_status ig_frac_cracks_mark(ig_job *job, ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_cracks_open(ig_job *job, ig_frac_model *m);
/* The law of the first material, and, where there are several laws, those of all facets: a facet
   inside a material opens by that material's, one between two by that of their interface, by the
   one of the lower strength if there is none; weak planes come last. */
IG_MUST_CHECK ig_status ig_frac_law_first(ig_job *job, ig_cohesive *law);
IG_MUST_CHECK ig_status ig_frac_laws_set(ig_job *job, ig_frac_model *m);

/* Residual stress of a snapshot (residual.c): read before the model starts; then, where notches are
   cut, displacements that bring it into balance. */
IG_MUST_CHECK ig_status ig_frac_residual_read(ig_job *job, ig_frac_model *m);
IG_MUST_CHECK ig_status ig_frac_residual_balance(ig_job *job, ig_frac_model *m);

#endif
