/* Types every Ingot header speaks in. */
#ifndef INGOT_TYPES_H
#define INGOT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define IG_C_BEGIN extern "C" {
#define IG_C_END }
#else
#define IG_C_BEGIN
#define IG_C_END
#endif

#if defined(__GNUC__)
#define IG_API __attribute__((visibility("default")))
#define IG_MUST_CHECK __attribute__((warn_unused_result))
#define IG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define IG_API
#define IG_MUST_CHECK
#define IG_PRINTF(fmt, args)
#endif

/* A node or element as this process numbers it. */
typedef int32_t ig_lid;

/* By role: `mixed` keeps the state and its sums in double and does element work in single. */
typedef enum { IG_SINGLE, IG_DOUBLE, IG_MIXED } ig_precision;
#define IG_PRECISION_CHOICES "single|double|mixed"

/* How element contributions meet at a node. All but `atomic` are reproducible bit by bit. */
typedef enum { IG_ATOMIC, IG_COLOR, IG_GATHER, IG_CLUSTER } ig_assembly;
#define IG_ASSEMBLY_CHOICES "atomic|color|gather|cluster"

/* How numbers are stored. */
typedef enum { IG_F32, IG_F64, IG_I32, IG_I64, IG_U8 } ig_dtype;
/* What a field belongs to. IG_AT_ELEMENTS: one item for each element of the mesh; IG_AT_CELLS: one
   for each cell of a snapshot, which may leave out elements; IG_AT_WHOLE: a few numbers for all of
   it, such as the objective of a design. */
typedef enum { IG_AT_POINTS, IG_AT_CELLS, IG_AT_ELEMENTS, IG_AT_WHOLE } ig_location;

#endif
