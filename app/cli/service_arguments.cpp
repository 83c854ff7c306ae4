// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/service_arguments.h"

#include <charconv>

#include "app/cli/options.h"
#include "collectors/text/wall_time.h"
#include "collectors/services/prometheus/metric_source.h"
#include "collectors/text/hostlist.h"

namespace runglass {

void ServiceArguments::declare(Options options) {
  const Option url = options.add("--prometheus", m_url, "URL of Prometheus, VictoriaMetrics, Thanos or Mimir");
  options.add("--prometheus-access", m_access, "Token, CA, headers (TOML, mode 0600; docs/operate/prometheus.md)").needs(url);
  options.add("--match", m_match, "Only series that this selector matches: {cluster=\"a\"}").needs(url).check([](const std::string& text) {
    return checkMatch(text).message();
  });
  options.add("--nodes", m_nodes, "Only these nodes: gpu-[001-128],login").needs(url).check([](const std::string& text) {
    return expandHostlist(text).status().message();
  });
}

Result<QueriedPlaces> ServiceArguments::places() const {
  QueriedPlaces places;
  RG_ASSIGN(places.nodes, expandHostlist(m_nodes));
  return places;
}

std::optional<TimeNs> timeArgument(const std::string& text) {
  TimeNs ns = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), ns);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return ns;
  const auto time = parseWallTime(text);
  return time ? std::optional(time->time) : std::nullopt;
}

}  // namespace runglass
