// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/registry.h"
#include "collectors/importers/tfevents/tfevents_parser.h"

namespace runglass {
namespace {

class TfeventsImporter : public Importer {
 public:
  std::string_view kind() const override { return "tfevents"; }
  int recognise(const ImportProbe& probe) const override { return looksLikeTfevents(probe.head) ? 95 : 0; }

  std::optional<TimeNs> beginTime(const ImportProbe& probe) const override {
    TfeventsParser parser([](const std::string&, const TfeventsParser::Scalars&) {});
    parser.feed(probe.head);
    return parser.counts().first_time;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    AttemptId attempt;
    TfeventsParser parser(
        [&](const std::string& tag, const TfeventsParser::Scalars& points) {
          if (!attempt) {
            report.run = out.run({.name = target.run_name, .framework = "tensorboard"});
            attempt = out.attempt({.run = report.run, .key = target.attempt_key});
          }
          const SeriesId series = out.series(
              {.attempt = attempt, .metric = tag, .source = target.source, .labels = canonicalLabel(tag), .kind = SeriesKind::kScalar});
          out.scalars(series, points.step, points.time, points.value);
        },
        target.resume_at);
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
