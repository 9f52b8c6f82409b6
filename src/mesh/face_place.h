/* Places of faces of 3, 4, 6 or 8 nodes, corners first, from outside counter-clockwise. Natural
   coordinates are -1 to 1, of triangles 0 to 1; x: positions of the nodes. */
#ifndef IG_MESH_FACE_PLACE_H
#define IG_MESH_FACE_PLACE_H

/* Shape functions and their derivatives. */
void ig_face_values(int nodes, const double at[2], double *N, double d[8][2]);
/* Unit normal from the derivatives; returns the area per unit of natural coordinates. */
double ig_face_normal(int nodes, const double (*x)[3], const double slope[8][2], double n[3]);
/* The nearest place to p, on the face: the square of its distance, its place, and the shares of the
   nodes. */
double ig_face_nearest(int nodes, const double (*x)[3], const double p[3], double at[2], double *N);
/* Points of integration, at most 9, and their weights, which sum to 4 of quadrilaterals and 1/2 of
   triangles: how many. */
int ig_face_rule(int nodes, double at[9][2], double weight[9]);

typedef struct {
  double N[8], d[8][2], normal[3]; /* shape functions, their derivatives, unit normal */
} ig_face_place;
/* The place, from `at` on, where the normal goes through p; the face goes on beyond its edges by
   half of it. */
void ig_face_project(int nodes, const double (*x)[3], const double p[3], const double at[2],
                     ig_face_place *to);

#endif
