// A steering knuckle in outline: the wheel bearing's bore in the middle, arms up, down and to the
// tie rod, each with a bolt hole; millimetres. The bearing's ring and the bosses are volumes of
// their own, so that the case can hold them solid; all is quadrilaterals, extruded.
SetFactory("OpenCASCADE");
Rectangle(1) = {-55, -55, 0, 110, 110, 20};
Rectangle(2) = {-28, 20, 0, 56, 110, 12};
Rectangle(3) = {-28, -130, 0, 56, 110, 12};
Rectangle(4) = {20, -25, 0, 100, 50, 12};
BooleanUnion(10) = { Surface{1}; Delete; }{ Surface{2, 3, 4}; Delete; };
Disk(11) = {0, 0, 0, 30};
Disk(12) = {0, 112, 0, 8};
Disk(13) = {0, -112, 0, 8};
Disk(14) = {102, 0, 0, 8};
BooleanDifference(20) = { Surface{10}; Delete; }{ Surface{11, 12, 13, 14}; Delete; };
Disk(21) = {0, 0, 0, 40};
Disk(22) = {0, 112, 0, 15};
Disk(23) = {0, -112, 0, 15};
Disk(24) = {102, 0, 0, 15};
pieces[] = BooleanFragments{ Surface{20}; Delete; }{ Surface{21, 22, 23, 24}; Delete; };
// fragments of the discs that lie in the holes are not part of the knuckle
e = 0.01;
holes[] = Surface In BoundingBox {-30 - e, -30 - e, -e, 30 + e, 30 + e, e};
holes[] += Surface In BoundingBox {-8 - e, 104 - e, -e, 8 + e, 120 + e, e};
holes[] += Surface In BoundingBox {-8 - e, -120 - e, -e, 8 + e, -104 + e, e};
holes[] += Surface In BoundingBox {94 - e, -8 - e, -e, 110 + e, 8 + e, e};
Recursive Delete { Surface{holes[]}; }
Mesh.MeshSizeMin = 5;
Mesh.MeshSizeMax = 5;
Mesh.MeshSizeFromCurvature = 0;
Mesh.RecombineAll = 1;
Mesh.RecombinationAlgorithm = 2;
flat[] = Surface In BoundingBox {-200, -200, -e, 200, 200, e};
out[] = Extrude {0, 0, 30} { Surface{flat[]}; Layers{6}; Recombine; };
all[] = Volume In BoundingBox {-200, -200, -200, 200, 200, 200};
ring[] = Volume In BoundingBox {-40 - e, -40 - e, -e, 40 + e, 40 + e, 30 + e};
bosses[] = Volume In BoundingBox {-15 - e, 97 - e, -e, 15 + e, 127 + e, 30 + e};
bosses[] += Volume In BoundingBox {-15 - e, -127 - e, -e, 15 + e, -97 + e, 30 + e};
bosses[] += Volume In BoundingBox {87 - e, -15 - e, -e, 117 + e, 15 + e, 30 + e};
web[] = all[];
web[] -= ring[];
web[] -= bosses[];
Physical Volume("web") = {web[]};
Physical Volume("ring") = {ring[]};
Physical Volume("bosses") = {bosses[]};
bearing[] = Surface In BoundingBox {-30 - e, -30 - e, -e, 30 + e, 30 + e, 30 + e};
upper[] = Surface In BoundingBox {-8 - e, 104 - e, -e, 8 + e, 120 + e, 30 + e};
lower[] = Surface In BoundingBox {-8 - e, -120 - e, -e, 8 + e, -104 + e, 30 + e};
tie[] = Surface In BoundingBox {94 - e, -8 - e, -e, 110 + e, 8 + e, 30 + e};
Physical Surface("bearing") = {bearing[]};
Physical Surface("upper") = {upper[]};
Physical Surface("lower") = {lower[]};
Physical Surface("tie") = {tie[]};
