// SPDX-License-Identifier: Apache-2.0
#include "model/url_secrets.h"

#include <algorithm>

#include "model/topology.h"

namespace runglass {
namespace {

// "?a=1&token=x": a signature grants access as a token does.
std::string withoutSecretParameters(std::string_view query) {
  std::string out;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find_first_of("&;#", 1), query.size());
    const std::string_view parameter = query.substr(0, end);
    const std::size_t equals = parameter.find('=');
    const std::string_view name = parameter.substr(1, std::min(equals, parameter.size()) - 1);
    if (equals != std::string_view::npos && (looksSecret(name) || name == "sig" || name.ends_with("ignature")))
      out.append(parameter.substr(0, equals)).append("=***");
    else
      out += parameter;
    query.remove_prefix(end);
  }
  return out;
}

}  // namespace

std::string withoutUrlSecrets(std::string_view text) {
  constexpr std::string_view kScheme = "://", kEnd = " \t\r\n\"'<>`";
  std::string out;
  for (std::size_t at = text.find(kScheme); at != std::string_view::npos; at = text.find(kScheme)) {
    out += text.substr(0, at + kScheme.size());
    text.remove_prefix(at + kScheme.size());
    std::string_view url = text.substr(0, text.find_first_of(kEnd));
    text.remove_prefix(url.size());
    const std::size_t path = std::min(url.find_first_of("/?#"), url.size());
    if (const std::size_t user = url.substr(0, path).rfind('@'); user != std::string_view::npos) {
      out += "***";
      url.remove_prefix(user);
    }
    const std::size_t query = std::min(url.find_first_of("?#"), url.size());
    out.append(url.substr(0, query)).append(withoutSecretParameters(url.substr(query)));
  }
  return out.append(text);
}

}  // namespace runglass
