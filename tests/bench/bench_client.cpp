// SPDX-License-Identifier: Apache-2.0
// The cost of one call of librunglass in a trainer (goal: <= 150 ns per span or scalar), and the read rate of an agent.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "collectors/client/ring_layout.h"
#include "collectors/client/runglass.h"

namespace {

// A ring of this process, emptied by moving its mark like an agent, so that it never refuses a record.
class Ring {
 public:
  Ring() {
    char name[] = "/dev/shm/runglass-bench-XXXXXX";
    m_dir = mkdtemp(name);
    setenv("RUNGLASS_RING_BYTES", "67108864", 1);
    rg_options options = RG_OPTIONS_INIT;
    options.dir = m_dir.c_str();
    options.run = options.attempt = "bench";
    rg_init(&options);
    for (const auto& entry : std::filesystem::directory_iterator(m_dir)) {
      const int fd = open(entry.path().c_str(), O_RDWR);
      m_header = static_cast<rgr_header*>(mmap(nullptr, RGR_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    }
  }
  ~Ring() {
    rg_shutdown(nullptr);
    std::filesystem::remove_all(m_dir);
  }
  void empty() {
    const std::uint64_t head = __atomic_load_n(&m_header->head, __ATOMIC_ACQUIRE);
    __atomic_store_n(&m_header->tail, head, __ATOMIC_RELEASE);
    __atomic_store_n(&m_header->tail_check, ~head, __ATOMIC_RELEASE);
  }
  static Ring& get() {
    static Ring ring;
    return ring;
  }

 private:
  std::string m_dir;
  rgr_header* m_header = nullptr;
};

template <class Call>
void measure(benchmark::State& state, Call call) {
  Ring& ring = Ring::get();
  ring.empty();
  std::int64_t n = 0;
  for (auto _ : state) {
    call(n);
    if ((++n & 0xffff) == 0) ring.empty();
  }
  state.SetItemsProcessed(n);
  state.counters["dropped"] = static_cast<double>(rg_dropped());
}

void BM_Span(benchmark::State& state) {
  measure(state, [](std::int64_t) {
    rg_span_begin("forward", RG_COMPUTE, RG_PART_NONE, 3, RG_NONE, RG_NONE, RG_NONE);
    rg_span_end();
  });
}
BENCHMARK(BM_Span);

void BM_SpanOfKnownNameWithPart(benchmark::State& state) {
  Ring::get();
  const std::uint32_t name = rg_name("forward");
  measure(state, [name](std::int64_t) {
    rg_span_begin_id(name, RG_COMPUTE, RG_PART_FORWARD, 3, RG_NONE, RG_NONE, RG_NONE);
    rg_span_end();
  });
}
BENCHMARK(BM_SpanOfKnownNameWithPart);

// Communication also reads the thread's CPU clock twice (a system call), to distinguish waiting from working.
void BM_SpanOfCommunicationWithWait(benchmark::State& state) {
  measure(state, [](std::int64_t n) {
    rg_span_begin("all_reduce", RG_COMM, RG_PART_COMMUNICATION, 3, 1, n, 4096);
    rg_span_end();
  });
}
BENCHMARK(BM_SpanOfCommunicationWithWait);

void BM_FinishedSpan(benchmark::State& state) {
  Ring::get();
  const std::uint32_t track = rg_track("gpu_stream", "stream 7");
  measure(state, [track](std::int64_t n) { rg_span(track, "kernel", RG_COMPUTE, n, 10, RG_NONE, RG_NONE, RG_NONE, RG_NONE); });
}
BENCHMARK(BM_FinishedSpan);

void BM_Scalar(benchmark::State& state) {
  measure(state, [](std::int64_t n) { rg_scalar("loss", n, 2.5); });
}
BENCHMARK(BM_Scalar);
BENCHMARK(BM_Scalar)->Name("BM_ScalarFromTwoThreads")->Threads(2);

void BM_Step(benchmark::State& state) {
  measure(state, [](std::int64_t n) {
    rg_step_begin(n);
    rg_step_end();
  });
}
BENCHMARK(BM_Step);

// No agent and a full ring: this must not cost the trainer more.
void BM_ScalarIntoAFullRing(benchmark::State& state) {
  Ring::get();
  while (rg_dropped() == 0) rg_scalar("loss", 0, 2.5);
  while (state.KeepRunning()) rg_scalar("loss", 0, 2.5);
}
BENCHMARK(BM_ScalarIntoAFullRing);

}  // namespace

BENCHMARK_MAIN();
