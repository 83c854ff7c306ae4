// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl estimate: training time, memory, failure probability and checkpoint interval; and planned versus actual for a stored run.
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/estimate/memory.h"
#include "analysis/estimate/training_time.h"
#include "analysis/statistics/failures.h"
#include "app/cli/analyze_goodput.h"
#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/json_value.h"
#include "app/cli/options.h"
#include "app/cli/run_choice.h"
#include "app/cli/store_access.h"
#include "model/device_catalog.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass::ctl {
namespace {

struct Answer {
  Json json;
  std::string text;
};

void add(Answer& answer, const char* name, const Estimated& value, const std::string& words) {
  answer.json[name] = {{"value", value.value}, {"formula", value.formula}};
  answer.text += words + "\n    " + value.formula + "\n";
}

class Estimate : public Command {
 public:
  const char* name() const override { return "estimate"; }
  const char* help() const override {
    return "Training time, memory per GPU, failures, checkpoint interval: the numbers with their formulas";
  }
  const char* examples() const override {
    return "runglassctl estimate time --parameters 175e9 --tokens 300e9 --gpus 1024 --device H100-SXM --mfu 0.4\n"
           "runglassctl estimate memory --parameters 70e9 --dp 8 --pp 8 --tp 8 --zero 1\n";
  }
  void declare(Options options) override {
    options.requireSubcommand();
    options.flag("--json", m_json, "Print one JSON object");
    options.fallthrough();
    declareTime(question(options, "time", "Days of training, and MFU from a measured rate", &Estimate::time));
    declareMemory(question(options, "memory", "Bytes per GPU under DP, PP, TP and ZeRO", &Estimate::memory));
    declareFailures(question(options, "failures", "Chance of a failure per day, and the time between them", &Estimate::failures));
    declareCheckpoint(question(options, "checkpoint", "How often to save (Young 1974, Daly 2006)", &Estimate::checkpoint));
    declarePlan(question(options, "plan", "Planned versus actual of a stored run", &Estimate::plan));
  }
  Status run() override {
    const auto asked = std::ranges::find_if(m_questions, [](const Question& question) { return question.command.parsed(); });
    RG_ASSIGN(const Answer answer, (this->*asked->answer)());
    return printAnswer(
        m_json, [&] { return answer.json; }, [&] { return answer.text; });
  }

 private:
  struct Question {
    Options command;
    Result<Answer> (Estimate::*answer)();
  };

  Options question(Options options, const char* name, const char* help, Result<Answer> (Estimate::*answer)()) {
    m_questions.push_back({options.subcommand(name, help), answer});
    return m_questions.back().command;
  }

  static void need(Options options, const char* option, double& value, const char* help) {
    options.add(option, value, help).required().positive();
  }

  void declareTime(Options options) {
    need(options, "--parameters", m_parameters, "Parameters of the model, 175e9");
    need(options, "--tokens", m_work.tokens, "Tokens to train on, 300e9");
    need(options, "--gpus", m_gpus, "Number of GPUs");
    const Option device = options.add("--device", m_device, "A device of the catalogue, \"H100\": its dense BF16 peak");
    const Option peak = options.add("--peak", m_peak, "Dense peak of a GPU in FLOP/s, 1000e12").positive().excludes(device);
    const Option mfu = options.add("--mfu", m_mfu, "Share of the peak, 0.5").range(0.0, 1.0);
    options.add("--achieved", m_achieved, "FLOP/s that a GPU achieves, in place of --peak and --mfu")
        .positive()
        .excludes(device)
        .excludes(peak)
        .excludes(mfu);
    options.add("--tokens-per-s", m_rate, "Measured tokens/s of all GPUs: their MFU is computed").positive().excludes(mfu);
    options.add("--recompute", m_recompute, "Recomputation of activations").oneOf({"none", "selective", "full"});
  }
  void declareMemory(Options options) {
    need(options, "--parameters", m_parameters, "Parameters of the model, 175e9");
    for (auto& [option, value] :
         {std::pair("--dp", &m_memory.dp), {"--pp", &m_memory.pp}, {"--tp", &m_memory.tp}, {"--vpp", &m_memory.vpp}})
      options.add(option, *value, "Parallel size").positive();
    options.add("--zero", m_memory.zero, "ZeRO stage").range(0, 3);
    options.add("--weight-bytes", m_memory.weight_bytes, "Bytes a parameter of the weights, 2").nonNegative();
    options.add("--gradient-bytes", m_memory.gradient_bytes, "Of the gradients, 2").nonNegative();
    options.add("--master-bytes", m_memory.master_bytes, "Of the FP32 master weights, 4").nonNegative();
    options.add("--moments-bytes", m_memory.moments_bytes, "Of Adam's two moments, 8").nonNegative();
    ModelShape& shape = m_memory.shape;
    for (auto& [option, value] : {std::pair("--layers", &shape.layers),
                                  {"--hidden", &shape.hidden},
                                  {"--heads", &shape.heads},
                                  {"--sequence", &shape.sequence},
                                  {"--micro-batch", &shape.micro_batch}})
      options.add(option, *value, "Shape of the model, for the activations: all five or none").positive();
    options.flag("--sequence-parallel", m_memory.sequence_parallel, "Sequence parallelism within the TP group");
    options.add("--recompute", m_recompute, "Recomputation of activations").oneOf({"none", "selective", "full"});
    options.add("--device", m_device, "A device of the catalogue, \"H100\": does it fit");
  }
  void declareFailures(Options options) {
    need(options, "--gpus", m_gpus, "Number of GPUs");
    options.add("--per-gpu-day", m_chance, "Chance that a GPU fails in a day, 0.001").range(0.0, 1.0);
  }
  void declareCheckpoint(Options options) {
    need(options, "--save-s", m_save_s, "Seconds that training waits for a save");
    const Option mtbf = options.add("--mtbf-s", m_mtbf_s, "Mean seconds between failures").positive();
    options.add("--gpus", m_gpus, "Number of GPUs, in place of --mtbf-s: the rate of another cluster is taken").positive().excludes(mtbf);
  }
  void declarePlan(Options options) {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.add("--run", m_run, "Id or name of the run; without it the one that runs or started last");
  }

  Recompute recompute() const {
    return m_recompute == "full" ? Recompute::kFull : m_recompute == "selective" ? Recompute::kSelective : Recompute::kNone;
  }
  Result<const DeviceSpec*> device() const {
    const DeviceSpec* found = m_device.empty() ? nullptr : findDevice(m_device);
    if (!m_device.empty() && found == nullptr) return Status(Code::kNotFound, "--device: \"" + m_device + "\" is not in the catalogue");
    return found;
  }

  Result<Answer> time() {
    m_work.parameters = m_parameters, m_work.gpus = m_gpus, m_work.recompute = recompute();
    RG_ASSIGN(const DeviceSpec* spec, device());
    if (spec != nullptr) {
      const DevicePeak* peak = findDevicePeak(m_device);
      if (peak == nullptr) return Status(Code::kNotFound, "--device: " + std::string(spec->name) + ": " + std::string(spec->source));
      m_peak = peak->dense_flops_per_s;
    }
    Answer answer{.json = {{"recompute", recomputeName(m_work.recompute)}}, .text = {}};
    if (spec != nullptr) answer.json["peak"] = {{"flops_per_s", m_peak}, {"source", spec->source}};
    if (m_rate > 0) {
      const auto mfu = measuredMfu(m_parameters, m_rate / m_gpus, m_peak);
      if (!mfu) return Status(Code::kInvalidArgument, "--tokens-per-s: needs --device or --peak");
      add(answer, "mfu_ratio", *mfu, "MFU " + percentText(mfu->value, 1));
      m_mfu = mfu->value, m_work.recompute = Recompute::kNone;  // MFU counts the model's FLOPs only
    }
    const auto days = m_achieved > 0 ? trainingDays(m_work, m_achieved) : trainingDays(m_work, m_peak, m_mfu);
    if (!days) return Status(Code::kInvalidArgument, "estimate time: say --achieved, or --mfu (or --tokens-per-s) with --device or --peak");
    add(answer, "days", *days, fixedText(days->value, 1) + " days");
    return answer;
  }

  Result<Answer> memory() {
    m_memory.parameters = m_parameters, m_memory.recompute = recompute();
    const auto estimate = memoryPerGpu(m_memory);
    if (!estimate) return Status(Code::kInvalidArgument, "estimate memory: sizes must be positive");
    RG_ASSIGN(const DeviceSpec* spec, device());
    Answer answer{.json = Json::object(), .text = {}};
    for (const MemoryPart& part : estimate->parts) {
      std::string name = part.name + "_bytes";
      std::ranges::replace(name, ' ', '_');
      add(answer, name.c_str(), part.bytes, part.name + " " + bytesText(part.bytes.value));
    }
    answer.json["states_bytes"] = estimate->states_bytes;
    answer.json["total_bytes"] = estimate->total();
    if (!estimate->activations_bytes) {
      answer.json["activations_bytes"] = nullptr;
      answer.json["activations_reason"] = "layers, hidden, heads, sequence and micro-batch are not all known";
    }
    answer.text += "total " + bytesText(estimate->total()) +
                   (estimate->activations_bytes ? "" : ", without activations: the model's shape is not known");
    if (spec != nullptr && spec->memory_bytes) {
      answer.json["device"] = {{"name", spec->name}, {"memory_bytes", *spec->memory_bytes}, {"source", spec->source}};
      answer.text += ", of " + bytesText(*spec->memory_bytes) + " of " + std::string(spec->name);
    }
    answer.text += "\n";
    return answer;
  }

  Result<Answer> failures() {
    const bool field = m_chance < 0;
    const double chance = field ? kFieldFailuresPerGpuDay : m_chance;
    Answer answer{.json = {{"failures_per_gpu_day", chance}}, .text = {}};
    if (field) {
      answer.json["source"] = kFieldFailuresSource;
      answer.text = "rate: " + std::string(kFieldFailuresSource) + "\n";
    }
    if (const auto day = failureOfDay(chance, m_gpus))
      add(answer, "failure_per_day_ratio", *day, "chance of a failure per day " + percentText(day->value, 2));
    if (const auto mtbf = expectedMtbf(chance, m_gpus))
      add(answer, "mtbf_s", *mtbf, "one every " + durationText(std::llround(mtbf->value * kNsPerSecond)));
    return answer;
  }

  Result<Answer> checkpoint() {
    Answer answer{.json = Json::object(), .text = {}};
    if (m_mtbf_s <= 0) {
      const auto mtbf = expectedMtbf(kFieldFailuresPerGpuDay, m_gpus);
      if (!mtbf) return Status(Code::kInvalidArgument, "estimate checkpoint: say --mtbf-s, or --gpus for the rate of another cluster");
      m_mtbf_s = mtbf->value;
      answer.json["mtbf_source"] = kFieldFailuresSource;
      add(answer, "mtbf_s", *mtbf,
          "not your failures but those of another cluster (" + std::string(kFieldFailuresSource) + "): one every " +
              durationText(std::llround(mtbf->value * kNsPerSecond)));
    }
    const auto young = youngInterval(m_save_s, m_mtbf_s), daly = dalyInterval(m_save_s, m_mtbf_s);
    if (!young || !daly) return Status(Code::kInvalidArgument, "estimate checkpoint: seconds must be positive");
    add(answer, "daly_interval_s", *daly, "save every " + durationText(std::llround(daly->value * kNsPerSecond)) + " (Daly 2006)");
    add(answer, "young_interval_s", *young, "save every " + durationText(std::llround(young->value * kNsPerSecond)) + " (Young 1974)");
    return answer;
  }

  Result<Answer> plan() {
    RG_ASSIGN(auto reader, openForReading(m_store));
    RG_ASSIGN(const Run run, wantedRun(*reader, m_store, m_run));
    RG_ASSIGN(const auto findings, reader->findings(run.id));
    RG_ASSIGN(const GoodputAnswer answer, askGoodput(*reader, run, findings));
    Json json = planJson(answer.plan);
    json["run_id"] = run.id.value;
    return Answer{std::move(json), planText(answer.plan).substr(4)};
  }

  std::vector<Question> m_questions;
  bool m_json = false;
  TrainingWork m_work;
  MemoryQuestion m_memory;
  double m_parameters = 0, m_gpus = 0, m_peak = 0, m_mfu = 0, m_achieved = 0, m_rate = 0, m_chance = -1, m_save_s = 0, m_mtbf_s = 0;
  std::string m_device, m_recompute = "none", m_store, m_run;
};

}  // namespace

std::unique_ptr<Command> makeEstimate() { return std::make_unique<Estimate>(); }

}  // namespace runglass::ctl
