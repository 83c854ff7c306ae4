// SPDX-License-Identifier: Apache-2.0
// Megatron-LM golden values: {"lm loss": {"start_step", "end_step", "step_interval", "values": {"1": 13.9, ...} or [...]}}. No clock.
// "nan" texts are how the exporter writes "not logged at this step": absent, counted, never drawn as a NaN of the training.
#include <charconv>

#include <nlohmann/json.hpp>

#include "collectors/importers/input/python_json.h"
#include "collectors/importers/registry.h"
#include "model/crc32c.h"

namespace runglass {
namespace {

class MegatronGoldenImporter : public Importer {
 public:
  std::string_view kind() const override { return "megatron_golden"; }
  int recognise(const ImportProbe& probe) const override {
    return probe.head.find("\"step_interval\"") != std::string_view::npos && probe.head.find("\"values\"") != std::string_view::npos ? 95
                                                                                                                                     : 0;
  }
  // The file is written once and whole: all of its head tells it apart.
  std::string identity(const ImportProbe& probe) const override { return "golden:" + std::to_string(crc32c(probe.head)); }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RG_ASSIGN(std::string text, readAll(in, target.path, stop));
    const std::size_t bytes = text.size();
    RG_ASSIGN(const auto root, parsePythonJson(std::move(text), target.path));
    if (!root.is_object()) return {Code::kInvalidArgument, target.path + ": not an object of metrics"};
    report.committed_offset = bytes;
    if (target.resume_at >= bytes) return {};
    AttemptId attempt;
    std::int64_t absent = 0, bad_steps = 0;
    for (const auto& [tag, metric] : root.items()) {
      const auto values = metric.is_object() ? metric.find("values") : metric.end();
      if (!metric.is_object() || values == metric.end()) continue;
      std::vector<std::int64_t> steps;
      std::vector<double> numbers;
      const auto add = [&](std::int64_t step, const nlohmann::ordered_json& value) {
        if (const auto number = jsonNumber(value)) {
          steps.push_back(step);
          numbers.push_back(*number);
        } else {
          ++absent;
        }
      };
      if (values->is_object()) {
        for (const auto& [key, value] : values->items()) {
          std::int64_t step = 0;
          if (std::from_chars(key.data(), key.data() + key.size(), step).ec == std::errc())
            add(step, value);
          else
            ++bad_steps;
        }
      } else if (values->is_array()) {  // the older shape: from start_step on, every step_interval
        const std::int64_t start = metric.value("start_step", std::int64_t{0}), interval = metric.value("step_interval", std::int64_t{1});
        std::int64_t step = start;
        for (const auto& value : *values) {
          add(step, value);
          step += interval;
        }
      }
      if (steps.empty()) continue;
      if (!attempt) {
        report.run = out.run({.name = target.run_name, .time_domain = TimeDomain::kNone, .framework = "megatron"});
        attempt = out.attempt({.run = report.run, .key = target.attempt_key});
      }
      out.scalars(
          out.series(
              {.attempt = attempt, .metric = tag, .source = target.source, .labels = canonicalLabel(tag), .kind = SeriesKind::kScalar}),
          steps, {}, numbers);
    }
    if (absent > 0)
      out.issue({.code = "megatron_golden.not_a_number",
                 .source = target.path,
                 .count = absent,
                 .detail = std::to_string(absent) + " values are no numbers"});
    if (bad_steps > 0)
      out.issue({.code = "megatron_golden.bad_step",
                 .source = target.path,
                 .count = bad_steps,
                 .detail = std::to_string(bad_steps) + " steps are no whole numbers"});
    if (!attempt) report.skipped_reason = "no metric holds a number";
    return {};
  }
};

}  // namespace

std::unique_ptr<Importer> makeMegatronGoldenImporter() { return std::make_unique<MegatronGoldenImporter>(); }

}  // namespace runglass
