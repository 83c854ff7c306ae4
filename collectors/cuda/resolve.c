/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. The library's own handle is searched first: a trainer's libraries are often loaded with RTLD_LOCAL, where RTLD_NEXT does not look.
 * 2. Only libraries that the process has loaded are used: RTLD_NOLOAD everywhere.
 * 3. A result that is the tracer's own function is rejected.
 */
#define _GNU_SOURCE
#include "collectors/cuda/resolve.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "collectors/cuda/old_symbols.h"

RGC_OLD_SYMBOL(dlopen);
RGC_OLD_SYMBOL(dlsym);
RGC_OLD_SYMBOL(dlclose);
RGC_OLD_SYMBOL(dladdr);

struct library_names {
  const char *prefix; /* some wheels rename libraries: libcudart-9335f6a2.so.11.0 */
  const char *sonames[4];
};
static const struct library_names kLibraries[RGC_LIBRARY_COUNT] = {
    [RGC_CUDART] = {"libcudart", {"libcudart.so.12", "libcudart.so.13", "libcudart.so.11.0", NULL}},
    [RGC_DRIVER] = {"libcuda.", {"libcuda.so.1", NULL}},
    [RGC_NCCL] = {"libnccl", {"libnccl.so.2", NULL}},
    [RGC_CUBLAS] = {"libcublas.", {"libcublas.so.12", "libcublas.so.13", "libcublas.so.11", NULL}},
    [RGC_CUBLASLT] = {"libcublasLt", {"libcublasLt.so.12", "libcublasLt.so.13", "libcublasLt.so.11", NULL}},
};

static int isOurs(const void *address) {
  Dl_info of_symbol, of_us;
  return dladdr(address, &of_symbol) && dladdr((const void *)kLibraries, &of_us) && of_symbol.dli_fbase == of_us.dli_fbase;
}

rgc_function rgc_symbol(void *handle, const char *symbol) {
  void *address = dlsym(handle, symbol);
  rgc_function function = NULL;
  if (address && !isOurs(address)) memcpy(&function, &address, sizeof(function));
  return function;
}

static rgc_function askLoaded(const char *name, const char *symbol) {
  void *handle = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
  if (!handle) return NULL;
  rgc_function function = rgc_symbol(handle, symbol);
  dlclose(handle); /* drops the reference that RTLD_NOLOAD added */
  return function;
}

struct search {
  const char *prefix;
  char path[1024];
};

static int matchLibrary(struct dl_phdr_info *info, size_t bytes, void *context) {
  (void)bytes;
  struct search *search = context;
  const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
  if (!slash || strncmp(slash + 1, search->prefix, strlen(search->prefix)) != 0 || !strstr(slash, ".so")) return 0;
  if (strlen(info->dlpi_name) >= sizeof(search->path)) return 0;
  strcpy(search->path, info->dlpi_name);
  return 1;
}

rgc_function rgc_find(enum rgc_library library, const char *symbol, const void *caller) {
  const struct library_names *names = &kLibraries[library];
  rgc_function function = NULL;
  for (int i = 0; names->sonames[i] && !function; ++i) function = askLoaded(names->sonames[i], symbol);
  if (!function) {
    struct search search = {.prefix = names->prefix};
    /* The path is opened after the walk, because the walk holds the loader's lock. */
    if (dl_iterate_phdr(matchLibrary, &search)) function = askLoaded(search.path, symbol);
  }
  if (!function) function = rgc_symbol(RTLD_NEXT, symbol);
  Dl_info of_caller;
  if (!function && caller && dladdr(caller, &of_caller) && of_caller.dli_fname) function = askLoaded(of_caller.dli_fname, symbol);
  return function;
}

rgc_function rgc_find_demangler(void) {
  static rgc_function found;
  if (!found) found = askLoaded("libstdc++.so.6", "__cxa_demangle");
  if (!found) found = rgc_symbol(RTLD_DEFAULT, "__cxa_demangle");
  return found;
}
