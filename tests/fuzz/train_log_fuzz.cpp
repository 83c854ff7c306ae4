// SPDX-License-Identifier: Apache-2.0
// Training logs and rule files with arbitrary bytes.
#include <string_view>

#include "collectors/importers/train_log/log_session.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_recorder.h"

namespace runglass::train_log {

// The first byte selects the size of the pieces and the offset at which an earlier import stopped.
RG_FUZZ(train_log) {
  if (size == 0) return;
  static const auto kRules = RuleSet::compile(builtinRules());
  const std::size_t piece = 1 + data[0] % 64;
  LogSession session(*kRules, {.run_name = "run",
                               .path = "fuzz",
                               .resume_at = data[0] >= 128 ? size / 2 : 0,
                               .live = data[0] % 2 == 1,
                               .node_name = "n1",
                               .process = [](std::int32_t pid) {
                                 return pid % 2 == 1 ? std::optional(Rank{.attempt = AttemptId{9}, .rank = pid}) : std::nullopt;
                               }});
  test::MemoryRecorder out;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    session.setArrival(static_cast<TimeNs>(at) * kNsPerSecond);
    session.push(text.substr(at, piece), out);
    session.flush(out);
  }
  (void)session.cutRecord();
  session.finish(out);
}

RG_FUZZ(log_rules) {
  const RuleText text{"fuzz.toml", std::string(reinterpret_cast<const char*>(data), size)};
  (void)RuleSet::compile({&text, 1});
}

}  // namespace runglass::train_log
