/* SPDX-License-Identifier: Apache-2.0 */
/* Interposed matrix products of cuBLAS and cuBLASLt: always timed, with their shapes.
 * Invariants: as in hooks_runtime.c. A product inside another one (cuBLAS can call cuBLASLt) belongs to the outer one. */
#define _GNU_SOURCE
#include "collectors/cuda/resolve.h"
#include "collectors/cuda/tracer.h"

enum { kFloat = 0, kDouble = 1, kHalf = 2, kComplex = 4 }; /* cudaDataType */

static char transLetter(int operation) { return operation == 0 ? 'n' : operation == 1 ? 't' : 'c'; }

static struct rgc_gemm shape(int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, int64_t batch, int type_a, int type_c) {
  const struct rgc_gemm gemm = {m, n, k, batch, type_a, type_c, transLetter(trans_a), transLetter(trans_b)};
  return gemm;
}

static struct rgc_op *begin(rgc_handle handle, const char *name, struct rgc_gemm gemm) {
  static rgc_function _Atomic known;
  int (*get_stream)(rgc_handle, rgc_stream *) = (int (*)(rgc_handle, rgc_stream *))rgc_real(&known, RGC_CUBLAS, "cublasGetStream_v2", NULL);
  rgc_stream stream = NULL;
  if (get_stream && get_stream(handle, &stream) != 0) stream = NULL;
  struct rgc_op *op = rgc_begin(stream, RGC_CURRENT_DEVICE, RGC_OP_GEMM, name);
  if (op) op->about.gemm = gemm;
  return op;
}

/* An interposed product: its parameters, the same as arguments, its shape. */
#define GEMM(name, parameters, arguments, gemm)     \
  RGC_EXPORT int name parameters;                   \
  RGC_EXPORT int name parameters {                  \
    RGC_FIND(RGC_CUBLAS, name);                     \
    if (!real) return RGC_CUBLAS_MISSING;           \
    struct rgc_op *op = begin(handle, #name, gemm); \
    const int status = real arguments;              \
    rgc_end(op, status);                            \
    return status;                                  \
  }

#define PLAIN_GEMM(name, type)                                                                                                      \
  GEMM(name,                                                                                                                        \
       (rgc_handle handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha, const void *a, int lda, const void *b, \
        int ldb, const void *beta, void *c, int ldc),                                                                               \
       (handle, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc), shape(trans_a, trans_b, m, n, k, 1, type, type))
PLAIN_GEMM(cublasSgemm_v2, kFloat)
PLAIN_GEMM(cublasDgemm_v2, kDouble)
PLAIN_GEMM(cublasCgemm_v2, kComplex)
PLAIN_GEMM(cublasHgemm, kHalf)

#define STRIDED_GEMM(name, type)                                                                                                         \
  GEMM(name,                                                                                                                             \
       (rgc_handle handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha, const void *a, int lda, long long stride_a, \
        const void *b, int ldb, long long stride_b, const void *beta, void *c, int ldc, long long stride_c, int batch),                  \
       (handle, trans_a, trans_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch),                    \
       shape(trans_a, trans_b, m, n, k, batch, type, type))
STRIDED_GEMM(cublasSgemmStridedBatched, kFloat)
STRIDED_GEMM(cublasDgemmStridedBatched, kDouble)
STRIDED_GEMM(cublasHgemmStridedBatched, kHalf)

GEMM(cublasSgemmEx,
     (rgc_handle handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha, const void *a, int type_a, int lda,
      const void *b, int type_b, int ldb, const void *beta, void *c, int type_c, int ldc),
     (handle, trans_a, trans_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc),
     shape(trans_a, trans_b, m, n, k, 1, type_a, type_c))

GEMM(cublasGemmEx,
     (rgc_handle handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha, const void *a, int type_a, int lda,
      const void *b, int type_b, int ldb, const void *beta, void *c, int type_c, int ldc, int compute, int algorithm),
     (handle, trans_a, trans_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, compute, algorithm),
     shape(trans_a, trans_b, m, n, k, 1, type_a, type_c))

GEMM(cublasGemmEx_64,
     (rgc_handle handle, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, int type_a,
      int64_t lda, const void *b, int type_b, int64_t ldb, const void *beta, void *c, int type_c, int64_t ldc, int compute, int algorithm),
     (handle, trans_a, trans_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, compute, algorithm),
     shape(trans_a, trans_b, m, n, k, 1, type_a, type_c))

GEMM(cublasGemmBatchedEx,
     (rgc_handle handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha, const void *const *a, int type_a, int lda,
      const void *const *b, int type_b, int ldb, const void *beta, void *const *c, int type_c, int ldc, int batch, int compute,
      int algorithm),
     (handle, trans_a, trans_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, batch, compute, algorithm),
     shape(trans_a, trans_b, m, n, k, batch, type_a, type_c))

GEMM(cublasGemmStridedBatchedEx,
     (rgc_handle handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha, const void *a, int type_a, int lda,
      long long stride_a, const void *b, int type_b, int ldb, long long stride_b, const void *beta, void *c, int type_c, int ldc,
      long long stride_c, int batch, int compute, int algorithm),
     (handle, trans_a, trans_b, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb, stride_b, beta, c, type_c, ldc, stride_c, batch,
      compute, algorithm),
     shape(trans_a, trans_b, m, n, k, batch, type_a, type_c))

/* --- cuBLASLt: shapes are in opaque descriptors ------------------------------------------------------------------- */

typedef int attribute_function(rgc_handle, int, void *, size_t, size_t *);

static int64_t number(attribute_function *get, rgc_handle object, int attribute, size_t bytes, int64_t otherwise) {
  int64_t wide = 0;
  int32_t narrow = 0;
  size_t written = 0;
  if (!get || !object || get(object, attribute, bytes == 8 ? (void *)&wide : (void *)&narrow, bytes, &written) != 0 || written != bytes)
    return otherwise;
  return bytes == 8 ? wide : narrow;
}

static struct rgc_gemm ltShape(rgc_handle description, rgc_handle layout_a, rgc_handle layout_d) {
  static rgc_function _Atomic known_layout, known_description;
  attribute_function *layout = (attribute_function *)rgc_real(&known_layout, RGC_CUBLASLT, "cublasLtMatrixLayoutGetAttribute", NULL);
  attribute_function *matmul = (attribute_function *)rgc_real(&known_description, RGC_CUBLASLT, "cublasLtMatmulDescGetAttribute", NULL);
  const int trans_a = (int)number(matmul, description, RGC_MATMUL_TRANSA, 4, 0);
  const int trans_b = (int)number(matmul, description, RGC_MATMUL_TRANSB, 4, 0);
  const int64_t k = number(layout, layout_a, trans_a == 0 ? RGC_LAYOUT_COLS : RGC_LAYOUT_ROWS, 8, 0);
  return shape(trans_a, trans_b, number(layout, layout_d, RGC_LAYOUT_ROWS, 8, 0), number(layout, layout_d, RGC_LAYOUT_COLS, 8, 0), k,
               number(layout, layout_d, RGC_LAYOUT_BATCH, 4, 1), (int)number(layout, layout_a, RGC_LAYOUT_TYPE, 4, -1),
               (int)number(layout, layout_d, RGC_LAYOUT_TYPE, 4, -1));
}

RGC_EXPORT int cublasLtMatmul(rgc_handle handle, rgc_handle description, const void *alpha, const void *a, rgc_handle layout_a,
                              const void *b, rgc_handle layout_b, const void *beta, const void *c, rgc_handle layout_c, void *d,
                              rgc_handle layout_d, const void *algorithm, void *workspace, size_t workspace_bytes, rgc_stream stream);
RGC_EXPORT int cublasLtMatmul(rgc_handle handle, rgc_handle description, const void *alpha, const void *a, rgc_handle layout_a,
                              const void *b, rgc_handle layout_b, const void *beta, const void *c, rgc_handle layout_c, void *d,
                              rgc_handle layout_d, const void *algorithm, void *workspace, size_t workspace_bytes, rgc_stream stream) {
  RGC_FIND(RGC_CUBLASLT, cublasLtMatmul);
  if (!real) return RGC_CUBLAS_MISSING;
  struct rgc_op *op = rgc_begin(stream, RGC_CURRENT_DEVICE, RGC_OP_GEMM, "cublasLtMatmul");
  if (op) op->about.gemm = ltShape(description, layout_a, layout_d);
  const int status = real(handle, description, alpha, a, layout_a, b, layout_b, beta, c, layout_c, d, layout_d, algorithm, workspace,
                          workspace_bytes, stream);
  rgc_end(op, status);
  return status;
}
