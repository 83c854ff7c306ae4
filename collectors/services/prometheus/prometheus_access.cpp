// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/prometheus_access.h"

#include <toml++/toml.h>
#include <algorithm>
#include <string_view>

#include "collectors/wire/guarded_file.h"
#include "net/http_client.h"

namespace runglass {
namespace {

Status wrong(const std::string& file, const toml::node& where, const std::string& why) {
  return {Code::kInvalidArgument, "prometheus: " + file + ": line " + std::to_string(where.source().begin.line) + ": " + why};
}

// A control character would begin a header of its own.
bool isOneLine(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7F; });
}

bool isHeaderName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

Status readHeaders(const std::string& file, const toml::node& node, std::vector<std::string>& headers) {
  const toml::table* const table = node.as_table();
  if (table == nullptr) return wrong(file, node, "headers is a table, such as { X-Scope-OrgID = \"team-a\" }");
  for (const auto& [name, value] : *table) {
    const auto text = value.value_exact<std::string>();
    if (!isHeaderName(name.str()) || !text || !isOneLine(*text)) return wrong(file, value, "a header is a name and a text of one line");
    headers.push_back(std::string(name.str()) + ": " + *text);
  }
  return {};
}

Status readFile(const std::string& file, PrometheusAccess& access) {
  RG_ASSIGN(const std::string text, readGuarded(file, "prometheus", true));
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    // The parser's description may quote the line, which holds a secret.
    return {Code::kInvalidArgument, "prometheus: " + file + ": line " + std::to_string(error.source().begin.line) + ": not TOML"};
  }
  for (const auto& [key, value] : table) {
    const std::string_view name = key.str();
    if (name == "headers") {
      RG_TRY(readHeaders(file, value, access.headers));
      continue;
    }
    std::string* const to = name == "token"      ? &access.token
                            : name == "user"     ? &access.user
                            : name == "password" ? &access.password
                            : name == "ca_file"  ? &access.ca_file
                                                 : nullptr;
    if (to == nullptr) return wrong(file, value, "unknown key '" + std::string(name) + "'");
    const auto given = value.value_exact<std::string>();
    if (!given || !isOneLine(*given)) return wrong(file, value, std::string(name) + " is not a text of one line");
    *to = *given;
  }
  if (!access.token.empty() && !access.user.empty())
    return {Code::kInvalidArgument, "prometheus: " + file + ": it has a token and a user; only one can be sent"};
  if (access.user.empty() != access.password.empty())
    return {Code::kInvalidArgument, "prometheus: " + file + ": user and password are given together"};
  return {};
}

}  // namespace

Result<PrometheusAccess> prometheusAccess(const std::string& url, const std::string& file) {
  PrometheusAccess access{.url = url};
  const auto refused = [&](const char* why) { return Status(Code::kInvalidArgument, "prometheus: " + shownUrl(url) + ": " + why); };
  const std::size_t scheme = url.find("://");
  if (!url.starts_with("http://") && !url.starts_with("https://")) return refused("not an http or https address");
  if (std::ranges::any_of(url, [](unsigned char c) { return c <= ' ' || c == 0x7F; })) return refused("a URL has no blanks");
  if (url.find_first_of("?#") != std::string::npos) return refused("a URL without ? and #; the API's path is added to it");
  const std::size_t path = url.find('/', scheme + 3);
  if (path == scheme + 3 || url.size() == scheme + 3) return refused("a URL without a host");
  if (url.substr(0, path).find('@', scheme) != std::string::npos) return refused("user and password belong into the access file");
  while (access.url.ends_with('/')) access.url.pop_back();
  if (!file.empty()) RG_TRY(readFile(file, access));
  return access;
}

}  // namespace runglass
