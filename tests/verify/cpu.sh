# A verification problem of each room where device memory is host memory: all quick ones run in debug.sh by the same
# code (src/backend/cpu/cpu.c has one table for both), and the other tests run here.
"$INGOT" verify --backend cpu thermal/slab topopt/mesh-patch fracture/separation dynamics/collision stress/bars powder/order structure/cook grains/octahedron
