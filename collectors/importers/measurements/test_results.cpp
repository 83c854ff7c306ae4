// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/measurements/test_results.h"

#include "collectors/importers/input/run_name.h"

namespace runglass {

TestResults::TestResults(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out), m_series(target, out) {}

void TestResults::value(DeviceId device, std::string_view metric, const nlohmann::json& labels, double value) {
  if (!recording) return;
  m_any = true;
  ++m_values;
  if (!m_target.modified) {
    (void)m_series.node();
    return;
  }
  m_series.put(device, metric, labels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), *m_target.modified, value);
}

void TestResults::event(Event event) {
  m_any = true;
  event.time = m_target.modified;
  event.attempt = m_series.attempt();
  event.message = displayName(event.message);
  m_out.event(event);
}

void TestResults::finished(const std::string& test, const std::string& what) {
  if (!recording) return;
  event({.node = m_series.node(), .kind = "test_result", .code = displayName(test), .message = what});
}

void TestResults::failed(const std::string& test, DeviceId device, const std::string& what, bool everywhere, Severity severity) {
  if (!recording) return;
  Event failure{.device = device, .kind = "test_failed", .severity = severity, .code = displayName(test), .message = what};
  if (!everywhere) failure.node = m_series.node();
  event(std::move(failure));
}

void TestResults::badLine(std::string_view line) {
  if (!recording) return;
  if (m_bad++ == 0) m_first_bad = displayName(line.substr(0, 256));
}

void TestResults::finish(ImportReport& report) {
  m_series.flush();
  if (m_bad > 0) m_out.issue({.code = "measurement.bad_line", .source = m_target.path, .count = m_bad, .detail = m_first_bad});
  if (m_values > 0 && m_target.modified) m_out.issue({.code = "import.file_time", .source = m_target.path, .count = m_values});
  if (m_values > 0 && !m_target.modified) m_out.issue({.code = "import.no_time", .source = m_target.path, .count = m_values});
  if (m_series.leftOut() > 0) m_out.issue({.code = "measurement.too_many", .source = m_target.path, .count = m_series.leftOut()});
  if (m_series.started()) report.run = m_series.run();
  report.end_time = m_series.newest();
  if (!m_any && m_target.resume_at == 0) report.skipped_reason = "no result of a test";
}

}  // namespace runglass
