// SPDX-License-Identifier: Apache-2.0
// The additional cost of a launch with the CUDA tracer, with CUDA libraries that do nothing (goal: untraced <= 50 ns, traced <= 400 ns).
// Every line measures the call alternately with and without the tracer; `added_ns` is the difference of the medians.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "collectors/client/ring_layout.h"

namespace {

struct Dim3 {
  unsigned x, y, z;
};
using Launch = int (*)(const void*, Dim3, Dim3, void**, std::size_t, void*);
using Copy = int (*)(void*, const void*, std::size_t, int, void*);
using Reduce = int (*)(const void*, void*, std::size_t, int, int, void*, void*);
using Product = int (*)(void*, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);

void* load(const char* path, int flags) {
  void* library = dlopen(path, RTLD_NOW | flags);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  return library;
}

// The tracer, the libraries below it, and a ring emptied by moving its mark like an agent.
class Machine {
 public:
  Machine() {
    char name[] = "/dev/shm/runglass-bench-XXXXXX";
    m_dir = mkdtemp(name);
    setenv("RUNGLASS_DIR", m_dir.c_str(), 1);
    setenv("RUNGLASS_RING_BYTES", "67108864", 1);
    setenv("RUNGLASS_CUDA_EVENTS", "262144", 1);
    setenv("RUNGLASS_TRACE_EVERY", "0", 1);
    setenv("FAKE_INSTANT", "1", 1);
    m_cudart = load(RG_FAKE_DIR "/libcudart.so.12", RTLD_LOCAL);
    m_nccl = load(RG_FAKE_DIR "/libnccl.so.2", RTLD_LOCAL);
    m_cublas = load(RG_FAKE_DIR "/libcublas.so.12", RTLD_LOCAL);
    m_tracer = load(RG_TRACER, RTLD_LOCAL);
    traced<Copy>("cudaMemcpyAsync")(nullptr, nullptr, 1, 1, nullptr);  // wakes the tracer's thread
    for (const auto& entry : std::filesystem::directory_iterator(m_dir)) {
      m_header = m_counted = mapHeader(entry.path());
    }
    usleep(500'000);  // until all pairs of events are created
  }
  ~Machine() { std::filesystem::remove_all(m_dir); }
  static Machine& get() {
    static Machine machine;
    return machine;
  }
  template <class F>
  F traced(const char* name) const {
    return function<F>(m_tracer, name);
  }
  template <class F>
  F runtime(const char* name) const {
    return function<F>(m_cudart, name);
  }
  template <class F>
  F nccl(const char* name) const {
    return function<F>(m_nccl, name);
  }
  template <class F>
  F cublas(const char* name) const {
    return function<F>(m_cublas, name);
  }
  void traceKernels(bool on) { traced<void (*)(int)>("rg_cuda_trace_now")(on ? 1 : 0); }
  // From now on slots() counts those of the recent ring, or of the normal ring again.
  void keepRecent(bool on) {
    traced<void (*)(int)>("rg_cuda_keep_recent")(on ? 60 : 0);
    usleep(500'000);
    m_counted = m_header;
    for (const auto& entry : std::filesystem::directory_iterator(m_dir))
      if (entry.path().extension() == ".recent") m_counted = mapHeader(entry.path());
  }
  // Lets the tracer's thread catch up, and empties the ring.
  void settle() {
    usleep(8'000);
    const std::uint64_t head = __atomic_load_n(&m_header->head, __ATOMIC_ACQUIRE);
    __atomic_store_n(&m_header->tail, head, __ATOMIC_RELEASE);
    __atomic_store_n(&m_header->tail_check, ~head, __ATOMIC_RELEASE);
  }
  std::uint64_t dropped() const { return m_header->dropped; }
  std::uint64_t slots() const { return __atomic_load_n(&m_counted->head, __ATOMIC_ACQUIRE); }

 private:
  static rgr_header* mapHeader(const std::filesystem::path& path) {
    const int fd = open(path.c_str(), O_RDWR);
    return static_cast<rgr_header*>(mmap(nullptr, RGR_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  }
  template <class F>
  static F function(void* library, const char* name) {
    return reinterpret_cast<F>(dlsym(library, name));
  }
  std::string m_dir;
  void *m_cudart = nullptr, *m_nccl = nullptr, *m_cublas = nullptr, *m_tracer = nullptr;
  rgr_header *m_header = nullptr, *m_counted = nullptr;
};

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// One iteration is a batch of calls through the tracer, then the same batch without it.
template <class Traced, class Bare>
void compare(benchmark::State& state, Traced traced, Bare bare) {
  constexpr int kBatch = 1000;
  Machine& machine = Machine::get();
  std::vector<double> with, without;
  machine.settle();
  const std::uint64_t slots = machine.slots();
  const auto time = [](auto& call) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kBatch; ++i) call();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kBatch;
  };
  for (auto _ : state) {
    state.PauseTiming();
    machine.settle();
    without.push_back(time(bare));
    state.ResumeTiming();
    with.push_back(time(traced));
  }
  machine.settle();
  const double bare_ns = median(without), traced_ns = median(with);
  state.counters["bare_ns"] = bare_ns;
  state.counters["added_ns"] = traced_ns - bare_ns;
  // A timed call takes two to five slots of the ring; fewer would mean that tracing was not measured.
  state.counters["slots_per_call"] = static_cast<double>(machine.slots() - slots) / kBatch / static_cast<double>(state.iterations());
  state.counters["ring_full"] = static_cast<double>(machine.dropped());
}

void compareLaunch(benchmark::State& state, bool on) {
  Machine& machine = Machine::get();
  const auto traced = machine.traced<Launch>("cudaLaunchKernel"), bare = machine.runtime<Launch>("cudaLaunchKernel");
  machine.traceKernels(on);
  const auto call = [&](Launch launch) {
    return [launch] { launch(reinterpret_cast<const void*>(&compareLaunch), {0, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr); };
  };
  compare(state, call(traced), call(bare));
  machine.traceKernels(false);
}

void BM_LaunchInAnUntracedStep(benchmark::State& state) { compareLaunch(state, false); }
void BM_LaunchInATracedStep(benchmark::State& state) { compareLaunch(state, true); }
void BM_LaunchIntoTheRecentRing(benchmark::State& state) {
  Machine::get().keepRecent(true);
  compareLaunch(state, false);
  Machine::get().keepRecent(false);
}
void BM_CopyAsync(benchmark::State& state) {
  const auto call = [](Copy copy) { return [copy] { copy(nullptr, nullptr, 64, 1, nullptr); }; };
  compare(state, call(Machine::get().traced<Copy>("cudaMemcpyAsync")), call(Machine::get().runtime<Copy>("cudaMemcpyAsync")));
}
void BM_Product(benchmark::State& state) {
  const Machine& machine = Machine::get();
  void* handle = nullptr;
  machine.cublas<int (*)(void**)>("cublasCreate_v2")(&handle);
  const auto call = [handle](Product product) {
    return [=] { product(handle, 0, 1, 64, 64, 64, nullptr, nullptr, 64, nullptr, 64, nullptr, nullptr, 64); };
  };
  compare(state, call(machine.traced<Product>("cublasSgemm_v2")), call(machine.cublas<Product>("cublasSgemm_v2")));
}
void BM_AllReduce(benchmark::State& state) {
  struct UniqueId {
    char internal[128];
  };
  const Machine& machine = Machine::get();
  void* comm = nullptr;
  machine.traced<int (*)(void**, int, UniqueId, int)>("ncclCommInitRank")(&comm, 2, UniqueId{}, 0);
  const auto call = [comm](Reduce reduce) { return [=] { reduce(nullptr, nullptr, 64, 7, 0, comm, nullptr); }; };
  compare(state, call(machine.traced<Reduce>("ncclAllReduce")), call(machine.nccl<Reduce>("ncclAllReduce")));
}

BENCHMARK(BM_LaunchInAnUntracedStep)->Iterations(200)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_LaunchInATracedStep)->Iterations(200)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_LaunchIntoTheRecentRing)->Iterations(200)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_CopyAsync)->Iterations(200)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Product)->Iterations(100)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_AllReduce)->Iterations(100)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
