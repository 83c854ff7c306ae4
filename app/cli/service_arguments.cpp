// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/service_arguments.h"

#include <charconv>

#include "app/cli/options.h"
#include "collectors/services/prometheus/metric_source.h"
#include "collectors/text/hostlist.h"
#include "collectors/text/wall_time.h"

namespace runglass {
namespace {

constexpr DurNs kDefaultWindow = 3'600 * kNsPerSecond;

}  // namespace

Result<PrometheusAccess> accessOf(const ServiceQuestion& question) { return prometheusAccess(question.url, question.access_file); }

Result<QueriedPlaces> placesOf(const ServiceQuestion& question) {
  QueriedPlaces places;
  RG_ASSIGN(places.nodes, expandHostlist(question.nodes));
  return places;
}

Result<TimeRange> windowOf(const ServiceQuestion& question) {
  const auto time = [](const std::string& text, TimeNs otherwise) -> Result<TimeNs> {
    if (text.empty()) return otherwise;
    if (const auto parsed = timeArgument(text)) return *parsed;
    return Status(Code::kInvalidArgument, "not a time: " + text);
  };
  TimeRange range;
  RG_ASSIGN(range.t1, time(question.to, wallNow()));
  RG_ASSIGN(range.t0, time(question.from, range.t1 - kDefaultWindow));
  if (range.t0 >= range.t1) return Status(Code::kInvalidArgument, "--from must be before --to");
  return range;
}

void ServiceArguments::declare(Options options) {
  const Option url = options.add("--prometheus", m_question.url, "URL of Prometheus, VictoriaMetrics, Thanos or Mimir");
  options.add("--prometheus-access", m_question.access_file, "Token, CA, headers (TOML, mode 0600; docs/operate/prometheus.md)").needs(url);
  options.add("--match", m_question.match, "Only series that this selector matches: {cluster=\"a\"}")
      .needs(url)
      .check([](const std::string& text) { return checkMatch(text).message(); });
  options.add("--nodes", m_question.nodes, "Only these nodes: gpu-[001-128],login").needs(url).check([](const std::string& text) {
    return expandHostlist(text).status().message();
  });
}

void ServiceArguments::declareWindow(Options options) {
  const auto time = [](const std::string& text) { return timeArgument(text) ? std::string() : "not a time: " + text; };
  options.add("--slurm", m_question.job, "Id of a Slurm job: its run; with --prometheus also its nodes' and GPUs' metrics").positive();
  options.add("--from", m_question.from, "Begin: 2026-11-20T21:43:00Z or ns since 1970; default: 1 h before --to").check(time);
  options.add("--to", m_question.to, "End of the metrics; default: now").check(time);
}

std::string ServiceArguments::wrongWindow() const {
  if (m_question.job && (windowGiven() || !m_question.nodes.empty())) return "--slurm: the job has a name, a time and nodes of its own";
  return windowGiven() && m_question.url.empty() ? "--from and --to need --prometheus" : "";
}

std::optional<TimeNs> timeArgument(const std::string& text) {
  TimeNs ns = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), ns);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()) return ns;
  const auto time = parseWallTime(text);
  return time ? std::optional(time->time) : std::nullopt;
}

}  // namespace runglass
