/* Ingot: finite elements for people who design, print and break parts. */
#ifndef INGOT_H
#define INGOT_H

#include <ingot/assimilate.h>
#include <ingot/calibrate.h>
#include <ingot/chain.h>
#include <ingot/context.h>
#include <ingot/dataset.h>
#include <ingot/deck.h>
#include <ingot/finish.h>
#include <ingot/gradient.h>
#include <ingot/law.h>
#include <ingot/mesh.h>
#include <ingot/partition.h>
#include <ingot/path.h>
#include <ingot/ranks.h>
#include <ingot/report.h>
#include <ingot/result.h>
#include <ingot/room.h>
#include <ingot/run.h>
#include <ingot/sample.h>
#include <ingot/sim.h>
#include <ingot/solver.h>
#include <ingot/sweep.h>
#include <ingot/upgrade.h>
#include <ingot/version.h>
#include <ingot/view.h>

#endif
