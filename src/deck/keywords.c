/* The keywords of decks: which parameters are understood, and what a case has for them.

   The single list of what is read: cards.c checks against it, docs/reference/decks.md describes it.
   A keyword that does not change results but has no counterpart is UNANSWERED and needs --lenient;
   one that would change results is REFUSED with a remedy. Search is linear: the table is short. */
#include "deck/deck.h"

#include <string.h>
#include <strings.h>

/* Remedy of keywords that change the mechanics and that nothing in a case can express. */
#define NO_PLACE "a case has no counterpart; remove it or replace it"
/* word, class, understood parameters, idle parameters, what it becomes (or why it is refused).
   The row with a NULL word ends the table. */
const ig_deck_keyword ig_deck_keywords[] = {
    /* the mesh */
    {"NODE", IG_DECK_MESH, "NSET|SYSTEM|INPUT", "", "mesh.file"},
    {"ELEMENT", IG_DECK_MESH, "TYPE|ELSET|INPUT", "", "mesh.file, sections"},
    {"NSET", IG_DECK_MESH, "NSET|GENERATE|ELSET|INSTANCE|UNSORTED|INTERNAL", "", "mesh.file"},
    {"ELSET", IG_DECK_MESH, "ELSET|GENERATE|INSTANCE|INTERNAL", "", "mesh.file"},
    {"SURFACE", IG_DECK_MESH, "NAME|TYPE|INTERNAL", "", "mesh.file"},
    {"PART", IG_DECK_MESH, "NAME", "", "mesh.file"},
    {"ENDPART", IG_DECK_MESH, "", "", "mesh.file"},
    {"ASSEMBLY", IG_DECK_MESH, "NAME", "", "mesh.file"},
    {"ENDASSEMBLY", IG_DECK_MESH, "", "", "mesh.file"},
    {"INSTANCE", IG_DECK_MESH, "NAME|PART", "", "mesh.file"},
    {"ENDINSTANCE", IG_DECK_MESH, "", "", "mesh.file"},
    {"HEADING", IG_DECK_MODEL, "", "", "title"},
    /* materials */
    {"MATERIAL", IG_DECK_MODEL, "NAME", "", "materials[].name"},
    {"ELASTIC", IG_DECK_MODEL, "TYPE", "", "materials[].young, poisson; orthotropic"},
    {"PLASTIC", IG_DECK_MODEL, "HARDENING", "", "materials[].hardening_curve"},
    {"DENSITY", IG_DECK_MODEL, "", "", "materials[].density"},
    {"EXPANSION", IG_DECK_MODEL, "TYPE|ZERO", "", "materials[].mechanical.expansion_mean"},
    {"CONDUCTIVITY", IG_DECK_MODEL, "TYPE", "", "materials[].conductivity"},
    {"SPECIFICHEAT", IG_DECK_MODEL, "", "", "materials[].specific_heat"},
    /* sections */
    {"SOLIDSECTION", IG_DECK_MODEL, "ELSET|MATERIAL|ORIENTATION", "CONTROLS",
     "materials[].set, sections"},
    {"SHELLSECTION", IG_DECK_MODEL, "ELSET|MATERIAL|OFFSET|NODALTHICKNESS", "",
     "materials[].set, shells"},
    {"BEAMSECTION", IG_DECK_MODEL, "ELSET|MATERIAL|SECTION|OFFSET1|OFFSET2|NODALTHICKNESS", "",
     "materials[].set, beams"},
    {"ORIENTATION", IG_DECK_MODEL, "NAME|SYSTEM|DEFINITION", "", "materials[].orthotropic.axes"},
    {"TRANSFORM", IG_DECK_MODEL, "NSET|TYPE", "", "axes"},
    {"AMPLITUDE", IG_DECK_MODEL, "NAME|TIME|DEFINITION", "", "history of supports and loads"},
    /* what joins nodes */
    {"EQUATION", IG_DECK_MODEL, "REMOVE|REMOVEALL", "", "equations"},
    {"MPC", IG_DECK_MODEL, "", "", "joints"},
    {"TIE", IG_DECK_MODEL, "NAME|POSITIONTOLERANCE|ADJUST", "", "ties"},
    {"RIGIDBODY", IG_DECK_MODEL, "NSET|ELSET|REFNODE|ROTNODE", "", "couplings"},
    {"COUPLING", IG_DECK_MODEL, "CONSTRAINTNAME|REFNODE|SURFACE|ORIENTATION", "", "couplings"},
    {"KINEMATIC", IG_DECK_MODEL, "", "", "couplings[].kind"},
    {"DISTRIBUTING", IG_DECK_MODEL, "", "", "couplings[].kind"},
    {"INITIALCONDITIONS", IG_DECK_MODEL, "TYPE", "", "initial, temperature"},
    {"PHYSICALCONSTANTS", IG_DECK_MODEL, "ABSOLUTEZERO|STEFANBOLTZMANN", "", "temperatures in K"},
    {"CONTACTPAIR", IG_DECK_MODEL, "INTERACTION|TYPE|ADJUST|SMALLSLIDING", "", "contacts"},
    {"SURFACEINTERACTION", IG_DECK_MODEL, "NAME", "", "contacts"},
    {"SURFACEBEHAVIOR", IG_DECK_MODEL, "PRESSURE-OVERCLOSURE", "",
     "contacts[].stiffness, decay, tied"},
    {"FRICTION", IG_DECK_MODEL, "", "", "contacts[].friction, stick"},
    {"CONTACTDAMPING", IG_DECK_MODEL, "TANGENTFRACTION", "", "contacts[].damping, tangential"},
    {"CLEARANCE", IG_DECK_MODEL, "MASTER|SLAVE|VALUE", "", "contacts[].clearance"},
    {"GAPCONDUCTANCE", IG_DECK_UNANSWERED, "", "USER", "heat through contact is not computed"},
    {"DISTRIBUTINGCOUPLING", IG_DECK_MODEL, "ELSET", "", "couplings"},
    {"HYPERELASTIC", IG_DECK_MODEL,
     "NEOHOOKE|MOONEY-RIVLIN|YEOH|OGDEN|POLYNOMIAL|REDUCEDPOLYNOMIAL|N", "", "hyperelastic"},
    {"HYPERFOAM", IG_DECK_REFUSED, "", "", NO_PLACE},
    {"SPRING", IG_DECK_MODEL, "ELSET|NONLINEAR", "", "springs"},
    {"DASHPOT", IG_DECK_REFUSED, "", "", "dashpots are not part of a case"},
    {"MASS", IG_DECK_MODEL, "ELSET", "", "masses"},
    {"DAMPING", IG_DECK_MODEL, "ALPHA|BETA", "", "damping"},
    {"NODALTHICKNESS", IG_DECK_MODEL, "", "", "thicknesses"},
    {"NORMAL", IG_DECK_MODEL, "", "", "normals"},
    {"CREEP", IG_DECK_MODEL, "LAW", "", "materials[].mechanical.creep"},
    {"RATEDEPENDENT", IG_DECK_REFUSED, "", "", "a case has `law: johnson_cook`"},
    {"USERMATERIAL", IG_DECK_REFUSED, "", "", "compiled material laws are not loaded"},
    {"SUBMODEL", IG_DECK_REFUSED, "", "", NO_PLACE},
    {"CYCLICSYMMETRYMODEL", IG_DECK_REFUSED, "", "", "model the whole, or write *EQUATION"},
    {"PRE-TENSIONSECTION", IG_DECK_REFUSED, "", "", NO_PLACE},
    {"MEMBRANESECTION", IG_DECK_REFUSED, "", "", NO_PLACE},
    {"FLUIDSECTION", IG_DECK_REFUSED, "", "", "networks of fluids are not part of Ingot"},
    /* steps */
    {"STEP", IG_DECK_STEP, "NLGEOM|PERTURBATION|AMPLITUDE|INC|NAME", "", "analysis"},
    {"ENDSTEP", IG_DECK_STEP, "", "", "analysis"},
    {"STATIC", IG_DECK_STEP, "DIRECT|RIKS", "SOLVER", "analysis[].kind: static, method"},
    {"DYNAMIC", IG_DECK_STEP, "DIRECT|EXPLICIT|ALPHA", "SOLVER", "analysis[].kind: dynamic"},
    {"FREQUENCY", IG_DECK_STEP, "", "SOLVER|STORAGE", "analysis[].kind: frequency"},
    {"BUCKLE", IG_DECK_STEP, "", "SOLVER", "analysis[].kind: buckling"},
    {"HEATTRANSFER", IG_DECK_STEP, "STEADYSTATE|DIRECT", "SOLVER", "analysis[].kind: heat"},
    {"UNCOUPLEDTEMPERATURE-DISPLACEMENT", IG_DECK_REFUSED, "", "",
     "two analyses: thermal, then stress with its temperatures"},
    {"COUPLEDTEMPERATURE-DISPLACEMENT", IG_DECK_REFUSED, "", "",
     "two analyses: thermal, then stress with its temperatures"},
    {"VISCO", IG_DECK_STEP, "DIRECT|CETOL", "SOLVER", "analysis[].creep, creep_change"},
    {"MODALDYNAMIC", IG_DECK_REFUSED, "", "", NO_PLACE},
    {"STEADYSTATEDYNAMICS", IG_DECK_REFUSED, "", "", NO_PLACE},
    {"COMPLEXFREQUENCY", IG_DECK_REFUSED, "", "", NO_PLACE},
    {"GREEN", IG_DECK_REFUSED, "", "", NO_PLACE},
    {"SENSITIVITY", IG_DECK_REFUSED, "", "", "the room `topopt` has gradients"},
    {"RESTART", IG_DECK_UNANSWERED, "", "READ|WRITE|FREQUENCY|OVERLAY",
     "a run writes checkpoints by itself"},
    {"BOUNDARY", IG_DECK_STEP, "OP|AMPLITUDE|FIXED|TYPE", "", "supports"},
    {"CLOAD", IG_DECK_STEP, "OP|AMPLITUDE|TIMEDELAY", "", "loads[].force, moment"},
    {"DLOAD", IG_DECK_STEP, "OP|AMPLITUDE", "", "loads[].pressure, acceleration, spin"},
    {"DSLOAD", IG_DECK_STEP, "OP|AMPLITUDE", "", "loads[].pressure"},
    {"MODELCHANGE", IG_DECK_STEP, "TYPE|REMOVE|ADD", "", "contacts[].without"},
    {"TEMPERATURE", IG_DECK_STEP, "OP|AMPLITUDE", "", "temperature"},
    {"CFLUX", IG_DECK_STEP, "OP|AMPLITUDE", "", "heat_loads[].power"},
    {"DFLUX", IG_DECK_STEP, "OP|AMPLITUDE", "", "heat_loads[].flux, source"},
    {"FILM", IG_DECK_STEP, "OP|AMPLITUDE", "", "heat_loads[].film"},
    {"RADIATE", IG_DECK_STEP, "OP|AMPLITUDE", "", "heat_loads[].emissivity"},
    {"CONTROLS", IG_DECK_UNANSWERED, "", "PARAMETERS|RESET|ANALYSIS",
     "steps and tolerances are those of `analysis`"},
    {"TIMEPOINTS", IG_DECK_UNANSWERED, "", "NAME|GENERATE|TIME", "times of output: output.times"},
    /* output */
    {"NODEPRINT", IG_DECK_OUTPUT, "NSET|FREQUENCY|TOTALS|GLOBAL|TIMEPOINTS", "FREQUENCYF|OUTPUT",
     "tables"},
    {"ELPRINT", IG_DECK_OUTPUT, "ELSET|FREQUENCY|TOTALS|GLOBAL|TIMEPOINTS|POSITION", "FREQUENCYF",
     "tables"},
    {"NODEFILE", IG_DECK_OUTPUT, "", "NSET|FREQUENCY|OUTPUT|GLOBAL|TIMEPOINTS|LASTITERATIONS",
     "output: snapshots have the usual fields"},
    {"ELFILE", IG_DECK_OUTPUT, "",
     "NSET|ELSET|FREQUENCY|OUTPUT|GLOBAL|SECTIONFORCES|POSITION|TIMEPOINTS|LASTITERATIONS",
     "output: snapshots have the usual fields"},
    {"NODEOUTPUT", IG_DECK_OUTPUT, "", "NSET|FREQUENCY|OUTPUT|GLOBAL|VARIABLE|TIMEPOINTS",
     "output: snapshots have the usual fields"},
    {"ELEMENTOUTPUT", IG_DECK_OUTPUT, "",
     "ELSET|FREQUENCY|OUTPUT|GLOBAL|SECTIONFORCES|VARIABLE|POSITION|DIRECTIONS|TIMEPOINTS",
     "output: snapshots have the usual fields"},
    {"OUTPUT", IG_DECK_OUTPUT, "", "FIELD|HISTORY|FREQUENCY|VARIABLE|OP|NUMBERINTERVAL",
     "output: snapshots have the usual fields"},
    {"PREPRINT", IG_DECK_OUTPUT, "", "ECHO|MODEL|HISTORY|CONTACT", "nothing"},
    {"CONTACTFILE", IG_DECK_UNANSWERED, "", "FREQUENCY|TIMEPOINTS|LASTITERATIONS",
     "figures of contact are not written"},
    {"CONTACTPRINT", IG_DECK_UNANSWERED, "", "NSET|FREQUENCY|TOTALS|TIMEPOINTS|SLAVE|MASTER",
     "figures of contact are not written"},
    {"SECTIONPRINT", IG_DECK_OUTPUT, "SURFACE|NAME|FREQUENCY|TIMEPOINTS", "FREQUENCYF", "tables"},
    {NULL, IG_DECK_MESH, NULL, NULL, NULL}};

/* word: in capitals, without star and blanks. */
const ig_deck_keyword *ig_deck_keyword_find(const char *word) {
  for (const ig_deck_keyword *k = ig_deck_keywords; k->word; k++)
    if (strcmp(k->word, word) == 0)
      return k;
  return NULL;
}

/* Types may be in any case, as decks write them. */
bool ig_deck_is_point(const char *type) {
  return strncasecmp(type, "SPRING", 6) == 0 || strcasecmp(type, "MASS") == 0 ||
         strcasecmp(type, "DCOUP3D") == 0;
}
