// SPDX-License-Identifier: Apache-2.0
#include "model/group_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

namespace runglass {
namespace {

enum Word : unsigned {
  kTensor = 1,
  kPipeline = 2,
  kData = 4,
  kExpert = 8,
  kContext = 16,
  kModelWord = 32,
  kWorldWord = 64,
  kShardWord = 128,
  kReplicateWord = 256,
  kCutWord = 512  // a part of another group
};
struct Known {
  std::string_view word;
  unsigned meaning;
};
constexpr std::array kWords = {
    Known{"tensor", kTensor},     Known{"tp", kTensor},        Known{"pipeline", kPipeline}, Known{"pipe", kPipeline},
    Known{"pp", kPipeline},       Known{"data", kData},        Known{"dp", kData},           Known{"ddp", kData},
    Known{"fsdp", kData},         Known{"expert", kExpert},    Known{"ep", kExpert},         Known{"context", kContext},
    Known{"cp", kContext},        Known{"sequence", kContext}, Known{"model", kModelWord},   Known{"mp", kModelWord},
    Known{"default", kWorldWord}, Known{"world", kWorldWord},  Known{"shard", kShardWord},   Known{"replicate", kReplicateWord},
    Known{"partial", kCutWord},   Known{"intra", kCutWord},    Known{"inter", kCutWord},     Known{"embedding", kCutWord},
    Known{"embeddings", kCutWord}};

unsigned wordsOf(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  unsigned words = 0;
  const auto alpha = [](unsigned char c) { return std::isalpha(c) != 0; };
  for (auto at = lower.begin(); at != lower.end();) {
    const auto begin = std::find_if(at, lower.end(), alpha);
    const auto end = std::find_if_not(begin, lower.end(), alpha);
    if (const auto known = std::ranges::find(kWords, std::string_view(begin, end), &Known::word); known != kWords.end())
      words |= known->meaning;
    at = end;
  }
  return words;
}

}  // namespace

GroupRole groupRoleOf(std::string_view name) {
  switch (wordsOf(name)) {
    case kWorldWord:
      return GroupRole::kWorld;
    case kTensor:
    case kTensor | kModelWord:
      return GroupRole::kTp;
    case kPipeline:
    case kPipeline | kModelWord:
      return GroupRole::kPp;
    case kData:
      return GroupRole::kDp;
    case kContext:
      return GroupRole::kCp;
    case kExpert:
    case kExpert | kModelWord:
      return GroupRole::kEp;
    case kData | kContext:
    case kData | kShardWord | kContext:
      return GroupRole::kDpCp;
    case kShardWord:
    case kData | kShardWord:
      return GroupRole::kShard;
    case kReplicateWord:
    case kData | kReplicateWord:
      return GroupRole::kReplicate;
    case kModelWord:
      return GroupRole::kModel;
    default:
      return GroupRole::kNone;
  }
}

std::string groupKindOf(std::string_view name) {
  switch (groupRoleOf(name)) {
    case GroupRole::kWorld:
      return "world";
    case GroupRole::kTp:
      return "tp";
    case GroupRole::kPp:
      return "pp";
    case GroupRole::kDp:
    case GroupRole::kDpCp:
    case GroupRole::kShard:
    case GroupRole::kReplicate:
      return "dp";
    case GroupRole::kCp:
      return "cp";
    case GroupRole::kEp:
      return "ep";
    default:
      return {};
  }
}

}  // namespace runglass
