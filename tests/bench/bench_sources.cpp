// SPDX-License-Identifier: Apache-2.0
// Sources of the agent: cost of a poll of `rdma` with 8 adapters, on a tree of plain files.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <fstream>

#include "collectors/sources/rdma/rdma_port.h"
#include "collectors/sources/rdma/rdma_source.h"
#include "model/null_recorder.h"

namespace {
using namespace runglass;

void BM_RdmaPollOfEightAdapters(benchmark::State& state) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("bench_rdma_" + std::to_string(getpid()));
  for (int i = 0; i < 8; ++i) {
    const fs::path port = root / "sys/class/infiniband" / ("mlx5_" + std::to_string(i)) / "ports/1";
    fs::create_directories(port / "counters");
    fs::create_directories(port / "hw_counters");
    std::ofstream(port / "state") << "4: ACTIVE\n";
    std::ofstream(port / "rate") << "400 Gb/sec (4X NDR)\n";
    for (const char* file : {"port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets"})
      std::ofstream(port / "counters" / file) << 123456789012345 << '\n';
    for (const RdmaCounter& counter : rdmaCounters()) std::ofstream(port / counter.file) << "0\n";
  }
  const toml::table config;
  const SourceContext context{
      .node = {.uuid = "u", .name = "n"}, .now = [] { return TimeNs{0}; }, .config = &config, .root = root.string() + "/"};
  NullRecorder out;
  const auto source = makeRdmaSource();
  if (!source->start(out, context).ok()) state.SkipWithError("the tree has no ports");
  TimeNs now = 0;
  for (auto _ : state) source->poll(out, now += kNsPerSecond);
  fs::remove_all(root);
}
BENCHMARK(BM_RdmaPollOfEightAdapters)->Unit(benchmark::kMicrosecond);
}  // namespace

BENCHMARK_MAIN();
