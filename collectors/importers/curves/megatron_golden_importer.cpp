// SPDX-License-Identifier: Apache-2.0
// Megatron-LM golden values: {"lm loss": {"start_step", "end_step", "step_interval", "values": {"1": 13.9, ...} or [...]}}. No clock.
// "nan" texts are the exporter's notation for "not logged at this step": absent and counted, never recorded as a NaN of the training.
#include <charconv>
#include <map>
#include <vector>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/python_json.h"
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
  // The file is written once as a whole: its complete head identifies it.
  std::string identity(const ImportProbe& probe) const override { return "golden:" + std::to_string(crc32c(probe.head)); }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RG_ASSIGN(std::string text, readAll(in, target.path, stop));
    const std::size_t bytes = text.size();
    Metrics metrics;
    RG_TRY(walkPythonJson(std::move(text), target.path, metrics));
    report.committed_offset = bytes;
    if (target.resume_at >= bytes) return {};
    AttemptId attempt;
    for (const auto& [tag, metric] : metrics.all) {
      if (metric.value.empty()) continue;
      if (!attempt) {
        report.run = out.run({.name = target.run_name, .time_domain = TimeDomain::kNone, .framework = "megatron"});
        attempt = out.attempt({.run = report.run, .key = target.attempt_key});
      }
      out.scalars(
          out.series(
              {.attempt = attempt, .metric = tag, .source = target.source, .labels = canonicalLabel(tag), .kind = SeriesKind::kScalar}),
          metric.steps(), {}, metric.value);
    }
    if (metrics.absent > 0)
      out.issue({.code = "megatron_golden.not_a_number",
                 .source = target.path,
                 .count = metrics.absent,
                 .detail = std::to_string(metrics.absent) + " values are no numbers"});
    if (metrics.bad_steps > 0)
      out.issue({.code = "megatron_golden.bad_step",
                 .source = target.path,
                 .count = metrics.bad_steps,
                 .detail = std::to_string(metrics.bad_steps) + " steps are no whole numbers"});
    if (!attempt) report.skipped_reason = "no metric holds a number";
    return {};
  }

 private:
  struct Metric {
    std::int64_t start = 0, interval = 1;
    std::vector<std::int64_t> place;  // the step itself, or the position in a list
    std::vector<double> value;
    bool is_list = false;

    // The older format is a list: from start_step on, every step_interval. Both can come after the list.
    std::vector<std::int64_t> steps() const {
      std::vector<std::int64_t> all = place;
      constexpr std::int64_t kMax = std::int64_t{1} << 32;  // beyond any training; keeps the product in range
      if (is_list && start > -kMax && start < kMax && interval > -kMax && interval < kMax)
        for (std::int64_t& step : all) step = start + step * interval;
      return all;
    }
  };
  class Metrics : public JsonVisitor {
   public:
    std::map<std::string, Metric> all;
    std::int64_t absent = 0, bad_steps = 0;

    void leaf(JsonPath path, const JsonLeaf& value) override {
      if (path.size() == 2 && value.integer && path[1].key == "start_step") all[path[0].key].start = *value.integer;
      if (path.size() == 2 && value.integer && path[1].key == "step_interval") all[path[0].key].interval = *value.integer;
      if (path.size() != 3 || path[1].key != "values") return;
      std::int64_t place = path[2].index;
      if (place < 0) {
        const std::string& key = path[2].key;
        const auto parsed = std::from_chars(key.data(), key.data() + key.size(), place);
        if (parsed.ec != std::errc() || parsed.ptr != key.data() + key.size()) {
          ++bad_steps;
          return;
        }
      }
      if (!value.number) {
        ++absent;
        return;
      }
      Metric& metric = all[path[0].key];
      metric.is_list = path[2].index >= 0;
      metric.place.push_back(place);
      metric.value.push_back(*value.number);
    }
    void closed(JsonPath, bool) override {}
  };
};

}  // namespace

std::unique_ptr<Importer> makeMegatronGoldenImporter() { return std::make_unique<MegatronGoldenImporter>(); }

}  // namespace runglass
