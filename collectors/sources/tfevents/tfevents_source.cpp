// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/tfevents/tfevents_source.h"

#include <map>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/tfevents/tfevents_parser.h"
#include "collectors/sources/follow/follow_source.h"

namespace runglass {
namespace {

class EventsConsumer : public FileConsumer {
 public:
  explicit EventsConsumer(const FollowTarget& target) : m_target(target) { restart(target.resume_at); }

  void feed(std::string_view bytes, std::optional<TimeNs>, Recorder& out) override {
    m_out = &out;
    m_parser->feed(bytes);
    m_out = nullptr;
  }
  void flush(Recorder& out) override {
    m_out = &out;
    m_parser->flush();
    m_out = nullptr;
    tellIssues(out);
  }
  void startOver(Recorder& out) override {
    flush(out);
    restart(0);
  }
  void finish(Recorder& out) override { flush(out); }
  std::uint64_t committedOffset() const override { return m_parser->committedOffset(); }

 private:
  void restart(std::uint64_t resume_at) {
    m_parser.emplace([this](const std::string& tag, const TfeventsParser::Scalars& points) { take(tag, points); }, resume_at);
    m_reported.clear();
  }
  void take(const std::string& tag, const TfeventsParser::Scalars& points) {
    if (!m_attempt) {
      const RunId run = m_out->run({.name = m_target.run_name, .state = RunState::kRunning, .framework = "tensorboard"});
      m_attempt = m_out->attempt({.run = run, .key = m_target.attempt_key});
    }
    auto [it, fresh] = m_series.try_emplace(tag);
    if (fresh)
      it->second = m_out->series({.attempt = m_attempt, .metric = tag, .labels = canonicalLabel(tag), .kind = SeriesKind::kScalar});
    m_out->scalars(it->second, points.step, points.time, points.value);
  }
  void tellIssues(Recorder& out) {
    const auto& counts = m_parser->counts();
    const auto tell = [&](const char* code, std::int64_t count) {
      std::int64_t& reported = m_reported[code];
      if (count > reported)
        out.issue({.code = code, .source = m_target.path, .count = count - reported, .last = counts.last_time, .detail = "followed"});
      reported = count;
    };
    tell("tfevents.bad_data_crc", counts.bad_data_crc);
    tell("tfevents.malformed", counts.malformed);
    tell("tfevents.not_scalar", counts.not_scalar);
    tell("tfevents.record_too_large", counts.too_large);
    tell("tfevents.bad_length_crc", counts.bad_length_at ? 1 : 0);
  }

  FollowTarget m_target;
  std::optional<TfeventsParser> m_parser;
  Recorder* m_out = nullptr;  // set while the parser may call take()
  AttemptId m_attempt;
  std::map<std::string, SeriesId> m_series;
  std::map<std::string, std::int64_t> m_reported;
};

class TfeventsSource : public FollowSource {
 public:
  std::string_view name() const override { return "tfevents"; }

 protected:
  std::unique_ptr<FileConsumer> consumer(const FollowTarget& target) override { return std::make_unique<EventsConsumer>(target); }
  TailedFiles::Takes takes() const override {
    return [](std::string_view file_name) { return file_name.find("tfevents") != std::string_view::npos; };
  }
  std::string takenNames() const override { return "file named *tfevents*"; }
};

}  // namespace

std::unique_ptr<Source> makeTfeventsSource() { return std::make_unique<TfeventsSource>(); }

}  // namespace runglass
