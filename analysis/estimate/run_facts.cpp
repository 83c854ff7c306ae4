// SPDX-License-Identifier: Apache-2.0
#include "analysis/estimate/run_facts.h"

#include <algorithm>
#include <array>
#include <set>

#include "analysis/estimate/launch_options.h"

namespace runglass {
namespace {

using Options = std::map<std::string, std::string>;

// Megatron-LM and its wrappers, Hugging Face, torchtitan, nanoGPT; preferred names first.
constexpr std::array<std::string_view, 5> kParameters = {"model_parameters", "num_parameters", "n_params", "total_params", "model_params"};
constexpr std::array<std::string_view, 5> kLayers = {"num_layers", "n_layer", "n_layers", "num_hidden_layers", "depth"};
constexpr std::array<std::string_view, 4> kHidden = {"hidden_size", "n_embd", "dim", "model_dim"};
constexpr std::array<std::string_view, 4> kHeads = {"num_attention_heads", "n_head", "n_heads", "num_heads"};
constexpr std::array<std::string_view, 6> kSequence = {"seq_length", "seq_len",     "training.seq_len",
                                                       "block_size", "max_seq_len", "sequence_length"};
constexpr std::array<std::string_view, 4> kMicro = {"micro_batch_size", "per_device_train_batch_size", "training.local_batch_size",
                                                    "train_micro_batch_size_per_gpu"};
constexpr std::array<std::string_view, 4> kGlobal = {"global_batch_size", "training.global_batch_size", "train_batch_size",
                                                     "total_train_batch_size"};
constexpr std::array<std::string_view, 6> kSteps = {"train_iters", "training.steps", "max_steps",
                                                    "max_iters",   "total_steps",    "num_iterations"};
constexpr std::array<std::string_view, 1> kSamples = {"train_samples"};
constexpr std::array<std::string_view, 2> kTokens = {"train_tokens", "max_tokens"};
constexpr std::array<std::string_view, 3> kZero = {"zero_stage", "zero_optimization.stage", "zero"};

std::optional<double> positive(std::optional<double> value) { return value && *value > 0 ? value : std::nullopt; }

std::string textOf(const Options& options, const char* name) {
  const auto found = options.find(name);
  return found != options.end() ? found->second : std::string();
}

bool isTrue(const std::string& text) { return text == "True" || text == "true" || text == "1"; }
bool isFalse(const std::string& text) { return text == "False" || text == "false" || text == "0"; }

std::optional<Recompute> recomputeOf(const Options& options) {
  const std::string granularity = textOf(options, "recompute_granularity");
  if (granularity == "full") return Recompute::kFull;
  if (granularity == "selective") return Recompute::kSelective;
  if (granularity == "None" || granularity == "none") return Recompute::kNone;
  for (const char* name : {"checkpoint_activations", "gradient_checkpointing"}) {
    const std::string said = textOf(options, name);
    if (isTrue(said)) return Recompute::kFull;
    if (isFalse(said)) return Recompute::kNone;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> RunFacts::tokensPerStep() const {
  if (!global_batch || !sequence) return std::nullopt;
  return *global_batch * *sequence;
}

RunFacts runFactsOf(std::span<const Fact> facts) {
  RunFacts out;
  out.options = optionsOf(facts);
  const Options& o = out.options;
  out.parameters = positive(optionNumber(o, kParameters));
  out.layers = positive(optionNumber(o, kLayers));
  out.hidden = positive(optionNumber(o, kHidden));
  out.heads = positive(optionNumber(o, kHeads));
  out.sequence = positive(optionNumber(o, kSequence));
  out.micro_batch = positive(optionNumber(o, kMicro));
  out.global_batch = positive(optionNumber(o, kGlobal));
  out.train_steps = positive(optionNumber(o, kSteps));
  out.train_samples = positive(optionNumber(o, kSamples));
  out.train_tokens = positive(optionNumber(o, kTokens));
  if (const auto zero = optionNumber(o, kZero); zero && *zero >= 0 && *zero <= 3) out.zero = static_cast<int>(*zero);
  out.recompute = recomputeOf(o);
  const std::string parallel = textOf(o, "sequence_parallel");
  if (isTrue(parallel) || isFalse(parallel)) out.sequence_parallel = isTrue(parallel);
  return out;
}

Result<RunFacts> readRunFacts(Reader& reader, const Attempt& attempt) {
  RG_ASSIGN(const std::vector<Fact> facts, reader.facts(attempt.id));
  RunFacts out = runFactsOf(facts);
  out.layout = attempt.layout;
  RG_ASSIGN(const std::vector<Rank> ranks, reader.ranks(attempt.id));
  RG_ASSIGN(const std::vector<Device> devices, reader.devices());
  std::set<DeviceId> used;
  for (const Rank& rank : ranks)
    if (rank.device) used.insert(rank.device);
  std::set<std::string> models;
  for (const Device& device : devices)
    if (used.contains(device.id)) models.insert(device.model);
  if (models.size() != 1) return out;
  out.device_model = *models.begin();
  out.device = findDevice(out.device_model);
  if (const DevicePeak* peak = findDevicePeak(out.device_model)) {
    out.peak_flops_per_s = peak->dense_flops_per_s;
    out.peak_source = std::string(peak->source) + ", dense BF16 or FP16";
  }
  return out;
}

}  // namespace runglass
