/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for the binary interfaces of CUDA 11 to 13, cuBLAS and NCCL, so that the build needs none of their headers.
 *
 * Ownership:  handles belong to their creator; the tracer frees only handles that it created.
 * Errors:     every status is an int; 0 is success everywhere.
 */
#ifndef RUNGLASS_CUDA_ABI_H
#define RUNGLASS_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef void *rgc_stream; /* cudaStream_t, CUstream */
typedef void *rgc_event;  /* cudaEvent_t, CUevent */
typedef void *rgc_handle; /* any other opaque handle */

/* Attributes of an interposed function. */
#define RGC_EXPORT __attribute__((visibility("default")))

enum {
  RGC_SUCCESS = 0,
  RGC_INVALID_VALUE = 1,
  RGC_UNLOADING = 4, /* cudaErrorCudartUnloading, CUDA_ERROR_DEINITIALIZED */
  RGC_INVALID_HANDLE = 400,
  RGC_NOT_READY = 600,
  RGC_CAPTURE_FIRST = 900, /* 900..907: the call is not permitted in a stream capture */
  RGC_CAPTURE_LAST = 907,
  RGC_UNKNOWN = 999, /* result of an interposed CUDA function when the real one is not found */
  RGC_CUBLAS_MISSING = 1,
  RGC_NCCL_MISSING = 3,
  RGC_NCCL_IN_PROGRESS = 7
};

enum { RGC_CAPTURE_MODE_RELAXED = 2, RGC_STREAM_NON_BLOCKING = 1 };

struct rgc_dim3 {
  unsigned x, y, z;
};

/* cudaLaunchConfig_t */
struct rgc_launch_config {
  struct rgc_dim3 grid, block;
  size_t shared_bytes;
  rgc_stream stream;
  void *attributes;
  unsigned attribute_count;
};

/* CUlaunchConfig */
struct rgc_driver_launch_config {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  rgc_stream stream;
  void *attributes;
  unsigned attribute_count;
};

/* ncclUniqueId, passed by value */
struct rgc_nccl_id {
  char internal[128];
};

enum rgc_copy { RGC_HOST_TO_HOST, RGC_HOST_TO_DEVICE, RGC_DEVICE_TO_HOST, RGC_DEVICE_TO_DEVICE, RGC_COPY_DEFAULT, RGC_COPY_KINDS };

/* cublasLtMatrixLayoutAttribute_t and cublasLtMatmulDescAttributes_t */
enum { RGC_LAYOUT_TYPE = 0, RGC_LAYOUT_ROWS = 2, RGC_LAYOUT_COLS = 3, RGC_LAYOUT_BATCH = 5 };
enum { RGC_MATMUL_TRANSA = 3, RGC_MATMUL_TRANSB = 4 };

#endif
