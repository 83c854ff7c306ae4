// SPDX-License-Identifier: Apache-2.0
// Pages of exporters and dumps of time series in the Prometheus text format or OpenMetrics.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "collectors/exposition/exporter_metrics.h"
#include "collectors/exposition/exporter_sample.h"
#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/read_pieces.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/telemetry/device_series.h"
#include "collectors/text/line_splitter.h"
#include "model/device_catalog.h"
#include "model/metric_catalog.h"

namespace runglass {
namespace {

using Line = ExpositionParser::Line;
using train_log::LineSplitter;

constexpr std::size_t kMaxPageSeries = DeviceSeries::kMaxSeries, kMaxUntimed = 1'000'000;

// Meaning of the samples with one name and labels.
struct Meaning {
  ExporterSample sample;
  DeviceId id;
  std::vector<double> untimed;
  std::optional<double> last;  // of a gauge of hangs
};

class PrometheusFile {
 public:
  PrometheusFile(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out), m_series(target, out) {}

  void line(std::string_view text, std::uint64_t offset) {
    const Line kind = m_parser.line(text);
    if (offset < m_target.resume_at) {
      // Samples without a time are counted from the beginning of the file.
      if (kind == Line::kSample && !m_parser.sample().time) ++m_seen[std::string(m_parser.sample().key)];
      return;
    }
    if (kind == Line::kBad && m_bad++ == 0) m_first_bad = displayName(text);
    m_types += kind == Line::kType ? 1 : 0;
    if (kind == Line::kSample) sample();
  }

  void finish(ImportReport& report, std::uint64_t end) {
    const bool page = m_untimed > 0 && isPage();
    if (page) putPage();
    m_series.flush();
    if (m_untimed > 0 && !page) putUntimed(report);
    if (m_series.started()) report.run = m_series.run();
    report.end_time = m_series.newest();
    issue("prometheus_text.bad_line", m_bad, m_first_bad);
    issue("prometheus_text.blank", m_blank, "");
    issue("prometheus_text.exemplar", m_exemplars, "");
    issue("prometheus_text.too_many", m_too_many + m_series.leftOut(), "");
    issue(page ? "import.file_time" : "prometheus_text.no_time", static_cast<std::int64_t>(m_untimed), "");
    report.committed_offset = std::max(end, m_target.resume_at);
    if (!report.run && m_target.resume_at == 0) report.skipped_reason = "no sample";
  }

 private:
  void sample() {
    const ExpositionParser::Sample& sample = m_parser.sample();
    m_exemplars += sample.exemplar ? 1 : 0;
    Meaning* const meaning = meaningOf(sample);
    if (meaning == nullptr) {
      ++m_too_many;
      return;
    }
    const ExporterSample& what = meaning->sample;
    if (what.dcgm && isBlankOfDcgm(sample.value)) {
      ++m_blank;
      return;
    }
    const double value = what.value(sample.value);
    m_series.onHost(what.node);
    if (!what.device_kind.empty() && !meaning->id) {
      meaning->id =
          m_series.device({.kind = what.device_kind, .uuid = what.uuid, .index = what.index, .bus_id = what.bus_id, .model = what.model});
      if (!what.instance_uuid.empty())
        m_series.device({.kind = kMigKind, .uuid = what.instance_uuid, .index = what.index, .bus_id = {}, .model = what.instance_profile});
    }
    recordChange(*meaning, value, sample.time);
    if (sample.time) {
      m_series.put(meaning->id, what.metric, what.labels, *sample.time, value, what.counter);
    } else if (m_untimed < kMaxUntimed) {
      ++m_untimed;
      meaning->untimed.push_back(value);
    } else {
      ++m_too_many;
    }
  }

  void recordChange(Meaning& meaning, double value, std::optional<TimeNs> time) {
    const ExporterSample& what = meaning.sample;
    std::optional<Event> event = m_codes.read(what.code, m_series.node().value, meaning.id.value, value, time);
    if (what.hang) {
      const auto before = std::exchange(meaning.last, value);
      if (what.rank && !before) m_out.rank({.attempt = m_series.attempt(), .rank = *what.rank});
      if (value > 0 && before != value)
        event = Event{.time = time,
                      .kind = "collective_timeout",
                      .severity = Severity::kError,
                      .message = "xpu_timer: a kernel has not ended within XPU_TIMER_HANG_TIMEOUT"};
    }
    if (!event) return;
    event->attempt = m_series.attempt(), event->node = m_series.node(), event->device = meaning.id, event->rank = what.rank;
    m_out.event(*event);
  }

  Meaning* meaningOf(const ExpositionParser::Sample& sample) {
    std::string key(sample.key);
    if (const auto known = m_meanings.find(key); known != m_meanings.end()) return &known->second;
    if (m_meanings.size() >= kMaxPageSeries) return nullptr;
    Meaning& meaning = m_meanings[std::move(key)];
    ExporterSample& what = meaning.sample;
    what = exporterSample(sample, m_parser.typeOf(sample.name));
    // Some samples of a device lack its host.
    if (!what.uuid.empty() && !what.node.empty()) m_host_of.try_emplace(what.uuid, what.node);
    if (const auto host = m_host_of.find(what.uuid); what.node.empty() && host != m_host_of.end()) what.node = host->second;
    return &meaning;
  }

  // One page of an exporter, as curl and the textfile collector of node_exporter write it: its samples are as old as its file.
  // A page that was appended (curl >> file) begins with its types again; values of another text count on.
  bool isPage() const {
    return m_target.modified && m_target.final && (m_target.resume_at == 0 || m_types > 0) && !m_series.newest() &&
           std::ranges::all_of(m_meanings, [](const auto& entry) { return entry.second.untimed.size() <= 1; });
  }
  void putPage() {
    for (const auto& [key, meaning] : m_meanings) {
      if (meaning.untimed.empty()) continue;
      m_series.onHost(meaning.sample.node);
      m_series.put(meaning.id, meaning.sample.metric, meaning.sample.labels, *m_target.modified, meaning.untimed.front(),
                   meaning.sample.counter);
    }
  }

  void putUntimed(ImportReport& report) {
    const bool clock = m_series.newest().has_value();
    report.run = m_out.run({.name = m_target.run_name, .time_domain = clock ? TimeDomain::kUtc : TimeDomain::kNone});
    const AttemptId attempt = m_out.attempt({.run = report.run, .key = m_target.attempt_key});
    for (const auto& [key, meaning] : m_meanings) {
      if (meaning.untimed.empty()) continue;
      const SeriesId id = m_out.series({.attempt = attempt,
                                        .metric = meaning.sample.metric,
                                        .source = m_target.source,
                                        .labels = meaning.sample.every_label,
                                        .unit = std::string(unitOfMetric(meaning.sample.metric)),
                                        .kind = SeriesKind::kScalar});
      const auto before = m_seen.find(key);
      std::vector<std::int64_t> steps(meaning.untimed.size());
      std::int64_t step = before == m_seen.end() ? 0 : before->second;
      for (std::int64_t& at : steps) at = step++;
      m_out.scalars(id, steps, {}, meaning.untimed);
    }
  }
  void issue(const char* code, std::int64_t count, const std::string& detail) {
    if (count > 0) m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  DeviceSeries m_series;
  ExpositionParser m_parser;
  FaultCodes m_codes;
  std::unordered_map<std::string, Meaning> m_meanings;
  std::unordered_map<std::string, std::string> m_host_of;  // by uuid of a device
  std::unordered_map<std::string, std::int64_t> m_seen;
  std::int64_t m_bad = 0, m_exemplars = 0, m_too_many = 0, m_blank = 0;
  std::size_t m_untimed = 0, m_types = 0;
  std::string m_first_bad;
};

class PrometheusTextImporter : public Importer {
 public:
  std::string_view kind() const override { return "prometheus_text"; }
  int recognise(const ImportProbe& probe) const override {
    constexpr std::size_t kMax = 200;
    ExpositionParser parser;
    std::size_t read = 0, types = 0, labelled = 0, plain = 0, bad = 0;
    LineSplitter lines;
    lines.push(probe.head, [&](std::string_view line, std::uint64_t) {
      if (read++ >= kMax) return;
      const Line kind = parser.line(line);
      types += kind == Line::kType ? 1 : 0;
      bad += kind == Line::kBad ? 1 : 0;
      if (kind == Line::kSample) (parser.sample().labels.empty() ? plain : labelled) += 1;
    });
    const std::size_t samples = labelled + plain;
    if (types > 0 && samples > bad) return 93;
    // "loss 0.5" has the form of a sample, but is a line of a log.
    return labelled >= 3 && labelled >= plain && bad == 0 ? 90 : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    PrometheusFile file(target, out);
    LineSplitter lines;
    const Status status = readPieces(in, target, stop, [&](std::string_view piece) {
      lines.push(piece, [&](std::string_view line, std::uint64_t offset) { file.line(line, offset); });
    });
    const bool stopped = status.code() == Code::kCancelled;
    std::uint64_t end = lines.lineStart();
    if (!lines.partial().empty() && target.final && !stopped) {
      if (status.ok()) {
        file.line(lines.partial(), lines.lineStart());
        end = lines.offset();
        if (lines.lineStart() >= target.resume_at) out.issue({.code = "import.no_line_end", .source = target.path});
      } else {
        out.issue({.code = "import.truncated", .source = target.path, .detail = "the last line is not complete; it is not imported"});
      }
    }
    file.finish(report, end);
    return endOfImport(status, report);
  }
};

}  // namespace

std::unique_ptr<Importer> makePrometheusTextImporter() { return std::make_unique<PrometheusTextImporter>(); }

}  // namespace runglass
