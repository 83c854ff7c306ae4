// SPDX-License-Identifier: Apache-2.0
// Traced: a program run under the CUDA tracer, and the data that an agent recorded.
//
// Threading:  the test's thread.
// Ownership:  the program's rings are in a separate directory, removed at the end.
// Units:      ns.
// Errors:     gtest failures; `status` is the program's.
// Cost:       one process.
#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "collectors/sources/client/recent_ring_file.h"
#include "tests/collectors/client/local_agent.h"
#include "tests/support/emulated.h"

namespace runglass::test {

struct GpuSpan {
  std::string track, name;
  SpanCategory category{};
  TimeNs start = 0;
  DurNs dur = 0;
  std::int64_t step = 0, group = 0, seq = 0, bytes = 0, correlation = 0;
  nlohmann::json args;
  std::int32_t depth = 0;
};

// A traced program, and the data that an agent recorded.
class Traced {
 public:
  using Environment = std::vector<std::pair<const char*, std::string>>;
  Traced(std::vector<std::string> command, const Environment& environment = {}, bool ring_expected = true) {
    const pid_t pid = fork();
    if (pid == 0) {
      unsetenv("RUNGLASS_RUN");
      setenv("RUNGLASS_DIR", dir.path().c_str(), 1);
      setenv("RUNGLASS_TRACE_EVERY", "1", 1);
      setenv("LD_PRELOAD", RG_TRACER, 1);
      for (const auto& [name, value] : environment) setenv(name, value.c_str(), 1);
      std::vector<char*> arguments;
      command = runnable(std::move(command));
      for (std::string& word : command) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execvp(arguments[0], arguments.data());
      _exit(126);
    }
    const auto begin = std::chrono::steady_clock::now();
    LocalAgent agent(dir);
    if (ring_expected) agent.pollUntilEnd();
    waitpid(pid, &status, 0);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    out = agent.out;
    collect(out, spans, host);
  }

  std::vector<GpuSpan> named(std::string_view name, std::optional<std::int64_t> step = std::nullopt) const {
    std::vector<GpuSpan> found;
    for (const GpuSpan& span : spans)
      if (span.name == name && (!step || span.step == *step)) found.push_back(span);
    return found;
  }
  // The shortest one is the clock's value; for the others, the machine may have been busy between their events.
  double shortestMicroseconds(std::string_view name) const {
    DurNs shortest = INT64_MAX;
    for (const GpuSpan& span : named(name)) shortest = std::min(shortest, span.dur);
    return static_cast<double>(shortest) / 1e3;
  }
  std::size_t rings() const { return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(dir.path()), {})); }

  RingDirectory dir;
  int status = -1;
  double seconds = 0;
  MemoryRecorder out;
  std::vector<GpuSpan> spans, host;
  std::string recentRing() const {
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      if (entry.path().extension() == ".recent") return entry.path();
    return {};
  }
  // The spans in the recent ring that are not in the main one; `known`: number of those in both.
  std::vector<GpuSpan> recent(std::int64_t* known = nullptr) const {
    MemoryRecorder more;
    SourceContext context;
    context.node.uuid = "node-uuid";
    context.now = [] { return wallNow(); };
    const auto ring = RecentRing::open(recentRing());
    EXPECT_TRUE(ring.ok()) << ring.status().message();
    if (!ring.ok()) return {};
    const auto shipped = (*ring)->ship(more, context, 0);
    EXPECT_TRUE(shipped.ok()) << shipped.status().message();
    if (shipped.ok() && known != nullptr) *known = shipped->known;
    EXPECT_EQ(more.runs.at(0).name, out.runs.at(0).name);
    std::vector<GpuSpan> gpu, host_spans;
    collect(more, gpu, host_spans);
    return gpu;
  }

 private:
  static void collect(const MemoryRecorder& out, std::vector<GpuSpan>& spans, std::vector<GpuSpan>& host) {
    for (const auto& [id, key] : out.track_keys) {
      const auto batches = out.span_batches.find(id);
      if (batches == out.span_batches.end()) continue;
      for (const SpanColumns& batch : batches->second) {
        const bool gpu = key.kind == "gpu_stream";
        if (gpu) {
          EXPECT_EQ(batch.args.size(), batch.size());
          EXPECT_EQ(batch.correlation.size(), batch.size());
        }
        for (std::size_t i = 0; i < batch.size(); ++i)
          (gpu ? spans : host)
              .push_back({key.name, batch.names[batch.name[i]], batch.category[i], batch.start[i], batch.dur[i], batch.step[i],
                          batch.group[i], batch.seq[i], batch.bytes[i], gpu ? batch.correlation[i] : kAbsent,
                          gpu ? nlohmann::json::parse(batch.args[i], nullptr, false) : nlohmann::json(), batch.depth[i]});
      }
    }
  }
};

inline std::vector<std::string> local(const std::string& mode, const std::string& steps = "3") {
  return {std::string(RG_BIN_DIR) + "/cuda_probe", "load", RG_WORKLOAD, mode, steps};
}
inline std::vector<std::string> linked(const std::string& mode, const std::string& steps = "3") {
  return {std::string(RG_BIN_DIR) + "/cuda_linked_probe", mode, steps};
}

inline void expectUnharmed(const Traced& traced) {
  EXPECT_EQ(traced.status, 0);
  EXPECT_EQ(fact(traced.out, "last_error"), "0");
  EXPECT_EQ(fact(traced.out, "fake_unsafe_in_capture"), "0");
  EXPECT_EQ(fact(traced.out, "fake_strays"), "0") << "an event call before a device was chosen makes a context on GPU 0";
}

}  // namespace runglass::test
