// SPDX-License-Identifier: Apache-2.0
// Training events of DLRover: "[time] [pid] [id] [target] [#name] [BEGIN|END|INSTANT] {content}"; steps and saves have a begin and an end
// with the same id, #log has the values of a step.
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/read_pieces.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/text/line_splitter.h"
#include "collectors/text/wall_time.h"
#include "model/step_metrics.h"

namespace runglass {
namespace {

using train_log::LineSplitter;

constexpr std::size_t kMaxOpen = 10'000, kMaxDlroverSeries = 4'096;

struct EventLine {
  WallTime time;
  std::string_view id, name, type;
  nlohmann::json content;
};

std::optional<EventLine> parse(std::string_view text) {
  std::array<std::string_view, 6> parts;
  for (std::string_view& part : parts) {
    const std::size_t end = text.find(']');
    if (!text.starts_with('[') || end == std::string_view::npos) return std::nullopt;
    part = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  const auto time = parseWallTime(parts[0]);
  EventLine line{.time = time.value_or(WallTime{}),
                 .id = parts[2],
                 .name = parts[4],
                 .type = parts[5],
                 .content = nlohmann::json::parse(text, nullptr, false)};
  const bool typed = line.type == "BEGIN" || line.type == "END" || line.type == "INSTANT";
  if (!time || !typed || !line.name.starts_with('#') || !line.content.is_object()) return std::nullopt;
  return line;
}

class EventsFile {
 public:
  EventsFile(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out) {}

  void line(std::string_view text, std::uint64_t offset) {
    if (text.find_first_not_of(" \t") == std::string_view::npos) return;
    const bool recorded = offset < m_target.resume_at;
    const auto event = parse(text);
    if (!event) {
      if (!recorded && m_bad++ == 0) m_first_bad = displayName(text);
      return;
    }
    const std::string key = displayName(event->id) + displayName(event->name);
    if (event->type == "BEGIN") {
      if (m_open.size() < kMaxOpen || m_open.contains(key))
        m_open[key] = event->time.time;
      else
        ++m_too_many;
      if (recorded) return;
    }
    std::optional<TimeNs> begin;
    if (event->type == "END") {
      if (const auto open = m_open.find(key); open != m_open.end()) begin = open->second, m_open.erase(open);
      if (recorded) return;
      m_unmatched += begin ? 0 : 1;
    }
    if (recorded) return;
    m_zoneless = m_zoneless || !event->time.zoned;
    m_newest = std::max(m_newest.value_or(event->time.time), event->time.time);
    m_oldest = std::min(m_oldest.value_or(event->time.time), event->time.time);
    put(*event, begin);
  }

  void finish(ImportReport& report) {
    if (m_oldest) {
      m_out.run({.name = m_target.run_name, .start = m_oldest, .end = m_newest, .framework = "dlrover"});
      m_out.attempt({.run = m_run, .key = m_target.attempt_key, .start = m_oldest, .end = m_newest});
    }
    report.run = m_run;
    report.end_time = m_newest;
    issue("dlrover.bad_line", m_bad, m_first_bad);
    issue("dlrover.unmatched", m_unmatched, "");
    issue("dlrover.too_many", m_too_many, "");
    issue("dlrover.no_time_zone", m_zoneless ? 1 : 0, "");
  }

 private:
  void put(const EventLine& event, std::optional<TimeNs> begin) {
    if (!m_run) {
      m_run = m_out.run({.name = m_target.run_name, .framework = "dlrover"});
      m_attempt = m_out.attempt({.run = m_run, .key = m_target.attempt_key});
    }
    const auto found = event.content.find("global_step");
    const std::optional<std::int64_t> step =
        found != event.content.end() && found->is_number_integer() ? std::optional(found->get<std::int64_t>()) : std::nullopt;
    const TimeNs time = event.time.time;
    if (event.name == "#step" && event.type == "END" && begin && step) {
      scalar(std::string(kStepTimeMetric), "ns", *step, time, static_cast<double>(time - *begin));
    } else if (event.name == "#save" && event.type == "END" && step) {
      m_out.checkpoint({.attempt = m_attempt, .step = *step, .begin = begin, .durable = time});
      m_out.event({.time = time, .attempt = m_attempt, .step = step, .kind = "checkpoint_saved"});
    } else if (event.name == "#log" && step && event.content.contains("logs") && event.content["logs"].is_object()) {
      for (const auto& [name, value] : event.content["logs"].items())
        if (value.is_number()) scalar(displayName(name), "", *step, time, value.get<double>());
    } else if (event.name != "#step" && event.name != "#save") {
      m_out.event({.time = time,
                   .attempt = m_attempt,
                   .step = step,
                   .kind = displayName(event.name.substr(1)),
                   .message = std::string(event.type)});
    }
  }
  void scalar(const std::string& metric, const std::string& unit, std::int64_t step, TimeNs time, double value) {
    auto known = m_series.find(metric);
    if (known == m_series.end()) {
      if (m_series.size() >= kMaxDlroverSeries) {
        ++m_too_many;
        return;
      }
      const SeriesId id = m_out.series({.attempt = m_attempt,
                                        .metric = metric,
                                        .source = m_target.source,
                                        .labels = canonicalLabel(metric),
                                        .unit = unit,
                                        .kind = SeriesKind::kScalar});
      known = m_series.emplace(metric, id).first;
    }
    m_out.scalar(known->second, step, time, value);
  }
  void issue(const char* code, std::int64_t count, const std::string& detail) {
    if (count > 0) m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  RunId m_run;
  AttemptId m_attempt;
  std::map<std::string, TimeNs> m_open;
  std::map<std::string, SeriesId> m_series;
  std::int64_t m_bad = 0, m_unmatched = 0, m_too_many = 0;
  bool m_zoneless = false;
  std::string m_first_bad;
  std::optional<TimeNs> m_oldest, m_newest;
};

class DlroverEventsImporter : public Importer {
 public:
  std::string_view kind() const override { return "dlrover"; }
  int recognise(const ImportProbe& probe) const override {
    const std::string_view first = probe.head.substr(0, probe.head.find_first_of("\r\n"));
    return parse(first) ? 95 : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    EventsFile file(target, out);
    LineSplitter lines;
    const Status status = readPieces(in, target, stop, [&](std::string_view piece) {
      lines.push(piece, [&](std::string_view line, std::uint64_t offset) { file.line(line, offset); });
    });
    std::uint64_t end = lines.lineStart();
    // A line ends in a JSON object, so it is recognisable as complete without a line end.
    if (target.final && status.ok() && !lines.partial().empty()) {
      file.line(lines.partial(), lines.lineStart());
      end = lines.offset();
    }
    file.finish(report);
    report.committed_offset = std::max(end, target.resume_at);
    if (!report.run && target.resume_at == 0) report.skipped_reason = "no training event";
    return endOfImport(status, report);
  }
};

}  // namespace

std::unique_ptr<Importer> makeDlroverEventsImporter() { return std::make_unique<DlroverEventsImporter>(); }

}  // namespace runglass
