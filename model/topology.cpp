// SPDX-License-Identifier: Apache-2.0
#include "model/topology.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace runglass {

bool looksSecret(std::string_view variable_name) {
  static constexpr std::array<std::string_view, 9> kParts = {"TOKEN",   "SECRET",      "PASSW",      "CREDENTIAL", "APIKEY",
                                                             "API_KEY", "PRIVATE_KEY", "ACCESS_KEY", "AUTH"};
  std::string upper(variable_name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper.ends_with("_KEY") || upper == "KEY") return true;
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) { return upper.find(part) != std::string::npos; });
}

std::int64_t commGroupId(std::string_view name, std::string_view members) {
  // FNV-1a, folded; a separator that does not occur in names distinguishes ("ab", "c") from ("a", "bc").
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto add = [&hash](unsigned char c) { hash = (hash ^ c) * 0x100000001b3ULL; };
  for (const char c : name) add(static_cast<unsigned char>(c));
  add(0);
  for (const char c : members) add(static_cast<unsigned char>(c));
  const std::uint64_t folded = (hash ^ (hash >> 48)) & 0xFFFFFFFFFFFFULL;
  return folded == 0 ? 1 : static_cast<std::int64_t>(folded);
}

}  // namespace runglass
