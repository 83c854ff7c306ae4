// SPDX-License-Identifier: Apache-2.0
// trainer_state.json of the Hugging Face Trainer: log_history is a list of {step, key: number, ...}. It has no clock.
// committed_offset counts log_history entries: the file is rewritten whole at every save, with more entries at its end.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "collectors/importers/input/python_json.h"
#include "collectors/importers/registry.h"
#include "model/crc32c.h"

namespace runglass {
namespace {

class HfTrainerStateImporter : public Importer {
 public:
  std::string_view kind() const override { return "hf_trainer_state"; }
  int recognise(const ImportProbe& probe) const override {
    if (probe.head.find_first_not_of(" \t\r\n") == std::string_view::npos || probe.head[probe.head.find_first_not_of(" \t\r\n")] != '{')
      return 0;
    return probe.head.find("\"log_history\"") != std::string_view::npos && probe.head.find("\"global_step\"") != std::string_view::npos ? 95
                                                                                                                                        : 0;
  }
  // The head of the file changes with every save, its first log entry does not.
  std::string identity(const ImportProbe& probe) const override {
    const std::size_t begin = std::min(probe.head.find("\"log_history\""), probe.head.size());
    const std::size_t end = std::min(probe.head.find('}', begin), probe.head.size());
    return "log_history:" + std::to_string(crc32c(probe.head.substr(begin, end - begin)));
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RG_ASSIGN(std::string text, readAll(in, target.path, stop));
    RG_ASSIGN(const auto state, parsePythonJson(std::move(text), target.path));
    const auto history = state.is_object() ? state.find("log_history") : state.end();
    if (!state.is_object() || history == state.end() || !history->is_array())
      return {Code::kInvalidArgument, target.path + ": log_history is not a list"};
    report.committed_offset = history->size();
    std::map<std::string, Points> series;
    std::int64_t without_step = 0, position = -1;
    for (const auto& entry : *history) {
      if (++position < static_cast<std::int64_t>(target.resume_at)) continue;
      const auto step = entry.is_object() ? entry.find("step") : entry.end();
      if (!entry.is_object() || step == entry.end() || !step->is_number_integer()) {
        ++without_step;
        continue;
      }
      for (const auto& [key, value] : entry.items()) {
        const auto number = key == "step" ? std::nullopt : jsonNumber(value);
        if (!number) continue;  // texts such as "remaining_time" are no series
        series[key].step.push_back(step->get<std::int64_t>());
        series[key].value.push_back(*number);
      }
    }
    if (without_step > 0)
      out.issue({.code = "hf_trainer_state.no_step",
                 .source = target.path,
                 .count = without_step,
                 .detail = std::to_string(without_step) + " log entries have no step"});
    if (series.empty()) {
      if (target.resume_at == 0) report.skipped_reason = "log_history holds no numbers";
      return {};
    }
    report.run = out.run({.name = target.run_name, .time_domain = TimeDomain::kNone, .framework = "huggingface"});
    const AttemptId attempt = out.attempt({.run = report.run, .key = target.attempt_key});
    for (const auto& [key, points] : series) {
      const SeriesId id = out.series(
          {.attempt = attempt, .metric = key, .source = target.source, .labels = canonicalLabel(key), .kind = SeriesKind::kScalar});
      out.scalars(id, points.step, {}, points.value);
    }
    return {};
  }

 private:
  struct Points {
    std::vector<std::int64_t> step;
    std::vector<double> value;
  };
};

}  // namespace

std::unique_ptr<Importer> makeHfTrainerStateImporter() { return std::make_unique<HfTrainerStateImporter>(); }

}  // namespace runglass
