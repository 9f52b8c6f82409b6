/* Math functions of the current REAL, so that a kernel source never names one precision's. R_...:
   of REAL; R_LANE_...: of packs all lanes at once, for speed; R_S_...: of SCALAR */
#undef R_SQRT
#undef R_FABS
#undef R_EXP
#undef R_LOG
#undef R_POW
#undef R_LANE_LOG
#undef R_LANE_EXP
#undef R_SIN
#undef R_COS
#undef R_ATAN2
#undef R_FMAX
#undef R_FMIN
#undef R_CBRT
#undef R_EPS
#undef R_FLOOR
#undef R_OF
#undef R_S_MAX
#undef R_S_POW
#undef R_S_SQRT
#undef R_S_LOG
#undef R_S_EXP
#undef R_IFGT
#undef R_ANYGT
#undef R_CHAIN
/* a number as REAL; a > b ? x : y; and whether a > b (in any lane of a pack) */
#define R_OF(scalar) ((REAL)(scalar))
#define R_IFGT(a, b, x, y) ((a) > (b) ? (x) : (y))
#define R_ANYGT(a, b) ((a) > (b))
/* a value that was found lane by lane, as a function of `at` with that slope (dual numbers) */
#define R_CHAIN(value, at, slope) (value)
#if IG_IS_F64
#define R_SQRT sqrt
#define R_FABS fabs
#define R_EXP exp
#define R_LOG log
#define R_POW pow
#define R_LANE_LOG log /* of packs all lanes at once, to a few units of the last digit */
#define R_LANE_EXP exp
#define R_SIN sin
#define R_COS cos
#define R_ATAN2 atan2
#define R_FMAX fmax
#define R_FMIN fmin
#define R_CBRT cbrt
#define R_FLOOR floor
#define R_EPS 2.220446049250313e-16
#define R_S_MAX fmax /* of SCALAR, whatever REAL is */
#define R_S_POW pow
#define R_S_SQRT sqrt
#define R_S_LOG log
#define R_S_EXP exp
#else
#define R_SQRT sqrtf
#define R_FABS fabsf
#define R_EXP expf
#define R_LOG logf
#define R_POW powf
#define R_LANE_LOG logf
#define R_LANE_EXP expf
#define R_SIN sinf
#define R_COS cosf
#define R_ATAN2 atan2f
#define R_FMAX fmaxf
#define R_FMIN fminf
#define R_CBRT cbrtf
#define R_FLOOR floorf
#define R_EPS 1.1920929e-7f
#define R_S_MAX fmaxf
#define R_S_POW powf
#define R_S_SQRT sqrtf
#define R_S_LOG logf
#define R_S_EXP expf
#endif
