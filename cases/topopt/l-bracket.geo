// An L-bracket 100 mm tall and wide with a fillet in the inner corner; millimetres. Recombined
// quadrilaterals, extruded: hexahedra throughout.
SetFactory("OpenCASCADE");
Point(1) = {0, 0, 0};     Point(2) = {100, 0, 0};  Point(3) = {100, 40, 0};
Point(4) = {52, 40, 0};   Point(5) = {52, 52, 0};  Point(6) = {40, 52, 0};
Point(7) = {40, 100, 0};  Point(8) = {0, 100, 0};
Line(1) = {1, 2};  Line(2) = {2, 3};  Line(3) = {3, 4};
Circle(4) = {4, 5, 6};
Line(5) = {6, 7};  Line(6) = {7, 8};  Line(7) = {8, 1};
Curve Loop(1) = {1, 2, 3, 4, 5, 6, 7};
Plane Surface(1) = {1};
Mesh.MeshSizeMin = 4;
Mesh.MeshSizeMax = 4;
Mesh.RecombineAll = 1;
Mesh.RecombinationAlgorithm = 2;
out[] = Extrude {0, 0, 20} { Surface{1}; Layers{5}; Recombine; };
Physical Volume("part") = {out[1]};
Physical Surface("tip") = {out[3]};
Physical Surface("top") = {out[7]};
