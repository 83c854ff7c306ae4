/* SPDX-License-Identifier: Apache-2.0 */
/* Interposed functions of the CUDA runtime.
 * Invariants: the real function is called exactly once, with the trainer's arguments, and the trainer gets its status. */
#define _GNU_SOURCE
#include "collectors/cuda/gpu_api.h"
#include "collectors/cuda/kernel_filter.h"
#include "collectors/cuda/kernel_names.h"
#include "collectors/cuda/resolve.h"
#include "collectors/cuda/tracer.h"

/* Stream 0 in code built for per-thread default streams. */
static rgc_stream ofThread(rgc_stream stream) { return stream ? stream : (rgc_stream)(uintptr_t)2; }

/* --- kernels ------------------------------------------------------------------------------------------------------- */

RGC_EXPORT void __cudaRegisterFunction(void **binary, const char *host, char *device, const char *name, int limit, void *thread_id,
                                       void *block_id, void *block, void *grid, int *warp);
RGC_EXPORT void __cudaRegisterFunction(void **binary, const char *host, char *device, const char *name, int limit, void *thread_id,
                                       void *block_id, void *block, void *grid, int *warp) {
  RGC_FIND(RGC_CUDART, __cudaRegisterFunction);
  rgc_kernel_put(host, name, 0);
  if (real) real(binary, host, device, name, limit, thread_id, block_id, block, grid, warp);
}

/* Since CUDA 12 a launch can name the kernel by a handle created from the host function. */
#define GET_KERNEL(name)                                                         \
  RGC_EXPORT int name(rgc_handle *kernel, const void *host);                     \
  RGC_EXPORT int name(rgc_handle *kernel, const void *host) {                    \
    RGC_FIND(RGC_CUDART, name);                                                  \
    if (!real) return RGC_UNKNOWN;                                               \
    const int status = real(kernel, host);                                       \
    if (status == 0 && kernel) rgc_kernel_put(*kernel, rgc_kernel_get(host), 1); \
    return status;                                                               \
  }
GET_KERNEL(__cudaGetKernel)
GET_KERNEL(cudaGetKernel)

static const char *kernelName(const void *function) {
  const char *name = rgc_kernel_get(function);
  if (name) return name;
  /* A handle from cudaGetKernel or similar: its name is queried once. */
  if (rgc_gpu.function_name && rgc_gpu.function_name(&name, function) != 0) rgc_gpu_clear(), name = NULL;
  rgc_kernel_put(function, name ? name : "(unnamed kernel)", 1);
  name = rgc_kernel_get(function);
  return name ? name : "(unnamed kernel)";
}

static struct rgc_op *beginKernel(rgc_stream stream, const void *function, struct rgc_dim3 grid, struct rgc_dim3 block, size_t shared) {
  if (rgc_filter_on() && rgc_filter_known_refused(kernelName(function))) return rgc_begin_none();
  struct rgc_op *op = rgc_begin(stream, RGC_CURRENT_DEVICE, RGC_OP_KERNEL, NULL);
  if (!op) return NULL;
  op->name = kernelName(function);
  op->about.kernel.grid = grid;
  op->about.kernel.block = block;
  op->about.kernel.shared_bytes = (int64_t)shared;
  return op;
}

#define LAUNCH(name, stream_of)                                                                                           \
  RGC_EXPORT int name(const void *function, struct rgc_dim3 grid, struct rgc_dim3 block, void **arguments, size_t shared, \
                      rgc_stream stream);                                                                                 \
  RGC_EXPORT int name(const void *function, struct rgc_dim3 grid, struct rgc_dim3 block, void **arguments, size_t shared, \
                      rgc_stream stream) {                                                                                \
    RGC_FIND(RGC_CUDART, name);                                                                                           \
    if (!real) return RGC_UNKNOWN;                                                                                        \
    if (!rgc_launch_traced()) return real(function, grid, block, arguments, shared, stream);                              \
    struct rgc_op *op = beginKernel(stream_of(stream), function, grid, block, shared);                                    \
    const int status = real(function, grid, block, arguments, shared, stream);                                            \
    rgc_end(op, status);                                                                                                  \
    return status;                                                                                                        \
  }
LAUNCH(cudaLaunchKernel, )
LAUNCH(cudaLaunchKernel_ptsz, ofThread)
LAUNCH(__cudaLaunchKernel, ) /* called by nvcc's stubs since CUDA 13 */
LAUNCH(__cudaLaunchKernel_ptsz, ofThread)
LAUNCH(cudaLaunchCooperativeKernel, )

RGC_EXPORT int cudaLaunchKernelExC(const struct rgc_launch_config *config, const void *function, void **arguments);
RGC_EXPORT int cudaLaunchKernelExC(const struct rgc_launch_config *config, const void *function, void **arguments) {
  RGC_FIND(RGC_CUDART, cudaLaunchKernelExC);
  if (!real) return RGC_UNKNOWN;
  if (!config || !rgc_launch_traced()) return real(config, function, arguments);
  struct rgc_op *op = beginKernel(config->stream, function, config->grid, config->block, config->shared_bytes);
  const int status = real(config, function, arguments);
  rgc_end(op, status);
  return status;
}

RGC_EXPORT int cudaGraphLaunch(rgc_handle graph, rgc_stream stream);
RGC_EXPORT int cudaGraphLaunch(rgc_handle graph, rgc_stream stream) {
  RGC_FIND(RGC_CUDART, cudaGraphLaunch);
  if (!real) return RGC_UNKNOWN;
  if (!rgc_launch_traced()) return real(graph, stream);
  struct rgc_op *op = rgc_begin(stream, RGC_CURRENT_DEVICE, RGC_OP_GRAPH, "cudaGraphLaunch");
  const int status = real(graph, stream);
  rgc_end(op, status);
  return status;
}

/* --- memory -------------------------------------------------------------------------------------------------------- */

static struct rgc_op *beginCopy(rgc_stream stream, size_t bytes, int kind) {
  static const char *const kNames[RGC_COPY_KINDS] = {"Memcpy HtoH", "Memcpy HtoD", "Memcpy DtoH", "Memcpy DtoD", "Memcpy"};
  struct rgc_op *op =
      rgc_begin(stream, RGC_CURRENT_DEVICE, RGC_OP_COPY, kNames[kind >= 0 && kind < RGC_COPY_KINDS ? kind : RGC_COPY_DEFAULT]);
  if (op) op->bytes = (int64_t)bytes;
  return op;
}

#define COPY_ASYNC(name, stream_of)                                                            \
  RGC_EXPORT int name(void *to, const void *from, size_t bytes, int kind, rgc_stream stream);  \
  RGC_EXPORT int name(void *to, const void *from, size_t bytes, int kind, rgc_stream stream) { \
    RGC_FIND(RGC_CUDART, name);                                                                \
    if (!real) return RGC_UNKNOWN;                                                             \
    struct rgc_op *op = beginCopy(stream_of(stream), bytes, kind);                             \
    const int status = real(to, from, bytes, kind, stream);                                    \
    rgc_end(op, status);                                                                       \
    return status;                                                                             \
  }
COPY_ASYNC(cudaMemcpyAsync, )
COPY_ASYNC(cudaMemcpyAsync_ptsz, ofThread)

RGC_EXPORT int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
RGC_EXPORT int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
  RGC_FIND(RGC_CUDART, cudaMemcpy);
  if (!real) return RGC_UNKNOWN;
  struct rgc_op *op = beginCopy(NULL, bytes, kind);
  const int status = real(to, from, bytes, kind);
  rgc_end(op, status);
  return status;
}

static struct rgc_op *beginSet(rgc_stream stream, size_t bytes) {
  struct rgc_op *op = rgc_begin(stream, RGC_CURRENT_DEVICE, RGC_OP_SET, "Memset");
  if (op) op->bytes = (int64_t)bytes;
  return op;
}

#define SET_ASYNC(name, stream_of)                                            \
  RGC_EXPORT int name(void *to, int value, size_t bytes, rgc_stream stream);  \
  RGC_EXPORT int name(void *to, int value, size_t bytes, rgc_stream stream) { \
    RGC_FIND(RGC_CUDART, name);                                               \
    if (!real) return RGC_UNKNOWN;                                            \
    struct rgc_op *op = beginSet(stream_of(stream), bytes);                   \
    const int status = real(to, value, bytes, stream);                        \
    rgc_end(op, status);                                                      \
    return status;                                                            \
  }
SET_ASYNC(cudaMemsetAsync, )
SET_ASYNC(cudaMemsetAsync_ptsz, ofThread)

RGC_EXPORT int cudaMemset(void *to, int value, size_t bytes);
RGC_EXPORT int cudaMemset(void *to, int value, size_t bytes) {
  RGC_FIND(RGC_CUDART, cudaMemset);
  if (!real) return RGC_UNKNOWN;
  struct rgc_op *op = beginSet(NULL, bytes);
  const int status = real(to, value, bytes);
  rgc_end(op, status);
  return status;
}

/* --- waiting: the call in which a rank hangs is visible at once ----------------------------------------------------- */

RGC_EXPORT int cudaDeviceSynchronize(void);
RGC_EXPORT int cudaDeviceSynchronize(void) {
  RGC_FIND(RGC_CUDART, cudaDeviceSynchronize);
  if (!real) return RGC_UNKNOWN;
  const int begun = rgc_wait_begin("cudaDeviceSynchronize");
  const int status = real();
  rgc_wait_end(begun);
  return status;
}

#define WAIT(name)                           \
  RGC_EXPORT int name(void *handle);         \
  RGC_EXPORT int name(void *handle) {        \
    RGC_FIND(RGC_CUDART, name);              \
    if (!real) return RGC_UNKNOWN;           \
    const int begun = rgc_wait_begin(#name); \
    const int status = real(handle);         \
    rgc_wait_end(begun);                     \
    return status;                           \
  }
WAIT(cudaStreamSynchronize)
WAIT(cudaEventSynchronize)
