// SPDX-License-Identifier: Apache-2.0
// The part of NVML's C ABI in use (x86-64), declared here because no header is packaged.
//
// Threading:  NVML's calls are thread-safe; a dying GPU can block one for seconds.
// Ownership:  handles belong to the library.
// Units:      NVML's: mW, MHz, mJ, KiB, KB/s.
// Errors:     Return codes below; 3 (not supported) and 13 (no such function) mean absent, 15 means that the GPU is lost.
#pragma once

#include <cstdint>

namespace runglass::nvml {

using Device = void *;
using EventSet = void *;
using GpmSample = void *;

enum Return : int {
  kSuccess = 0,
  kNotSupported = 3,
  kNoPermission = 4,
  kInsufficientSize = 7,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kLibraryNotFound = 12,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kVersionMismatch = 25,
};

struct Utilization {
  unsigned gpu, memory;
};  // percent
struct MemoryV1 {
  std::uint64_t total, free, used;  // used: includes memory reserved by the driver
};
static_assert(sizeof(MemoryV1) == 24);
struct MemoryV2 {
  unsigned version = 0x02000028;
  std::uint64_t total, reserved, free, used;
};
static_assert(sizeof(MemoryV2) == 40);
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
static_assert(sizeof(PciInfo) == 68);
struct FieldValue {
  unsigned field, scope;
  std::int64_t timestamp_us, latency_us;
  unsigned value_type;
  int result;
  union {
    double f64;
    unsigned u32;
    unsigned long ul;
    std::uint64_t u64;
    std::int64_t i64;
    int i32;
    std::uint16_t u16;
  } value;
};
static_assert(sizeof(FieldValue) == 40);
struct EventData {
  Device device;
  std::uint64_t type, data;
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(EventData) == 32);
struct GpmMetric {
  unsigned id;
  int result;
  double value;
  const char *short_name, *long_name, *unit;
};
struct GpmSupport {
  unsigned version = 1, supported = 0;
};

inline constexpr std::uint64_t kEventXid = 0x8;

// Field ids of nvmlDeviceGetFieldValues.
inline constexpr unsigned kFieldMemoryTemperature = 82, kFieldNvlinkTxKib = 138, kFieldNvlinkRxKib = 139, kFieldNvlinkCrc = 45,
                          kFieldNvlinkReplay = 52, kFieldNvlinkRecovery = 59, kFieldRecoveryAction = 230, kFieldPcieTxBytes = 197,
                          kFieldPcieRxBytes = 198;
inline constexpr unsigned kAllLinks = 0xFFFFFFFFU;

// Clock event ("throttle") reasons by which the hardware limits the clocks.
inline constexpr std::uint64_t kReasonHwSlowdown = 0x8, kReasonSwThermal = 0x20, kReasonHwThermal = 0x40, kReasonPowerBrake = 0x80;

}  // namespace runglass::nvml
