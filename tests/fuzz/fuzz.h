// SPDX-License-Identifier: Apache-2.0
// Fuzz targets: RG_FUZZ(name) { use(data, size); } registers one; fuzz_main.cpp runs the one that RG_FUZZ_TARGET names.
//
// Threading:  one thread.
// Ownership:  `data` lives for the call.
// Units:      bytes.
// Errors:     a target returns nothing; a crash or sanitizer report is the finding.
// Cost:       a target must not allocate more than the input justifies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace runglass::fuzz {

using Target = void (*)(const std::uint8_t* data, std::size_t size);
inline std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}

}  // namespace runglass::fuzz

#define RG_FUZZ(name)                                                                                                   \
  static void fuzz_##name(const std::uint8_t* data, std::size_t size);                                                  \
  [[maybe_unused]] static const bool fuzz_registered_##name = (::runglass::fuzz::targets()[#name] = fuzz_##name, true); \
  static void fuzz_##name(const std::uint8_t* data, std::size_t size)
