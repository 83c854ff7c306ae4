// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/tfevents/tfevents_parser.h"

namespace runglass {
namespace {

// Records the run, its attempts and their times from the recorded points only, so that a later import extends them.
class RunTeller {
 public:
  RunTeller(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out) {
    m_run.name = target.run_name;
    m_run.framework = "tensorboard";
    m_attempt.key = target.attempt_key;
  }
  RunId id() const { return m_attempt.run; }

  void take(const std::string& tag, const TfeventsParser::Scalars& points) {
    if (!m_attempt_id) {
      m_attempt.run = m_out.run(m_run);
      m_attempt_id = m_out.attempt(m_attempt);
    }
    const SeriesId series = m_out.series(
        {.attempt = m_attempt_id, .metric = tag, .source = m_target.source, .labels = canonicalLabel(tag), .kind = SeriesKind::kScalar});
    m_out.scalars(series, points.step, points.time, points.value);
    const auto [first, last] = std::minmax_element(points.time.begin(), points.time.end());
    m_attempt.start = std::min(m_attempt.start.value_or(*first), *first);
    m_attempt.end = std::max(m_attempt.end.value_or(*last), *last);
  }
  // The writer reports a start at a step: `again` makes it another attempt in the same file.
  void start(std::int64_t step, bool again) {
    if (again) {
      tellTimes();
      m_attempt = {.run = m_attempt.run, .key = m_target.attempt_key + "#" + std::to_string(++m_starts)};
      m_attempt_id = {};
    }
    if (step > 0 && !m_attempt_id) m_attempt.resumed_from_step = step;
  }
  void tellTimes() {
    if (!m_attempt_id) return;
    m_run.start = m_attempt.start;
    m_run.end = m_attempt.end;
    m_out.run(m_run);
    m_out.attempt(m_attempt);
  }

 private:
  const ImportTarget& m_target;
  Recorder& m_out;
  Run m_run;
  Attempt m_attempt;
  AttemptId m_attempt_id;
  int m_starts = 1;
};

class TfeventsImporter : public Importer {
 public:
  std::string_view kind() const override { return "tfevents"; }
  Grouping grouping() const override { return Grouping::kFolder; }
  int recognise(const ImportProbe& probe) const override { return looksLikeTfevents(probe.head) ? 95 : 0; }

  std::optional<TimeNs> beginTime(const ImportProbe& probe) const override {
    TfeventsParser parser([](const std::string&, const TfeventsParser::Scalars&) {});
    parser.feed(probe.head);
    return parser.counts().first_time;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RunTeller run(target, out);
    TfeventsParser parser([&](const std::string& tag, const TfeventsParser::Scalars& points) { run.take(tag, points); }, target.resume_at,
                          [&](std::int64_t step, bool again) { run.start(step, again); });
    Status read;
    for (;;) {
      if (stop.stop_requested()) {
        read = Status(Code::kCancelled, target.path + ": import stopped");
        break;
      }
      auto bytes = in.next();
      if (!bytes.ok()) {
        read = bytes.status();
        break;
      }
      if (bytes->empty() || !parser.feed(*bytes)) break;
    }
    parser.flush();
    run.tellTimes();
    report.run = run.id();
    report.committed_offset = parser.committedOffset();
    report.end_time = parser.counts().last_time;
    if (read.code() == Code::kCancelled) return read;
    tell(parser, target, read, out, report);
    if (parser.counts().records == 0) return {Code::kInvalidArgument, target.path + ": no complete record in the event file"};
    return {};
  }

 private:
  static void tell(const TfeventsParser& parser, const ImportTarget& target, const Status& read, Recorder& out, ImportReport& report) {
    const auto& counts = parser.counts();
    const auto issue = [&](std::string_view code, std::int64_t count, std::string detail) {
      if (count > 0)
        out.issue({.code = std::string(code),
                   .source = target.path,
                   .count = count,
                   .first = counts.first_time,
                   .last = counts.last_time,
                   .detail = std::move(detail)});
    };
    issue("tfevents.bad_data_crc", counts.bad_data_crc, std::to_string(counts.bad_data_crc) + " records skipped");
    issue("tfevents.malformed", counts.malformed, std::to_string(counts.malformed) + " events skipped");
    issue("tfevents.not_scalar", counts.not_scalar, std::to_string(counts.not_scalar) + " histograms, images, texts or tensors");
    issue("tfevents.record_too_large", counts.too_large, std::to_string(counts.too_large) + " records of more than 16 MiB");
    issue("tfevents.too_many_tags", counts.too_many_tags,
          std::to_string(counts.too_many_tags) + " points of tags beyond the first " + std::to_string(TfeventsParser::kMaxTags));
    if (counts.bad_length_at) {
      report.partial_reason =
          "the length checksum of the record at byte " + std::to_string(*counts.bad_length_at) + " is wrong; nothing after it can be read";
      issue("tfevents.bad_length_crc", 1, report.partial_reason);
    } else if (!read.ok()) {
      report.partial_reason = read.message();
      issue("import.truncated", 1, read.message());
    } else if (target.final && parser.insideRecord()) {
      report.partial_reason = parser.tailBytes() == 0 ? "the file ends inside a record of more than 16 MiB"
                                                      : "the file ends inside a record: " + std::to_string(parser.tailBytes()) +
                                                            " bytes after byte " + std::to_string(parser.committedOffset());
      issue("import.truncated", 1, report.partial_reason);
    }
    if (counts.records > 0 && counts.scalars == 0 && target.resume_at == 0 && report.partial_reason.empty())
      report.skipped_reason = "holds no scalars";
  }
};

}  // namespace

std::unique_ptr<Importer> makeTfeventsImporter() { return std::make_unique<TfeventsImporter>(); }

}  // namespace runglass
