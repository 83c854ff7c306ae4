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

}  // namespace runglass
