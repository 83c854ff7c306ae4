// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/train_log/train_log_importer.h"

#include <algorithm>

#include "collectors/importers/train_log/log_session.h"

namespace runglass {
namespace {
using namespace train_log;

// Logs can contain a few control bytes; scattered zeros or many other control bytes indicate another kind of file. Long runs of zeros are
// gaps: in a log that was truncated while being written (at its beginning), or that lost its last blocks in a crash.
bool isText(std::string_view head) {
  constexpr std::size_t kHole = 64;
  std::size_t odd = 0, text = 0;
  for (std::size_t i = 0; i < head.size();) {
    const std::size_t next = std::min(head.find_first_not_of('\0', i), head.size());
    if (next > i && next - i < kHole && next < head.size()) return false;
    if (next == head.size()) break;
    const auto c = static_cast<unsigned char>(head[next]);
    odd += c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\x1b' && c != '\b' && c != '\f' ? 1 : 0;
    ++text;
    i = next + 1;
  }
  return text > 0 && odd * 50 <= text;
}

bool looksLikeLogName(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst", ".bz2"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return path.ends_with(".log") || path.ends_with(".out") || path.ends_with(".err") || path.ends_with(".txt") || name.starts_with("log.") ||
         name.starts_with("slurm-");
}

bool isMlperf(std::string_view head) {
  return head.find(":::MLLOG") != std::string_view::npos || head.find(":::SYSJSON") != std::string_view::npos ||
         head.find(":::DLPAL") != std::string_view::npos;
}

// Some frameworks print megabytes of settings before their first step.
constexpr std::size_t kLookAhead = 8 << 20;

class TrainLogImporter : public Importer {
 public:
  TrainLogImporter(std::string_view kind, bool mlperf, std::shared_ptr<const RuleSet> rules)
      : m_kind(kind), m_mlperf(mlperf), m_rules(std::move(rules)) {}

  std::string_view kind() const override { return m_kind; }

  int recognise(const ImportProbe& probe) const override {
    // After a gap larger than the head, only the name can be checked.
    if (!probe.head.empty() && probe.head.find_first_not_of('\0') == std::string_view::npos)
      return !m_mlperf && looksLikeLogName(probe.path) ? 15 : 0;
    if (!isText(probe.head)) return 0;
    if (isMlperf(probe.head)) return m_mlperf ? 95 : 90;
    if (m_mlperf) return 0;
    bool record = false, other = false;
    RuleSet::Scratch scratch;
    const auto& rules = set();
    LineSplitter lines;
    std::string clean;
    lines.push(probe.head, [&](std::string_view line, std::uint64_t) {
      stripAnsi(line, clean);
      rules.match(clean, scratch);
      for (const Match& match : scratch.matches)
        (match.rule->kind == RuleKind::kRecord && !rules.files()[match.rule->file].generic ? record : other) = true;
    });
    if (record) return 85;
    if (looksLikeLogName(probe.path)) return other ? 60 : 15;
    return other ? 40 : 0;
  }

  std::optional<TimeNs> beginTime(const ImportProbe& probe) const override {
    // The first line with a time counts, whether a rule matches it or not.
    std::optional<TimeNs> first;
    LineSplitter lines;
    std::string clean;
    lines.push(probe.head, [&](std::string_view line, std::uint64_t) {
      if (first) return;
      stripAnsi(line, clean);
      if (const auto printed = set().prefixOf(clean).time) first = LogSession::utc(*printed);
    });
    return first;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    SessionOptions options;
    options.run_name = target.run_name;
    if (!target.attempt_key.empty()) options.attempt_key = target.attempt_key;
    options.stream = target.file_name;
    options.source = target.source;
    options.path = target.path;
    options.resume_at = target.resume_at;
    options.modified = target.modified;
    LogSession session(m_rules ? m_rules : RuleSet::standard(), options);
    Status damaged;
    std::string head;  // for the look-ahead before the first line is processed
    bool looking = true;
    while (damaged.ok()) {
      if (stop.stop_requested()) {
        damaged = Status(Code::kCancelled, "import of " + target.path + " was stopped");
        break;
      }
      auto bytes = in.next();
      if (!bytes.ok()) {
        damaged = bytes.status();
      } else if (bytes->empty()) {
        break;
      } else if (looking) {
        head += *bytes;
        looking = !session.lookAhead(*bytes) && head.size() < kLookAhead;
        if (looking) continue;
        session.push(head, out);
        head = {};
      } else {
        session.push(*bytes, out);
      }
    }
    session.push(head, out);
    auto issues = session.issues();
    const bool reported_before = target.resume_at > 0 && target.resume_at == session.committedOffset();
    const bool stopped = damaged.code() == Code::kCancelled;
    if (target.final && !stopped && !reported_before) {
      if (session.cutRecord())
        issues["import.truncated"] = {1, "the last line has no end; it is not imported"};
      else
        session.takeRest(out);
    }
    session.finish(out);
    describe(session, issues, target, out, report);
    if (damaged.ok() || stopped) return damaged;
    if (session.run()) {
      report.partial_reason = damaged.message();
      return {};
    }
    return damaged;
  }

 private:
  const RuleSet& set() const { return m_rules ? *m_rules : *RuleSet::standard(); }

  static void describe(const LogSession& session, const std::map<std::string, LogSession::IssueNote>& issues, const ImportTarget& target,
                       Recorder& out, ImportReport& report) {
    for (const auto& [code, note] : issues) {
      Issue issue;
      issue.code = code;
      issue.source = target.path;
      issue.count = note.count;
      issue.detail = note.detail;
      out.issue(issue);
    }
    report.run = session.run();
    report.end_time = session.endTime();
    report.committed_offset = session.committedOffset();
    if (!session.hasRecords() && !session.run()) report.skipped_reason = "no known training line";
  }

  std::string_view m_kind;
  bool m_mlperf;
  std::shared_ptr<const RuleSet> m_rules;  // null: the standard ones, loaded on first use
};
}  // namespace

std::unique_ptr<Importer> makeTrainLogImporter() { return std::make_unique<TrainLogImporter>("train_log", false, nullptr); }
std::unique_ptr<Importer> makeMlperfLogImporter() { return std::make_unique<TrainLogImporter>("mlperf_mllog", true, nullptr); }
std::unique_ptr<Importer> makeTrainLogImporter(std::shared_ptr<const RuleSet> rules) {
  return std::make_unique<TrainLogImporter>("train_log", false, std::move(rules));
}

}  // namespace runglass
