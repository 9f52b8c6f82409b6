/* The peer's side of akantu.py: a strip held at top and bottom, stretched from the start, whose middle line may open.

   akantu MESH MATERIALS STEPS STEP_SECONDS CHECK_EVERY STRAIN HEIGHT BAND
   prints: elements, cohesive elements, strain, kinetic and dissipated energy at the end. */
#include "solid_mechanics_model_cohesive.hh"

#include <cstdio>
#include <cstdlib>

using namespace akantu;

int main(int argc, char **argv) {
  if (argc != 9)
    return 2;
  const std::string mesh_file = argv[1], materials = argv[2];
  const int steps = std::atoi(argv[3]), check_every = std::atoi(argv[5]);
  const double dt = std::atof(argv[4]), strain = std::atof(argv[6]), height = std::atof(argv[7]), band = std::atof(argv[8]);
  int none = 1; // the library reads options of its own
  initialize(materials, none, argv);

  const Int dim = 2;
  Mesh mesh(dim);
  mesh.read(mesh_file);
  SolidMechanicsModelCohesive model(mesh);
  model.initFull(_analysis_method = _explicit_lumped_mass, _is_extrinsic = true);
  model.setTimeStep(dt);
  model.getElementInserter().setLimit(_y, height / 2 - band, height / 2 + band);
  model.updateAutomaticInsertion();

  for (auto &&[x, u, held] : zip(make_view(mesh.getNodes(), dim), make_view(model.getDisplacement(), dim),
                                 make_view(model.getBlockedDOFs(), dim))) {
    u(_y) = strain * (x(_y) - height / 2);
    if (x(_y) < band || x(_y) > height - band)
      held(_x) = held(_y) = true;
  }
  for (int i = 1; i <= steps; i++) {
    model.solveStep();
    if (check_every && i % check_every == 0)
      model.checkCohesiveStress();
  }
  std::printf("elements %d cohesive %d strain %.9g kinetic %.9g dissipated %.9g\n", int(mesh.getNbElement(_triangle_6)),
              int(mesh.getNbElement(_cohesive_2d_6)), model.getEnergy("potential"), model.getEnergy("kinetic"),
              model.getEnergy("dissipated"));
  return 0;
}
