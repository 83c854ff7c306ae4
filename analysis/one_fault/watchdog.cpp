// SPDX-License-Identifier: Apache-2.0
#include "analysis/one_fault/watchdog.h"

#include <charconv>
#include <string_view>

namespace runglass {
namespace {

std::optional<std::int64_t> numberAt(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && value >= 0 ? std::optional(value) : std::nullopt;
}

// The number after the first `key` and any of "= :\"'" in the text.
std::optional<std::int64_t> numberAfter(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  while (!text.empty() && std::string_view("= :,\"'").find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  return numberAt(text);
}

struct Source {
  std::string_view key;
  DurNs unit;
};
// Megatron's argument (as printed and as typed), and Hugging Face's.
constexpr Source kFacts[] = {{"distributed_timeout_minutes", 60 * kNsPerSecond}, {"ddp_timeout", kNsPerSecond}};
constexpr Source kArguments[] = {{"--distributed-timeout-minutes", 60 * kNsPerSecond}, {"--ddp_timeout", kNsPerSecond}};
constexpr std::int64_t kMax = 30LL * 24 * 3600;  // seconds or minutes: a larger value is not a timeout

}  // namespace

Watchdog watchdogOf(std::span<const Fact> facts) {
  Watchdog found{.timeout = kDefaultWatchdog};
  for (const Fact& fact : facts) {
    for (const Source& source : kFacts)
      if (fact.key == source.key)
        if (const auto value = numberAt(fact.value); value && *value > 0 && *value < kMax) found = {*value * source.unit, fact.key};
    if (fact.key == "argv")
      for (const Source& source : kArguments)
        if (const auto value = numberAfter(fact.value, source.key); value && *value > 0 && *value < kMax)
          found = {*value * source.unit, std::string(source.key)};
  }
  for (const Fact& fact : facts)
    if ((fact.key == "TORCH_NCCL_ASYNC_ERROR_HANDLING" || fact.key == "NCCL_ASYNC_ERROR_HANDLING") && fact.value == "0")
      found = {std::nullopt, fact.key};
  return found;
}

TimeoutWords timeoutWords(const Event& event) {
  TimeoutWords words;
  words.seq = event.code.empty() ? numberAfter(event.message, "SeqNum=") : numberAt(event.code);
  if (const std::size_t at = event.message.find("OpType="); at != std::string::npos) {
    const std::size_t end = event.message.find_first_of(",) ", at);
    words.op = event.message.substr(at + 7, end == std::string::npos ? std::string::npos : end - at - 7);
  }
  words.elements = numberAfter(event.message, "NumelIn=");
  for (const char* const key : {"remote rank [", "remote rank[", "remote rank"})
    if (!words.peer) words.peer = numberAfter(event.message, key);
  if (const auto ran = numberAfter(event.message, "ran for"); ran && *ran < kMax * 1000) words.ran = *ran * kNsPerMs;
  return words;
}

StateWords stateWords(const Event& event) {
  StateWords words{.enqueued = {}, .completed = numberAt(event.code)};
  for (const char* const key : {"ast enqueued NCCL work", "ast enqueued work"})
    if (!words.enqueued) words.enqueued = numberAfter(event.message, key);
  return words;
}

}  // namespace runglass
