// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/fuzz.h"

namespace {
runglass::fuzz::Target chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc > 1 && std::strcmp((*argv)[1], "--list") == 0) {
    for (const auto& [name, target] : runglass::fuzz::targets()) std::puts(name.c_str());
    std::exit(0);
  }
  const char* name = std::getenv("RG_FUZZ_TARGET");
  const auto found = runglass::fuzz::targets().find(name ? name : "");
  if (found == runglass::fuzz::targets().end()) {
    std::fprintf(stderr, "set RG_FUZZ_TARGET to one of the names that --list prints\n");
    std::exit(2);
  }
  chosen = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen(data, size);
  return 0;
}
