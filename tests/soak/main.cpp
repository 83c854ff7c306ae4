// SPDX-License-Identifier: Apache-2.0
// The soak: the shipped hub and shipped agents under load and through faults, as a table of targets and measurements.
//   soak [--minutes N] [--json FILE] [--rows ID,ID] [--dir FOLDER] [--store FILE] [--quick]
// Exits 1 when a row fails. See docs/contribute/soak.md.
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include <nlohmann/json.hpp>

#include "tests/soak/row.h"
#include "tests/support/temp_folder.h"

namespace runglass::soak {

const std::vector<NamedRow>& allRows() {
  static const std::vector<NamedRow> rows = {
      {"load-10hz", loadFast}, {"load-1hz", loadWide}, {"R1", steady},   {"R2", burst},    {"R3", storm},      {"R4", loneAgent},
      {"R5", retention},       {"R6", kills},          {"R7", outage},   {"R9", diskFull}, {"R11", powerLoss}, {"R12", descriptors},
      {"R13", stop},           {"R14", clocks},        {"R15", longRun}, {"S3", flood},    {"S10", hostile}};
  return rows;
}

namespace {

constexpr double kFullMinutes = 30;

struct Options {
  double minutes = 2;
  bool quick = false;
  std::string json, rows, directory, store;
};

// As tests/bench/calibration.h: zstd-1 over text, on one thread, measured now.
double calibration() {
  std::mt19937_64 random(1);
  std::string in(1 << 20, '\0');
  for (char& c : in) c = static_cast<char>('a' + (random() % 4) * (random() % 4));
  std::string out(ZSTD_compressBound(in.size()), '\0');
  const DurNs began = monotonicNow();
  double bytes = 0;
  for (; monotonicNow() - began < 300 * kNsPerMs; bytes += static_cast<double>(in.size()))
    (void)ZSTD_compress(out.data(), out.size(), in.data(), in.size(), 1);
  return bytes / static_cast<double>(monotonicNow() - began) * 1e3;
}

int run(const Options& options) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const test::TempFolder own;
  Scale scale{.share = options.minutes / kFullMinutes,
              .quick = options.quick,
              .directory = options.directory.empty() ? own.path() : options.directory,
              .store = options.store};
  const double zstd = calibration();
  RowTable table(options.rows, {{"minutes", options.minutes},
                                {"processors", std::thread::hardware_concurrency()},
                                {"load_average_before", loadAverage()},
                                {"calibration_zstd_mb_per_s", zstd}});
  std::printf("soak: lengths are %.0f %% of the full ones of %.0f minutes%s; %u processors, load average %s, zstd-1 %.0f MB/s\n\n",
              100 * scale.share, kFullMinutes, options.quick ? " (--quick: a test of this program, no measurement)" : "",
              std::thread::hardware_concurrency(), loadAverage().c_str(), zstd);
  for (const NamedRow& named : allRows()) {
    if (!table.includes(named.id)) continue;
    table.add(named.make(scale));
    std::error_code error;
    std::filesystem::remove_all(scale.directory + "/" + named.id, error);
  }
  return table.finish(options.json);
}

}  // namespace
}  // namespace runglass::soak

int main(int argc, char** argv) {
  using namespace runglass::soak;
  if (argc == 5 && std::strcmp(argv[1], "--lone-agent") == 0) return runLoneAgent(argv[2], argv[3], std::atof(argv[4]));
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const bool more = i + 1 < argc;
    if (name == "--quick")
      options.quick = true;
    else if (name == "--minutes" && more)
      options.minutes = std::atof(argv[++i]);
    else if (name == "--json" && more)
      options.json = argv[++i];
    else if (name == "--rows" && more)
      options.rows = argv[++i];
    else if (name == "--dir" && more)
      options.directory = argv[++i];
    else if (name == "--store" && more)
      options.store = argv[++i];
    else {
      std::fprintf(stderr, "usage: soak [--minutes N] [--json FILE] [--rows ID,ID] [--dir FOLDER] [--store FILE] [--quick]\n");
      return 2;
    }
  }
  if (!(options.minutes > 0)) {
    std::fprintf(stderr, "soak: --minutes must be above 0\n");
    return 2;
  }
  return run(options);
}
