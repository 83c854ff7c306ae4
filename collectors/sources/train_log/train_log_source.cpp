// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/train_log/train_log_source.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "collectors/importers/train_log/log_session.h"
#include "collectors/sources/follow/follow_source.h"

namespace runglass {
namespace {

constexpr std::array<std::string_view, 4> kLogEndings = {".log", ".out", ".err", ".txt"};

class LogConsumer : public FileConsumer {
 public:
  LogConsumer(const FollowTarget& target, const std::string& node_name, const RankTable* ranks)
      : m_path(target.path),
        m_session(train_log::RuleSet::standard(), {.run_name = target.run_name,
                                                   .attempt_key = target.attempt_key,
                                                   .stream = std::filesystem::path(target.path).filename().string(),
                                                   .path = target.path,
                                                   .resume_at = target.resume_at,
                                                   .live = true,
                                                   .node = target.node,
                                                   .node_name = node_name,
                                                   .process = rankOf(ranks)}) {}

  void feed(std::string_view bytes, std::optional<TimeNs> arrival, Recorder& out) override {
    m_session.setArrival(arrival);
    m_session.push(bytes, out);
  }
  void flush(Recorder& out) override {
    m_session.flush(out);
    tellIssues(out);
  }
  void startOver(Recorder&) override { m_session.startOver(); }
  void finish(Recorder& out) override {
    m_session.finish(out);
    tellIssues(out);
  }
  std::uint64_t committedOffset() const override { return m_session.committedOffset(); }

 private:
  static std::function<std::optional<Rank>(std::int32_t)> rankOf(const RankTable* ranks) {
    if (ranks == nullptr) return {};
    return [ranks](std::int32_t pid) { return ranks->find(pid); };
  }
  // Only the increase: the store adds counts up.
  void tellIssues(Recorder& out) {
    for (const auto& [code, note] : m_session.issues()) {
      std::int64_t& reported = m_reported[code];
      if (note.count > reported) out.issue({.code = code, .source = m_path, .count = note.count - reported, .detail = note.detail});
      reported = std::max(reported, note.count);
    }
  }

  std::string m_path;
  train_log::LogSession m_session;
  std::map<std::string, std::int64_t> m_reported;
};

// Both source names use the same rules; two tables of a configuration can have different files and runs.
class TrainLogSource : public FollowSource {
 public:
  explicit TrainLogSource(std::string_view name) : m_name(name) {}
  std::string_view name() const override { return m_name; }
  Status start(Recorder& out, const SourceContext& context) override {
    m_node_name = context.node.name;
    m_ranks = context.ranks;
    return FollowSource::start(out, context);
  }

 protected:
  std::unique_ptr<FileConsumer> consumer(const FollowTarget& target) override {
    return std::make_unique<LogConsumer>(target, m_node_name, m_ranks);
  }
  // A run's folder also has configurations and code, whose lines are not a log.
  bool takes(std::string_view file_name) const override {
    return std::ranges::any_of(kLogEndings, [&](std::string_view ending) { return file_name.ends_with(ending); });
  }
  std::string takenNames() const override {
    std::string names;
    for (const std::string_view ending : kLogEndings) names += (names.empty() ? "file named *" : ", *") + std::string(ending);
    return names;
  }

 private:
  std::string_view m_name;
  std::string m_node_name;
  const RankTable* m_ranks = nullptr;
};

}  // namespace

std::unique_ptr<Source> makeTrainLogSource() { return std::make_unique<TrainLogSource>("train_log"); }
std::unique_ptr<Source> makeNcclLogSource() { return std::make_unique<TrainLogSource>("nccl_log"); }

}  // namespace runglass
