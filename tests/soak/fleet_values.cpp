// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/fleet_values.h"

#include <array>
#include <cmath>
#include <random>

namespace runglass::soak {
namespace {

constexpr std::size_t kColumn = 4'096;
constexpr std::array kMetrics = {"power_watts",       "temperature_celsius", "gpu_busy_ratio",
                                 "sm_clock_hertz",    "sm_active_ratio",     "gpu_memory_used_bytes",
                                 "power_limit_watts", "clock_event_reasons", "nvlink_receive_bytes_per_s",
                                 "dram_active_ratio", "tensor_active_ratio", "nvlink_transmit_bytes_per_s"};
struct Shape {
  double level, noise, resolution;
};
constexpr std::array<Shape, 6> kShapes = {
    {{640, 25, 0.001}, {61, 1, 1}, {0.98, 0.02, 0.01}, {1.755e9, 2e7, 1.5e7}, {0.72, 0.04, 1e-4}, {6.9e10, 1e6, 2'097'152}}};

std::vector<double> columnOf(const Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise;
  std::vector<double> column;
  for (std::size_t i = 0; i < kColumn; ++i)
    column.push_back(std::round((shape.level + shape.noise * noise(random)) / shape.resolution) * shape.resolution);
  return column;
}

}  // namespace

double valueOf(std::size_t series, std::int64_t k) {
  static const std::vector<std::vector<double>> columns = [] {
    std::vector<std::vector<double>> all;
    for (std::size_t i = 0; i < kShapes.size(); ++i) all.push_back(columnOf(kShapes[i], i + 1));
    return all;
  }();
  return columns[series % columns.size()][(static_cast<std::size_t>(k) + series * 37) % kColumn];
}

std::string metricName(int number) {
  const auto index = static_cast<std::size_t>(number);
  return index < kMetrics.size() ? kMetrics[index] : "soak_" + std::to_string(number) + "_ratio";
}

std::string deviceUuid(const std::string& fleet, int agent, int gpu) {
  return fleet + "-" + std::to_string(agent) + "/gpu" + std::to_string(gpu);
}

const std::vector<ScalarName>& scalarNames() {
  static const std::vector<ScalarName> names = [] {
    std::vector<ScalarName> all = {{"step_time_ns", ""}};
    for (const char* part : {"data", "forward", "backward", "communication", "optimizer", "host", "gc"})
      all.push_back({"step_part_ns", "{\"part\":\"" + std::string(part) + "\"}"});
    return all;
  }();
  return names;
}

}  // namespace runglass::soak
