// SPDX-License-Identifier: Apache-2.0
// The trainer of the tracer's tests: linked with CUDA's libraries as PyTorch is, told by its arguments what to do.
// usage: MODE [STEPS]; see kModes below. What the fakes noticed is told as facts.
#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "collectors/client/runglass.h"
#include "tests/collectors/cuda/fakes/fake_gpu.h"

struct Dim3 {
  unsigned x, y, z;
};
struct LaunchConfig {
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
  void* attributes;
  unsigned count;
};
struct UniqueId {
  char internal[128];
};

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
int cudaSetDevice(int);
int cudaGetLastError();
int cudaLaunchKernel(const void*, Dim3, Dim3, void**, std::size_t, void*);
int cudaLaunchKernelExC(const LaunchConfig*, const void*, void**);
int __cudaGetKernel(void**, const void*);
int __cudaLaunchKernel(void*, Dim3, Dim3, void**, std::size_t, void*);
int cudaGraphLaunch(void*, void*);
int cudaMemcpyAsync(void*, const void*, std::size_t, int, void*);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaMemsetAsync(void*, int, std::size_t, void*);
int cudaStreamCreateWithFlags(void**, unsigned);
int cudaStreamSynchronize(void*);
int cudaDeviceSynchronize();
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
int cuModuleGetFunction(void**, void*, const char*);
int cuLaunchKernel(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
int cublasCreate_v2(void**);
int cublasSetStream_v2(void*, void*);
int cublasSgemm_v2(void*, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);
int cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*, void*, int, int,
                 int, int);
int cublasGemmStridedBatchedEx(void*, int, int, int, int, int, const void*, const void*, int, int, long long, const void*, int, int,
                               long long, const void*, void*, int, int, long long, int, int, int);
int cublasLtMatrixLayoutCreate(void**, int, std::uint64_t, std::uint64_t, std::int64_t);
int cublasLtMatmulDescCreate(void**, int, int);
int cublasLtMatmulDescSetAttribute(void*, int, const void*, std::size_t);
int cublasLtMatmul(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*, void*, void*,
                   const void*, void*, std::size_t, void*);
int ncclCommInitRank(void**, int, UniqueId, int);
int ncclCommSplit(void*, int, int, void**, void*);
int ncclAllReduce(const void*, void*, std::size_t, int, int, void*, void*);
int ncclReduceScatter(const void*, void*, std::size_t, int, int, void*, void*);
int ncclAllGather(const void*, void*, std::size_t, int, void*, void*);
int ncclSend(const void*, std::size_t, int, int, void*, void*);
int ncclRecv(void*, std::size_t, int, int, void*, void*);
int ncclGroupStart();
int ncclGroupEnd();
}

namespace {

// Host stand-ins of kernels, as nvcc makes them; their names are registered before main.
void hostAdd() {}
void hostScale() {}
void hostByHandle() {}
void hostUnknown() {}

struct Register {
  Register() {
    static char binary[8], add[] = "_Z3addPfS_i", scale[] = "scale", handle_name[] = "by_handle";
    void** handle = __cudaRegisterFatBinary(binary);
    __cudaRegisterFunction(handle, reinterpret_cast<const char*>(&hostAdd), add, add, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFunction(handle, reinterpret_cast<const char*>(&hostByHandle), handle_name, handle_name, -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterFunction(handle, reinterpret_cast<const char*>(&hostScale), scale, scale, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
  }
} g_register;

void* stub(void (*function)()) { return reinterpret_cast<void*>(function); }

struct Gpu {
  void *compute = nullptr, *side = nullptr, *blas = nullptr, *layout_a = nullptr, *layout_d = nullptr, *matmul = nullptr;
  void *world = nullptr, *half = nullptr, *function = nullptr;
  Gpu() {
    cudaSetDevice(1);
    cudaStreamCreateWithFlags(&compute, 1);
    cudaStreamCreateWithFlags(&side, 1);
    cublasCreate_v2(&blas);
    cublasSetStream_v2(blas, compute);
    cublasLtMatrixLayoutCreate(&layout_a, 14, 64, 32, 64);  // bfloat16, 64 x 32, transposed below
    cublasLtMatrixLayoutCreate(&layout_d, 14, 32, 128, 32);
    cublasLtMatmulDescCreate(&matmul, 68, 0);
    const std::int32_t transposed = 1;
    cublasLtMatmulDescSetAttribute(matmul, 3, &transposed, sizeof(transposed));
    UniqueId unique{};
    std::snprintf(unique.internal, sizeof(unique.internal), "the same on all ranks");
    ncclCommInitRank(&world, 4, unique, 2);
    ncclCommSplit(world, 1, 0, &half, nullptr);
    cuModuleGetFunction(&function, nullptr, std::string("triton_fused").c_str());
  }
};

void launch(const Gpu& gpu, void (*kernel)(), unsigned microseconds) {
  cudaLaunchKernel(stub(kernel), {microseconds, 1, 1}, {128, 1, 1}, nullptr, 16, gpu.compute);
}

void products(const Gpu& gpu) {
  cublasGemmEx(gpu.blas, 0, 1, 512, 256, 128, nullptr, nullptr, 14, 512, nullptr, 14, 256, nullptr, nullptr, 14, 512, 68, 0);
  cublasGemmStridedBatchedEx(gpu.blas, 0, 0, 16, 16, 16, nullptr, nullptr, 2, 16, 256, nullptr, 2, 16, 256, nullptr, nullptr, 0, 16, 256, 8,
                             68, 0);
  cublasLtMatmul(nullptr, gpu.matmul, nullptr, nullptr, gpu.layout_a, nullptr, nullptr, nullptr, nullptr, gpu.layout_d, nullptr,
                 gpu.layout_d, nullptr, nullptr, 0, gpu.compute);
}

void communicate(const Gpu& gpu) {
  ncclAllReduce(nullptr, nullptr, 1000, 9, 0, gpu.world, gpu.side);
  ncclReduceScatter(nullptr, nullptr, 1000, 7, 4, gpu.half, gpu.side);
  ncclGroupStart();
  ncclGroupStart();
  ncclSend(nullptr, 100, 7, 3, gpu.world, gpu.side);
  ncclRecv(nullptr, 100, 7, 1, gpu.world, gpu.side);
  ncclGroupEnd();
  ncclAllGather(nullptr, nullptr, 10, 7, gpu.half, gpu.side);
  ncclGroupEnd();
}

void step(const Gpu& gpu, std::int64_t number) {
  rg_step_begin(number);
  cudaMemcpyAsync(nullptr, nullptr, 4096, 1, gpu.compute);
  launch(gpu, hostAdd, 70);
  launch(gpu, hostScale, 40);
  launch(gpu, hostAdd, 70);
  void* kernel = nullptr;
  __cudaGetKernel(&kernel, stub(hostByHandle));
  __cudaLaunchKernel(kernel, {20, 1, 1}, {32, 1, 1}, nullptr, 0, gpu.compute);
  const LaunchConfig config{{25, 2, 1}, {64, 1, 1}, 0, gpu.compute, nullptr, 0};
  cudaLaunchKernelExC(&config, stub(hostUnknown), nullptr);
  cuLaunchKernel(gpu.function, 33, 1, 1, 32, 1, 1, 0, gpu.compute, nullptr, nullptr);
  products(gpu);
  communicate(gpu);
  cudaMemsetAsync(nullptr, 0, 512, gpu.compute);
  cudaStreamSynchronize(gpu.compute);
  cudaStreamSynchronize(gpu.side);
  rg_step_end();
}

void tell() {
  const auto fact = [](const char* key, std::int64_t value) { rg_fact(key, std::to_string(value).c_str()); };
  const fake::Report& report = *fakeReport();
  fact("fake_launches", report.launches);
  fact("fake_unsafe_in_capture", report.unsafe_in_capture);
  fact("fake_strays", report.strays);
  fact("fake_cupti_subscribed", report.cupti_subscribed);
  fact("fake_cupti_enabled", report.cupti_enabled);
  fact("fake_cupti_buffers", report.cupti_buffers);
  fact("last_error", cudaGetLastError());
}

int train(const Gpu& gpu, std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) step(gpu, i);
  tell();
  return 0;
}

int trainFor(const Gpu& gpu, std::int64_t milliseconds) {
  const std::int64_t until = rg_now() + milliseconds * 1'000'000;
  for (std::int64_t i = 0; rg_now() < until; ++i) {
    step(gpu, i);
    usleep(20'000);
  }
  return 0;
}

// The host runs far ahead of the GPU.
int ahead(const Gpu& gpu, std::int64_t count) {
  for (int round = 0; round < 3; ++round) {
    rg_step_begin(round);
    for (std::int64_t i = 0; i < count; ++i) launch(gpu, hostScale, 10'000);
    cudaStreamSynchronize(gpu.compute);
    rg_step_end();
  }
  return 0;
}

int capture(const Gpu& gpu) {
  step(gpu, 0);
  rg_step_begin(100);
  void* graph = nullptr;
  cudaStreamBeginCapture(gpu.compute, 0);
  launch(gpu, hostAdd, 10);
  products(gpu);
  cudaMemcpy(nullptr, nullptr, 1, 1);  // on the legacy stream, which may not even be asked about now
  usleep(50'000);                      // the tracer's thread is at work meanwhile
  cudaStreamEndCapture(gpu.compute, &graph);
  cudaGetLastError();
  cudaGraphLaunch(graph, gpu.compute);
  cudaStreamSynchronize(gpu.compute);
  rg_step_end();
  tell();
  return 0;
}

int forked(const Gpu& gpu) {
  step(gpu, 0);
  const pid_t child = fork();
  if (child == 0) {
    for (std::int64_t i = 100; i < 103; ++i) step(gpu, i);
    _exit(rg_enabled() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  step(gpu, 200);
  rg_fact("child_status", std::to_string(status).c_str());
  tell();
  return 0;
}

// The process ends while another thread launches and the GPU is busy.
int leave(const Gpu& gpu) {
  step(gpu, 0);
  static std::atomic<int> launched{0};
  std::thread([gpu] {
    for (;;) {
      products(gpu);
      ++launched;
    }
  }).detach();
  while (launched < 200) usleep(1000);
  std::exit(0);
}

int flood(const Gpu& gpu, std::int64_t count) {
  rg_step_begin(0);
  for (std::int64_t i = 0; i < count; ++i) launch(gpu, hostScale, 1000);
  rg_step_end();
  return 0;
}

int manyThreads(const Gpu& gpu, std::int64_t each) {
  std::vector<std::thread> threads;
  rg_step_begin(0);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&gpu, each, t] {
      for (std::int64_t i = 0; i < each; ++i) {
        cudaMemcpyAsync(nullptr, nullptr, 1, 3, t % 2 == 0 ? gpu.compute : gpu.side);
        if (i % 64 == 0) usleep(500);
      }
    });
  for (std::thread& thread : threads) thread.join();
  rg_step_end();
  return 0;
}

// Asks the tracer at run time, as a trainer may.
int switched(const Gpu& gpu) {
  const auto every = reinterpret_cast<std::int64_t (*)(std::int64_t)>(dlsym(RTLD_DEFAULT, "rg_cuda_trace_every"));
  const auto steps = reinterpret_cast<void (*)(std::int64_t)>(dlsym(RTLD_DEFAULT, "rg_cuda_trace_steps"));
  const auto now = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "rg_cuda_trace_now"));
  if (every == nullptr || steps == nullptr || now == nullptr) return 5;
  rg_fact("every_was", std::to_string(every(0)).c_str());
  step(gpu, 0);  // not any more
  steps(1);
  step(gpu, 1);
  step(gpu, 2);  // not
  every(3);
  step(gpu, 3);
  every(0);
  now(1);
  launch(gpu, hostScale, 40);  // outside any step
  now(0);
  launch(gpu, hostScale, 40);
  cudaStreamSynchronize(gpu.compute);
  return 0;
}

// The tracer arms and ends exact mode in its own time.
bool waitFor(const std::atomic<std::int64_t>& what, bool on, int milliseconds = 3000) {
  for (int i = 0; i < milliseconds && (what > 0) != on; ++i) usleep(1000);
  return (what > 0) == on;
}

// A step with work that no interposed function sees: as Triton launches, and a graph's kernels.
void exactStep(const Gpu& gpu, std::int64_t number) {
  static void* cudart = dlopen("libcudart.so.12", RTLD_NOLOAD | RTLD_LAZY);
  static const auto around = reinterpret_cast<decltype(&cudaLaunchKernel)>(dlsym(cudart, "cudaLaunchKernel"));
  static char graph[8];
  rg_step_begin(number);
  around(stub(hostScale), {44, 1, 1}, {128, 1, 1}, nullptr, 16, gpu.compute);
  cudaGraphLaunch(graph, gpu.compute);
  launch(gpu, hostAdd, 70);
  launch(gpu, hostScale, 40);
  cuLaunchKernel(gpu.function, 33, 1, 1, 32, 1, 1, 0, gpu.compute, nullptr, nullptr);
  products(gpu);
  communicate(gpu);
  cudaMemcpyAsync(nullptr, nullptr, 4096, 1, gpu.compute);
  cudaMemsetAsync(nullptr, 0, 512, gpu.compute);
  cudaStreamSynchronize(gpu.compute);
  rg_step_end();
}

using AskExact = void (*)(std::int64_t);
AskExact askExact() { return reinterpret_cast<AskExact>(dlsym(RTLD_DEFAULT, "rg_cuda_trace_exact")); }

// Two exact steps of four, or what the environment says; then the same once more.
int exact(const Gpu& gpu, std::int64_t rounds) {
  const fake::Report& report = *fakeReport();
  for (std::int64_t round = 0; round < rounds; ++round) {
    if (askExact() == nullptr) return 5;
    if (std::getenv("RUNGLASS_CUDA_EXACT") == nullptr) askExact()(2);
    const bool armed = waitFor(report.cupti_enabled, true, 500);
    if (armed) usleep(20'000);
    for (std::int64_t i = 0; i < 4; ++i) exactStep(gpu, 10 * round + i);
    if (std::getenv("RUNGLASS_CUDA_EXACT") != nullptr) askExact()(0);
    if (!waitFor(report.cupti_subscribed, false)) return 6;
  }
  usleep(300'000);
  tell();
  return 0;
}

// Exact mode is on and the GPU busy when the process ends, forks or has told all it wants to.
int exactInterrupted(const Gpu& gpu, const std::string& how) {
  askExact()(INT64_MAX);
  waitFor(fakeReport()->cupti_enabled, true);
  usleep(20'000);
  exactStep(gpu, 0);
  if (how == "exact-shutdown") {
    rg_shutdown(nullptr);
    return waitFor(fakeReport()->cupti_subscribed, false) ? 0 : 6;
  }
  if (how == "exact-fork") {
    const pid_t child = fork();
    if (child == 0) {
      exactStep(gpu, 1);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    rg_fact("child_status", std::to_string(status).c_str());
    tell();
  } else {
    for (int i = 0; i < 20; ++i) launch(gpu, hostScale, 100'000);
  }
  return 0;
}

int recentRings() {
  int found = 0;
  const char* directory = std::getenv("RUNGLASS_DIR");
  for (const auto& entry : std::filesystem::directory_iterator(directory != nullptr ? directory : "/nowhere"))
    found += entry.path().extension() == ".recent";
  return found;
}
bool waitForRecentRings(int count) {
  for (int i = 0; i < 3000 && recentRings() != count; ++i) usleep(1000);
  return recentRings() == count;
}

// Kept for three steps of five, then killed, or the room is gone.
int recent(const Gpu& gpu, const std::string& how) {
  const auto keep = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "rg_cuda_keep_recent"));
  if (keep == nullptr) return 5;
  if (how == "recent-refused") {
    const rlimit limit{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    keep(10);
    usleep(50'000);
    step(gpu, 0);
    return recentRings() == 0 ? 0 : 6;
  }
  step(gpu, 0);
  keep(10);
  if (!waitForRecentRings(1)) return 6;
  for (std::int64_t i = 1; i < 4; ++i) step(gpu, i);
  if (how == "recent-killed") {
    usleep(50'000);
    kill(getpid(), SIGKILL);
  }
  keep(0);
  if (!waitForRecentRings(0)) return 7;
  step(gpu, 4);
  tell();
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int workload(int argc, char** argv);
int workload(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const std::int64_t steps = argc > 2 ? std::atoll(argv[2]) : 3;
  const bool early = std::getenv("WORKLOAD_INIT_LATE") == nullptr && mode != "unnamed";
  rg_options options = RG_OPTIONS_INIT;
  options.run = "told";
  if (early) rg_init(&options);
  const Gpu gpu;
  cudaMemcpy(nullptr, nullptr, 8, 1);  // CUDA before the trainer says who it is
  if (!early && mode != "unnamed") rg_init(&options);
  if (mode == "train" || mode == "unnamed") return train(gpu, steps);
  if (mode == "for") return trainFor(gpu, steps);
  if (mode == "ahead") return ahead(gpu, steps);
  if (mode == "capture") return capture(gpu);
  if (mode == "fork") return forked(gpu);
  if (mode == "exit") return leave(gpu);
  if (mode == "flood") return flood(gpu, steps);
  if (mode == "threads") return manyThreads(gpu, steps);
  if (mode == "switch") return switched(gpu);
  if (mode.starts_with("recent")) return recent(gpu, mode);
  if (mode == "exact") return exact(gpu, steps);
  if (mode.starts_with("exact-")) return exactInterrupted(gpu, mode);
  return 2;
}
