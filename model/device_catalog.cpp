// SPDX-License-Identifier: Apache-2.0
#include "model/device_catalog.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace runglass {
namespace {

// Vendors print the sparse figure first for some devices: halved here.
constexpr DevicePeak kPeaks[] = {
    {"H100 PCIe", 756e12, "NVIDIA H100 datasheet"},
    {"H100 NVL", 835e12, "NVIDIA H100 datasheet"},
    {"H100", 989.4e12, "NVIDIA H100 datasheet (SXM)"},
    {"H800 PCIe", 756e12, "NVIDIA H800 datasheet"},
    {"H800", 989.4e12, "NVIDIA H800 datasheet (SXM)"},
    {"GH200", 989.4e12, "NVIDIA GH200 datasheet"},
    {"H200 NVL", 835.5e12, "NVIDIA H200 datasheet"},
    {"H200", 989.4e12, "NVIDIA H200 datasheet (SXM)"},
    {"H20", 148e12, "NVIDIA H20 datasheet"},
    {"GB200", 2500e12, "NVIDIA GB200 NVL72 datasheet, per GPU"},
    {"B200", 2250e12, "NVIDIA HGX B200 datasheet, per GPU"},
    {"B100", 1750e12, "NVIDIA HGX B100 datasheet, per GPU"},
    {"A100", 312e12, "NVIDIA A100 datasheet"},
    {"A800", 312e12, "NVIDIA A800 datasheet"},
    {"A30", 165e12, "NVIDIA A30 datasheet"},
    {"A10G", 70e12, "NVIDIA A10G datasheet"},
    {"A10", 125e12, "NVIDIA A10 datasheet"},
    {"V100 PCIe", 112e12, "NVIDIA V100 datasheet"},
    {"V100", 125e12, "NVIDIA V100 datasheet (SXM2)"},
    {"T4", 65e12, "NVIDIA T4 datasheet"},
    {"L40S", 362.05e12, "NVIDIA L40S datasheet"},
    {"L4", 121e12, "NVIDIA L4 datasheet"},
    {"MI355X", 2516e12, "AMD Instinct MI355X datasheet"},
    {"MI325X", 1307.4e12, "AMD Instinct MI325X datasheet"},
    {"MI300X", 1307.4e12, "AMD Instinct MI300X datasheet"},
    {"MI250X", 383e12, "AMD Instinct MI250X datasheet"},
    {"MI250", 362.1e12, "AMD Instinct MI250 datasheet"},
};

// Words of letters and digits, upper case, between blanks: " NVIDIA H100 80GB HBM3 ".
std::string wordsOf(std::string_view text) {
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

}  // namespace

std::span<const DevicePeak> deviceCatalog() { return kPeaks; }

const DevicePeak* findDevicePeak(std::string_view model) {
  const std::string words = wordsOf(model);
  const auto has = [&](std::string_view name) {
    const std::string wanted = wordsOf(name);
    for (std::size_t at = 0; at + 1 < wanted.size();) {
      const std::size_t end = wanted.find(' ', at + 1);
      if (words.find(wanted.substr(at, end - at + 1)) == std::string::npos) return false;
      at = end;
    }
    return true;
  };
  const auto found = std::ranges::find_if(kPeaks, [&](const DevicePeak& peak) { return has(peak.name); });
  return found == std::end(kPeaks) ? nullptr : found;
}

}  // namespace runglass
