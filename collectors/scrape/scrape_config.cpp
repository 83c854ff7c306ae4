// SPDX-License-Identifier: Apache-2.0
#include "collectors/scrape/scrape_config.h"

#include <sys/stat.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string_view>

#include "net/http_client.h"

namespace runglass {
namespace {

constexpr double kMinInterval = 0.1, kMaxInterval = 86'400;
constexpr std::int64_t kMaxSeries = 1'000'000;
constexpr std::size_t kMaxText = 2'048;

class ConfigReader {
 public:
  explicit ConfigReader(std::string path) : m_path(std::move(path)) {}

  Result<std::vector<ScrapeTarget>> read(const toml::table& root) {
    for (const auto& [key, value] : root)
      if (key.str() != "defaults" && key.str() != "target") return wrong(value, "unknown key '" + std::string(key.str()) + "'");
    ScrapeTarget defaults;
    if (const toml::node* const node = root.get("defaults")) {
      if (node->as_table() == nullptr) return wrong(*node, "defaults is no table");
      RG_TRY(readFields(*node->as_table(), false, defaults));
    }
    const toml::node* const node = root.get("target");
    const toml::array* const targets = node != nullptr ? node->as_array() : nullptr;
    if (targets == nullptr || targets->empty()) return Status(Code::kInvalidArgument, "scrape: " + m_path + ": no [[target]]");
    for (const toml::node& target : *targets) {
      if (target.as_table() == nullptr) return wrong(target, "target is no table");
      RG_TRY(readTarget(*target.as_table(), defaults));
    }
    nameSources();
    return std::move(m_targets);
  }

 private:
  Status wrong(const toml::node& where, const std::string& why) const {
    return {Code::kInvalidArgument, "scrape: " + m_path + ": line " + std::to_string(where.source().begin.line) + ": " + why};
  }

  Status readTarget(const toml::table& table, const ScrapeTarget& defaults) {
    ScrapeTarget target = defaults;
    RG_TRY(readFields(table, true, target));
    const toml::node* const urls = table.get("urls");
    if (urls == nullptr || urls->as_array() == nullptr || urls->as_array()->empty())
      return wrong(table, "a target has urls = [\"http://HOST:PORT/metrics\", ...]");
    if (target.job.empty()) return wrong(table, "a target has a job, such as \"node\" or \"dcgm\"");
    if (!target.node.empty() && urls->as_array()->size() > 1) return wrong(table, "node names one machine, and there are several urls");
    for (const toml::node& url : *urls->as_array()) {
      const auto text = url.value_exact<std::string>();
      if (!text || text->empty() || text->size() > kMaxText) return wrong(url, "urls is a list of texts");
      RG_ASSIGN(target.url, completeUrl(url, *text));
      if (!m_seen.insert(target.url).second) return wrong(url, "this url is already scraped");
      if (m_targets.size() >= kMaxTargets) return wrong(url, "more than " + std::to_string(kMaxTargets) + " urls");
      m_targets.push_back(target);
    }
    return {};
  }

  // "node1:9100" becomes http://node1:9100/metrics.
  Result<std::string> completeUrl(const toml::node& where, const std::string& text) const {
    std::string url = text.find("://") == std::string::npos ? "http://" + text : text;
    if (!url.starts_with("http://") && !url.starts_with("https://")) return wrong(where, "not an http or https address");
    if (std::ranges::any_of(url, [](unsigned char c) { return c <= ' ' || c == 0x7F; })) return wrong(where, "a url has no blanks");
    if (hostOf(url).empty()) return wrong(where, "a url without a host");
    if (url.find('/', url.find("://") + 3) == std::string::npos) url += "/metrics";
    return url;
  }

  Status readFields(const toml::table& table, bool target, ScrapeTarget& to) {
    for (const auto& [key, value] : table) {
      const std::string_view name = key.str();
      if (name == "interval_s") {
        RG_TRY(readSeconds(value, to.interval));
      } else if (name == "timeout_s") {
        RG_TRY(readSeconds(value, to.timeout));
      } else if (name == "most_series") {
        const auto count = value.value_exact<std::int64_t>();
        if (!count || *count < 1 || *count > kMaxSeries) return wrong(value, "most_series is a number from 1 to 1000000");
        to.most_series = *count;
      } else if (name == "token_file") {
        std::string file;
        RG_TRY(readText(value, file));
        RG_TRY(readToken(value, file, to.token));
      } else if (name == "ca_file") {
        RG_TRY(readText(value, to.ca_file));
      } else if (target && name == "job") {
        RG_TRY(readText(value, to.job));
      } else if (target && name == "node") {
        RG_TRY(readText(value, to.node));
      } else if (!target || name != "urls") {
        return wrong(value, "unknown key '" + std::string(name) + "'");
      }
    }
    if (table.get("timeout_s") == nullptr) to.timeout = std::min(to.timeout, to.interval / 3 * 2);
    if (to.timeout >= to.interval) return wrong(table, "timeout_s must be less than interval_s");
    return {};
  }

  Status readSeconds(const toml::node& value, DurNs& to) const {
    const auto seconds = value.value<double>();
    if (!seconds || !(*seconds >= kMinInterval / 10 && *seconds <= kMaxInterval))
      return wrong(value, "not a number of seconds up to 86400");
    to = static_cast<DurNs>(*seconds * 1e9);
    return {};
  }

  Status readText(const toml::node& value, std::string& to) const {
    const auto text = value.value_exact<std::string>();
    const bool odd = text && std::ranges::any_of(*text, [](unsigned char c) { return c < ' ' || c == 0x7F; });
    if (!text || text->empty() || text->size() > kMaxText || odd) return wrong(value, "not a text of one line");
    to = *text;
    return {};
  }

  Status readToken(const toml::node& where, const std::string& file, std::string& to) const {
    struct stat info {};
    if (stat(file.c_str(), &info) != 0) return wrong(where, "token_file " + file + ": " + std::strerror(errno));
    if ((info.st_mode & 077U) != 0) return wrong(where, "token_file " + file + ": readable by others; chmod 600 it");
    std::ifstream in(file);
    if (!std::getline(in, to) || to.empty() || to.size() > kMaxText) return wrong(where, "token_file " + file + ": holds no token");
    if (std::ranges::any_of(to, [](unsigned char c) { return c < ' ' || c == 0x7F; }))
      return wrong(where, "token_file " + file + ": its first line is no token");
    return {};
  }

  // Without distinct sources, two exporters of one job on one machine would write to the same series.
  void nameSources() {
    std::map<std::pair<std::string, std::string>, int> count;
    const auto place = [](const ScrapeTarget& t) { return std::pair(t.job, t.node.empty() ? hostOf(t.url) : t.node); };
    for (const ScrapeTarget& target : m_targets) ++count[place(target)];
    std::map<std::string, int> repeated;
    for (ScrapeTarget& target : m_targets) {
      target.source = target.job;
      if (count[place(target)] == 1) continue;
      const std::string shown = shownUrl(target.url);
      target.source += " " + shown.substr(shown.find("://") + 3);
      // The distinguishing part is in the query string, which is not shown.
      if (const int times = ++repeated[target.source]; times > 1) target.source += " #" + std::to_string(times);
    }
  }

  const std::string m_path;
  std::vector<ScrapeTarget> m_targets;
  std::set<std::string> m_seen;
};

}  // namespace

std::string hostOf(const std::string& url) {
  const std::size_t scheme = url.find("://");
  std::string host = url.substr(scheme == std::string::npos ? 0 : scheme + 3);
  host.resize(std::min(host.find_first_of("/?#"), host.size()));
  if (const std::size_t at = host.rfind('@'); at != std::string::npos) host.erase(0, at + 1);
  if (host.starts_with('[')) return host.substr(1, std::min(host.find(']'), host.size()) - 1);
  return host.substr(0, host.find(':'));
}

Result<std::vector<ScrapeTarget>> readScrapeConfig(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Status(Code::kInvalidArgument, "scrape: " + path + ": " + std::strerror(errno));
  toml::table table;
  try {
    table = toml::parse(file, path);
  } catch (const toml::parse_error& error) {
    return Status(Code::kInvalidArgument,
                  "scrape: " + path + ": line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
  return ConfigReader(path).read(table);
}

}  // namespace runglass
