// A crane hook: a shank, a bend of 225 degrees that narrows, a rounded tip; millimetres. Recombined
// quadrilaterals, extruded: hexahedra throughout.
SetFactory("OpenCASCADE");
R = 60; r = 25; w = 44; tall = 90;
Point(1) = {0, 0, 0};                      // centre of the throat
Point(2) = {-r, 0, 0};  Point(3) = {-R, 0, 0};
Point(4) = {-r, tall, 0};  Point(5) = {-R, tall, 0};
Point(6) = {0, -r, 0};  Point(7) = {0, -R - 4, 0};
Point(8) = {r, 0, 0};  Point(9) = {R - 8, 4, 0};
Point(10) = {26, 26, 0};  Point(11) = {44, 32, 0};
Line(1) = {4, 5};  Line(2) = {5, 3};
Spline(3) = {3, 7, 9, 11};
Line(4) = {11, 10};
BSpline(5) = {10, 8};
Circle(6) = {8, 1, 6};  Circle(7) = {6, 1, 2};
Line(8) = {2, 4};
Curve Loop(1) = {1, 2, 3, 4, 5, 6, 7, 8};
Plane Surface(1) = {1};
Mesh.MeshSizeMin = 4;
Mesh.MeshSizeMax = 4;
Mesh.RecombineAll = 1;
Mesh.RecombinationAlgorithm = 2;
out[] = Extrude {0, 0, 24} { Surface{1}; Layers{6}; Recombine; };
Physical Volume("part") = {out[1]};
Physical Surface("shank") = {out[2]};
Physical Surface("throat") = {out[7], out[8]};
