// SPDX-License-Identifier: Apache-2.0
// The device catalogue: the peak performance of an accelerator, by the name that its driver reports. Its rows are in device_peaks.csv.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      FLOP/s (integers: OP/s) of the matrix units at the device's full power limit; bytes, bytes/s. Dense and 2:4 sparse
//             separately.
// Errors:     an unlisted device, or one whose vendor publishes no peak, has none; its MFU is then unknown.
// Cost:       a few dozen string compares; the first call reads the table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace runglass {

// The kind of a MIG instance: its uuid is its GPU's and "/gi7", its index its GPU's, its model the profile ("1g.5gb"). Its series belong to
// its GPU, distinguished by labels.
inline constexpr const char* kMigKind = "mig";

enum class Precision : std::uint8_t { kFp64, kTf32, kFp16, kBf16, kFp8, kFp4, kInt8, kInt4 };
inline constexpr std::size_t kPrecisionCount = 8;
const char* precisionName(Precision precision);  // "bf16"
std::optional<Precision> precisionFromName(std::string_view name);

struct PrecisionPeak {
  std::optional<double> dense_flops_per_s;
  std::optional<double> sparse_flops_per_s;  // with half of the operands zero: a marketing number for dense models, never the basis of MFU
};

struct DeviceSpec {
  std::string_view name;  // each word of it occurs in the reported name, ignoring case
  std::array<PrecisionPeak, kPrecisionCount> peaks;
  std::optional<double> memory_bytes, memory_bytes_per_s;
  std::string_view source;  // the vendor's document
  const PrecisionPeak& at(Precision precision) const { return peaks[static_cast<std::size_t>(precision)]; }
};

// The peak that MFU is relative to: dense, BF16 or, where the device has none, FP16.
struct DevicePeak {
  const DeviceSpec* device;
  double dense_flops_per_s;
  std::string_view source;
};

std::span<const DeviceSpec> deviceCatalog();  // more specific names first
// "NVIDIA H100 80GB HBM3" -> H100 SXM; nullptr: unknown, or a MIG slice, which does not have the whole device's peak.
const DeviceSpec* findDevice(std::string_view model);
// nullptr: unknown, or the vendor publishes no such peak.
const DevicePeak* findDevicePeak(std::string_view model);

// The embedded file, for the generated source.
struct DeviceTable {
  std::string_view name, text;
};
std::span<const DeviceTable> deviceTables();

}  // namespace runglass
