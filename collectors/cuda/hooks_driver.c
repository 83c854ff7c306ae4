/* SPDX-License-Identifier: Apache-2.0 */
/* Interposed launches of the CUDA driver, which launch code compiled at run time.
 * Invariants: as in hooks_runtime.c. */
#define _GNU_SOURCE
#include "collectors/cuda/kernel_filter.h"
#include "collectors/cuda/kernel_names.h"
#include "collectors/cuda/resolve.h"
#include "collectors/cuda/tracer.h"

RGC_EXPORT int cuModuleGetFunction(rgc_handle *function, rgc_handle module, const char *name);
RGC_EXPORT int cuModuleGetFunction(rgc_handle *function, rgc_handle module, const char *name) {
  RGC_FIND(RGC_DRIVER, cuModuleGetFunction);
  if (!real) return RGC_UNKNOWN;
  const int status = real(function, module, name);
  if (status == 0 && function) rgc_kernel_put(*function, name, 1);
  return status;
}

RGC_EXPORT int cuLibraryGetKernel(rgc_handle *kernel, rgc_handle library, const char *name);
RGC_EXPORT int cuLibraryGetKernel(rgc_handle *kernel, rgc_handle library, const char *name) {
  RGC_FIND(RGC_DRIVER, cuLibraryGetKernel);
  if (!real) return RGC_UNKNOWN;
  const int status = real(kernel, library, name);
  if (status == 0 && kernel) rgc_kernel_put(*kernel, name, 1);
  return status;
}

RGC_EXPORT int cuKernelGetFunction(rgc_handle *function, rgc_handle kernel);
RGC_EXPORT int cuKernelGetFunction(rgc_handle *function, rgc_handle kernel) {
  RGC_FIND(RGC_DRIVER, cuKernelGetFunction);
  if (!real) return RGC_UNKNOWN;
  const int status = real(function, kernel);
  if (status == 0 && function) rgc_kernel_put(*function, rgc_kernel_get(kernel), 1);
  return status;
}

static const char *driverKernelName(const void *function) {
  typedef int get_name(const char **, const void *);
  static rgc_function _Atomic known;
  const char *name = rgc_kernel_get(function);
  if (name) return name;
  get_name *getName = (get_name *)rgc_real(&known, RGC_DRIVER, "cuFuncGetName", NULL); /* since 12.3 */
  if (getName && getName(&name, function) != 0) name = NULL;
  rgc_kernel_put(function, name ? name : "(unnamed kernel)", 1);
  name = rgc_kernel_get(function);
  return name ? name : "(unnamed kernel)";
}

static struct rgc_op *beginKernel(rgc_stream stream, const void *function, struct rgc_dim3 grid, struct rgc_dim3 block, unsigned shared) {
  if (rgc_filter_on() && rgc_filter_known_refused(driverKernelName(function))) return rgc_begin_none();
  struct rgc_op *op = rgc_begin(stream, RGC_CURRENT_DEVICE, RGC_OP_KERNEL, NULL);
  if (!op) return NULL;
  op->name = driverKernelName(function);
  op->about.kernel.grid = grid;
  op->about.kernel.block = block;
  op->about.kernel.shared_bytes = shared;
  return op;
}

RGC_EXPORT int cuLaunchKernel(rgc_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                              unsigned block_z, unsigned shared, rgc_stream stream, void **parameters, void **extra);
RGC_EXPORT int cuLaunchKernel(rgc_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                              unsigned block_z, unsigned shared, rgc_stream stream, void **parameters, void **extra) {
  RGC_FIND(RGC_DRIVER, cuLaunchKernel);
  if (!real) return RGC_UNKNOWN;
  if (!rgc_launch_traced()) return real(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra);
  struct rgc_op *op =
      beginKernel(stream, function, (struct rgc_dim3){grid_x, grid_y, grid_z}, (struct rgc_dim3){block_x, block_y, block_z}, shared);
  const int status = real(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra);
  rgc_end(op, status);
  return status;
}

RGC_EXPORT int cuLaunchKernelEx(const struct rgc_driver_launch_config *config, rgc_handle function, void **parameters, void **extra);
RGC_EXPORT int cuLaunchKernelEx(const struct rgc_driver_launch_config *config, rgc_handle function, void **parameters, void **extra) {
  RGC_FIND(RGC_DRIVER, cuLaunchKernelEx);
  if (!real) return RGC_UNKNOWN;
  if (!config || !rgc_launch_traced()) return real(config, function, parameters, extra);
  struct rgc_op *op = beginKernel(config->stream, function, (struct rgc_dim3){config->grid_x, config->grid_y, config->grid_z},
                                  (struct rgc_dim3){config->block_x, config->block_y, config->block_z}, config->shared_bytes);
  const int status = real(config, function, parameters, extra);
  rgc_end(op, status);
  return status;
}

RGC_EXPORT int cuGraphLaunch(rgc_handle graph, rgc_stream stream);
RGC_EXPORT int cuGraphLaunch(rgc_handle graph, rgc_stream stream) {
  RGC_FIND(RGC_DRIVER, cuGraphLaunch);
  if (!real) return RGC_UNKNOWN;
  if (!rgc_launch_traced()) return real(graph, stream);
  struct rgc_op *op = rgc_begin(stream, RGC_CURRENT_DEVICE, RGC_OP_GRAPH, "cuGraphLaunch");
  const int status = real(graph, stream);
  rgc_end(op, status);
  return status;
}
