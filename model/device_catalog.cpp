// SPDX-License-Identifier: Apache-2.0
// Invariant: the table is read once and completely; an invalid row is a bug of Runglass and ends the program in its tests.
#include "model/device_catalog.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

#include "model/result.h"

namespace runglass {
namespace {

constexpr std::array<const char*, kPrecisionCount> kPrecisionNames = {"fp64", "tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4"};
constexpr double kTera = 1e12, kGiga = 1e9;

// Words of letters and digits, in upper case, between blanks: " NVIDIA H100 80GB HBM3 ".
std::string modelWords(std::string_view text) {
  std::string words = " ";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0)
      words += static_cast<char>(std::toupper(byte));
    else if (words.back() != ' ')
      words += ' ';
  }
  if (words.back() != ' ') words += ' ';
  return words;
}

std::string_view takeUntil(std::string_view& rest, char end) {
  const std::size_t at = rest.find(end);
  const std::string_view head = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return head;
}

std::optional<double> numberOf(std::string_view text, double scale) {
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  RG_CHECK(error == std::errc() && end == text.data() + text.size() && value > 0);
  return value * scale;
}

struct Catalog {
  std::vector<DeviceSpec> devices;
  std::vector<DevicePeak> peaks;  // in the order of devices
};

DeviceSpec specOf(std::string_view line) {
  DeviceSpec spec{};
  spec.name = takeUntil(line, ',');
  spec.memory_bytes = numberOf(takeUntil(line, ','), kGiga);
  spec.memory_bytes_per_s = numberOf(takeUntil(line, ','), kGiga);
  for (PrecisionPeak& peak : spec.peaks) {
    std::string_view cell = takeUntil(line, ',');
    peak.dense_flops_per_s = numberOf(takeUntil(cell, '/'), kTera);
    peak.sparse_flops_per_s = numberOf(cell, kTera);
  }
  spec.source = line;
  RG_CHECK(!spec.name.empty() && !spec.source.empty());
  return spec;
}

const Catalog& catalog() {
  static const Catalog kCatalog = [] {
    Catalog read;
    std::string_view text = deviceTables().front().text;
    bool head = true;
    while (!text.empty()) {
      const std::string_view line = takeUntil(text, '\n');
      if (line.empty() || line.front() == '#') continue;
      if (!head) read.devices.push_back(specOf(line));
      head = false;
    }
    for (const DeviceSpec& device : read.devices) {
      const auto bf16 = device.at(Precision::kBf16).dense_flops_per_s, fp16 = device.at(Precision::kFp16).dense_flops_per_s;
      if (bf16 || fp16) read.peaks.push_back({&device, bf16 ? *bf16 : *fp16, device.source});
    }
    return read;
  }();
  return kCatalog;
}

}  // namespace

const char* precisionName(Precision precision) { return kPrecisionNames[static_cast<std::size_t>(precision)]; }

std::optional<Precision> precisionFromName(std::string_view name) {
  const auto found = std::ranges::find(kPrecisionNames, name, [](const char* one) { return std::string_view(one); });
  if (found == kPrecisionNames.end()) return std::nullopt;
  return static_cast<Precision>(found - kPrecisionNames.begin());
}

std::span<const DeviceSpec> deviceCatalog() { return catalog().devices; }

const DeviceSpec* findDevice(std::string_view model) {
  const std::string words = modelWords(model);
  if (words.find(" MIG ") != std::string::npos) return nullptr;  // a slice: "NVIDIA A100-SXM4-40GB MIG 1g.5gb"
  const auto has = [&](std::string_view name) {
    const std::string wanted = modelWords(name);
    for (std::size_t at = 0; at + 1 < wanted.size();) {
      const std::size_t end = wanted.find(' ', at + 1);
      if (words.find(wanted.substr(at, end - at + 1)) == std::string::npos) return false;
      at = end;
    }
    return true;
  };
  const auto& devices = catalog().devices;
  const auto found = std::ranges::find_if(devices, [&](const DeviceSpec& device) { return has(device.name); });
  return found == devices.end() ? nullptr : &*found;
}

const DevicePeak* findDevicePeak(std::string_view model) {
  const DeviceSpec* device = findDevice(model);
  const auto& peaks = catalog().peaks;
  const auto found = std::ranges::find(peaks, device, &DevicePeak::device);
  return device == nullptr || found == peaks.end() ? nullptr : &*found;
}

}  // namespace runglass
