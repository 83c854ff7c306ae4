// SPDX-License-Identifier: Apache-2.0
// The current speed of this machine, to compare runs: zstd-1 and SQLite inserts. Including this file registers both.
//
// Ownership:  one file in the temporary folder, removed again.
// Units:      bytes/s; rows/s.
// Cost:       about a second of a bench run.
#pragma once

#include <benchmark/benchmark.h>
#include <sqlite3.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>

namespace runglass {
namespace {

void calibrationZstd(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::string text(1 << 20, '\0');
  for (char& c : text) c = static_cast<char>('a' + (random() % 4) * (random() % 4));
  std::string out(ZSTD_compressBound(text.size()), '\0');
  for (auto _ : state) benchmark::DoNotOptimize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}

void calibrationSqlite(benchmark::State& state) {
  constexpr int kRows = 100'000;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("runglass_calibration_" + std::to_string(::getpid()) + ".db")).string();
  for (auto _ : state) {
    std::filesystem::remove(path);
    sqlite3* db = nullptr;
    sqlite3_stmt* insert = nullptr;
    sqlite3_open(path.c_str(), &db);
    sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; CREATE TABLE t(a, b); BEGIN", nullptr, nullptr, nullptr);
    sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?, ?)", -1, &insert, nullptr);
    for (int i = 0; i < kRows; ++i) {
      sqlite3_bind_int64(insert, 1, i);
      sqlite3_bind_double(insert, 2, i * 0.5);
      sqlite3_step(insert);
      sqlite3_reset(insert);
    }
    sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_finalize(insert);
    sqlite3_close(db);
  }
  std::filesystem::remove(path);
  state.counters["rows_per_s"] =
      benchmark::Counter(static_cast<double>(kRows) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK(calibrationZstd)->Name("calibration/zstd1")->Unit(benchmark::kMillisecond);
BENCHMARK(calibrationSqlite)->Name("calibration/sqlite_insert")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass
