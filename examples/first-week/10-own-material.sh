#!/bin/sh
# A material of your own, for all of your cases.
set -eu
mkdir -p my-materials
cat >my-materials/tool-steel.yaml <<END
# tool-steel: our tool steel, hardened.
# Sources: certificate 4711 of the supplier; conductivity measured by us.
name: tool-steel
density: 7700 kg/m^3
conductivity: 25 W/(m K)
specific_heat: 460 J/(kg K)
young: 207 GPa
poisson: 0.3
yield: 1.5 GPa
mechanical: {expansion_mean: 11e-6}
END
INGOT_MATERIALS=my-materials ingot materials tool-steel
INGOT_MATERIALS=my-materials ingot new statics --material tool-steel -o punch.yaml --force
INGOT_MATERIALS=my-materials ingot run punch.yaml --out punch
