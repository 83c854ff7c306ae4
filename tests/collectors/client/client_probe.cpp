// SPDX-License-Identifier: Apache-2.0
// Empties the rings of a directory, like the agent, until `processes` trainers have ended; prints one line per record.
// usage: client_probe DIR PROCESSES SECONDS [gpu]; with "gpu" it prints only the spans of GPU streams, with their times, tab-separated
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "collectors/sources/client/client_source.h"
#include "model/pair_group.h"
#include "tests/support/memory_recorder.h"

namespace {

void printGpuSpans(const runglass::test::MemoryRecorder& out) {
  for (const auto& [id, key] : out.track_keys) {
    if (key.kind != "gpu_stream") continue;
    for (const runglass::SpanColumns& batch : out.span_batches.at(id))
      for (std::size_t i = 0; i < batch.size(); ++i)
        std::printf("%s\t%d\t%s\t%s\t%lld\t%lld\t%lld\t%s\n", batch.names[batch.name[i]].c_str(), key.rank.value_or(-1), key.name.c_str(),
                    spanCategoryName(batch.category[i]), static_cast<long long>(batch.step[i]), static_cast<long long>(batch.start[i]),
                    static_cast<long long>(batch.dur[i]), batch.args.empty() ? "" : batch.args[i].c_str());
  }
  for (const runglass::Issue& issue : out.issues)
    std::fprintf(stderr, "issue %s %lld\n", issue.code.c_str(), static_cast<long long>(issue.count));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace runglass;
  if (argc != 4 && argc != 5) return 2;
  const toml::table config{{"dirs", toml::array{std::string(argv[1])}}};
  SourceContext context;
  context.node.uuid = context.node.name = "probe";
  context.now = wallNow;
  context.config = &config;
  test::MemoryRecorder out;
  const auto source = makeClientSource();
  if (!source->start(out, context).ok()) return 1;
  const auto ended = [&] {
    int count = 0;
    for (const Event& event : out.events) count += event.kind == "process_exit";
    return count >= std::atoi(argv[2]);
  };
  const TimeNs deadline = wallNow() + std::atoll(argv[3]) * kNsPerSecond;
  while (!ended() && wallNow() < deadline) {
    source->poll(out, wallNow());
    usleep(20'000);
  }
  if (argc == 5) {
    printGpuSpans(out);
    return ended() ? 0 : 1;
  }
  for (const Run& run : out.runs) std::printf("run %s state %d\n", run.name.c_str(), static_cast<int>(run.state));
  for (const Attempt& attempt : out.attempts) std::printf("attempt %s: %s\n", attempt.key.c_str(), attempt.end_cause.c_str());
  for (const Rank& rank : out.ranks)
    std::printf("rank %d tp %d pp %d dp %d\n", rank.rank, rank.tp.value_or(-1), rank.pp.value_or(-1), rank.dp.value_or(-1));
  for (const auto& [id, key] : out.series_keys) {
    const ScalarColumns& points = out.scalar_points[id];
    if (points.size() == 0) continue;
    std::printf("series %s rank %d labels %s points %zu first %g last %g\n", key.metric.c_str(), key.rank.value_or(-1), key.labels.c_str(),
                points.size(), points.value.front(), points.value.back());
  }
  for (const CommGroup& group : out.groups)
    std::printf("group %s %s members %zu\n", group.kind.c_str(), group.name.c_str(), group.ranks.size());
  for (const auto& [id, key] : out.track_keys)
    for (const SpanColumns& batch : out.span_batches[id])
      for (std::size_t i = 0; i < batch.size(); ++i)
        if (pairOf(batch.group[i]))
          std::printf("transfer %s rank %d seq %lld\n", batch.names[batch.name[i]].c_str(), key.rank.value_or(-1),
                      static_cast<long long>(batch.seq[i]));
  for (const auto& [id, key] : out.track_keys)
    for (const SpanColumns& batch : out.span_batches[id])
      for (std::size_t i = 0; i < batch.size(); ++i)
        std::printf("span %s rank %d category %s step %lld\n", batch.names[batch.name[i]].c_str(), key.rank.value_or(-1),
                    spanCategoryName(batch.category[i]), static_cast<long long>(batch.step[i]));
  for (const Fact& fact : out.facts) std::printf("fact %s = %s\n", fact.key.c_str(), fact.value.c_str());
  for (const Checkpoint& c : out.checkpoints)
    std::printf("checkpoint %lld durable %d\n", static_cast<long long>(c.step), c.durable.has_value());
  for (const LogLine& line : out.logs) std::printf("log %s %s\n", line.stream.c_str(), line.text.c_str());
  for (const Issue& issue : out.issues) std::printf("issue %s %lld\n", issue.code.c_str(), static_cast<long long>(issue.count));
  for (const Event& event : out.events) std::printf("event %s %s\n", event.kind.c_str(), event.message.c_str());
  return ended() ? 0 : 1;
}
