/* Math functions of the current REAL, so that a kernel source never names one precision's. */
#undef R_SQRT
#undef R_FABS
#undef R_EXP
#undef R_LOG
#undef R_POW
#undef R_SIN
#undef R_COS
#undef R_ATAN2
#undef R_FMAX
#undef R_FMIN
#undef R_CBRT
#undef R_EPS
#undef R_FLOOR
#if IG_IS_F64
#define R_SQRT sqrt
#define R_FABS fabs
#define R_EXP exp
#define R_LOG log
#define R_POW pow
#define R_SIN sin
#define R_COS cos
#define R_ATAN2 atan2
#define R_FMAX fmax
#define R_FMIN fmin
#define R_CBRT cbrt
#define R_FLOOR floor
#define R_EPS 2.220446049250313e-16
#else
#define R_SQRT sqrtf
#define R_FABS fabsf
#define R_EXP expf
#define R_LOG logf
#define R_POW powf
#define R_SIN sinf
#define R_COS cosf
#define R_ATAN2 atan2f
#define R_FMAX fmaxf
#define R_FMIN fminf
#define R_CBRT cbrtf
#define R_FLOOR floorf
#define R_EPS 1.1920929e-7f
#endif
