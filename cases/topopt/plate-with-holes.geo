// A plate 200 x 100 x 10 mm with three holes; millimetres.
SetFactory("OpenCASCADE");
Rectangle(1) = {0, 0, 0, 200, 100};
Disk(2) = {40, 50, 0, 15};
Disk(3) = {100, 50, 0, 22};
Disk(4) = {160, 50, 0, 15};
BooleanDifference(5) = { Surface{1}; Delete; }{ Surface{2, 3, 4}; Delete; };
Mesh.MeshSizeMin = 4;
Mesh.MeshSizeMax = 4;
Mesh.MeshSizeFromCurvature = 0;
Mesh.RecombineAll = 1;
Mesh.RecombinationAlgorithm = 2;
out[] = Extrude {0, 0, 10} { Surface{5}; Layers{3}; Recombine; };
Physical Volume("part") = {out[1]};
e = 0.01;
bolt[] = Surface In BoundingBox {25 - e, 35 - e, -e, 55 + e, 65 + e, 10 + e};
pin[] = Surface In BoundingBox {145 - e, 35 - e, -e, 175 + e, 65 + e, 10 + e};
Physical Surface("bolt") = {bolt[]};
Physical Surface("pin") = {pin[]};
