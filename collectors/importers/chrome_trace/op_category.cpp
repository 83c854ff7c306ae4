// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/op_category.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "collectors/importers/timeline/kernel_category.h"

namespace runglass {
namespace {

// Not in kernelCategory(), because the names of compute kernels contain these words too.
constexpr std::string_view kMoves[] = {"broadcast", "-send", "-recv", "send-", "recv-", "communication"};

// `word` itself or "word-...".
bool begins(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || text[word.size()] == '-');
}

}  // namespace

SpanCategory opCategory(std::string_view name, std::string_view category) {
  std::string text(name.substr(0, 256));
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return c == '_' || c == ' ' ? '-' : static_cast<char>(std::tolower(c)); });
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (text == "gc" || begins(text, "garbage-collection")) return SpanCategory::kGc;
  if (text == "send" || text == "recv" || std::ranges::any_of(kMoves, has) || kernelCategory(name.substr(0, 256)) == SpanCategory::kComm)
    return SpanCategory::kComm;
  if (has("dataload") || has("data-load") || has("get-batch")) return SpanCategory::kDataload;
  if (begins(text, "checkpoint") || begins(text, "save-checkpoint") || begins(text, "load-checkpoint")) return SpanCategory::kCheckpoint;
  if (begins(text, "forward") || begins(text, "backward") || begins(text, "optimizer")) return SpanCategory::kCompute;
  return spanCategoryFromName(category).value_or(SpanCategory::kOther);
}

}  // namespace runglass
