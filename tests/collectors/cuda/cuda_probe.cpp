// SPDX-License-Identifier: Apache-2.0
// A program without CUDA; it loads the library named in its arguments.
// usage: cuda_probe none | missing | load LIBRARY MODE [STEPS]
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "none";
  if (std::strcmp(what, "none") == 0) return 0;
  if (std::strcmp(what, "missing") == 0) {
    // These symbols exist only because of the preload; there is no library behind them.
    using Function = int (*)(void*, void*, void*, void*, void*, void*, void*, void*);
    int wrong = 0;
    for (const char* name :
         {"cudaDeviceSynchronize", "cudaMemcpyAsync", "ncclAllReduce", "ncclGroupEnd", "cublasSgemm_v2", "cuGraphLaunch"}) {
      const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
      wrong += function == nullptr || function(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == 0;
    }
    return wrong;
  }
  if (argc < 4) return 2;
  void* library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  const auto run = reinterpret_cast<int (*)(int, char**)>(dlsym(library, "workload"));
  return run != nullptr ? run(argc - 2, argv + 2) : 4;
}
