// SPDX-License-Identifier: Apache-2.0
// trainer_state.json of the Hugging Face Trainer: log_history is a list of {step, key: number, ...}. It has no clock. committed_offset
// counts log_history entries: at every save the whole file is rewritten, with further entries at its end.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/python_json.h"
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
    History history(static_cast<std::int64_t>(target.resume_at));
    const Status parsed = walkPythonJson(std::move(text), target.path, history);
    if (!parsed.ok() && history.series.empty()) return parsed;
    if (parsed.ok() && !history.is_list) return {Code::kInvalidArgument, target.path + ": log_history is not a list"};
    report.committed_offset = static_cast<std::uint64_t>(history.entries);
    if (history.without_step > 0)
      out.issue({.code = "hf_trainer_state.no_step",
                 .source = target.path,
                 .count = history.without_step,
                 .detail = std::to_string(history.without_step) + " log entries have no step"});
    if (!parsed.ok()) {
      report.partial_reason = parsed.message() + "; the " + std::to_string(history.entries) + " log entries before it are whole";
      out.issue({.code = "import.truncated", .source = target.path, .detail = report.partial_reason});
    }
    if (history.series.empty()) {
      if (target.resume_at == 0) report.skipped_reason = "log_history holds no numbers";
      return {};
    }
    report.run = out.run({.name = target.run_name, .time_domain = TimeDomain::kNone, .framework = "huggingface"});
    const AttemptId attempt = out.attempt({.run = report.run, .key = target.attempt_key});
    for (const auto& [key, points] : history.series) {
      const SeriesId id = out.series(
          {.attempt = attempt, .metric = key, .source = target.source, .labels = canonicalLabel(key), .kind = SeriesKind::kScalar});
      out.scalars(id, points.step, {}, points.value);
    }
    return {};
  }

 private:
  // log_history[i].key; the step can be at any position in the entry.
  class History : public JsonVisitor {
   public:
    struct Points {
      std::vector<std::int64_t> step;
      std::vector<double> value;
    };
    explicit History(std::int64_t skip) : m_skip(skip) {}

    std::map<std::string, Points> series;
    std::int64_t entries = 0, without_step = 0;
    bool is_list = false;

    void leaf(JsonPath path, const JsonLeaf& value) override {
      if (!inHistory(path) || path[1].index < m_skip) return;
      if (path.size() == 2) {
        ++without_step;  // not an object
      } else if (path.size() == 3 && path[2].key == "step") {
        m_step = value.integer;
      } else if (path.size() == 3 && value.number) {  // texts such as "remaining_time" are not series
        m_values.emplace_back(path[2].key, *value.number);
      }
    }
    void closed(JsonPath path, bool array) override {
      if (path.size() == 1 && path[0].key == "log_history") is_list = is_list || array;
      if (path.size() != 2 || !inHistory(path)) return;
      entries = path[1].index + 1;
      if (path[1].index >= m_skip && m_step) {
        for (const auto& [key, value] : m_values) {
          series[key].step.push_back(*m_step);
          series[key].value.push_back(value);
        }
      } else if (path[1].index >= m_skip) {
        ++without_step;
      }
      m_step.reset();
      m_values.clear();
    }

   private:
    static bool inHistory(JsonPath path) { return path.size() >= 2 && path[0].key == "log_history" && path[1].index >= 0; }

    std::int64_t m_skip;
    std::optional<std::int64_t> m_step;
    std::vector<std::pair<std::string, double>> m_values;
  };
};

}  // namespace

std::unique_ptr<Importer> makeHfTrainerStateImporter() { return std::make_unique<HfTrainerStateImporter>(); }

}  // namespace runglass
