// SPDX-License-Identifier: Apache-2.0
// Throttled clocks: the times in which devices had a thermal, power-brake or slowdown reason.
//
// Software power cap, idle and application clocks do not count (on a real H100, 24,004 of 26,792 samples have the cap).
//
// Threading:  throttleSpans() is pure; ThrottleWatch one thread.
// Ownership:  borrows the Reader during calls.
// Units:      bits as in NVML's clock_event_reasons; TimeNs.
// Errors:     the Reader's.
// Cost:       one bins() per device and call over new data; samples are read only where a bin has a bit and more than one value.
#pragma once

#include <map>
#include <vector>

#include "storage/reader.h"

namespace runglass {

inline constexpr std::uint32_t kHwSlowdown = 0x8, kSwThermal = 0x20, kHwThermal = 0x40, kPowerBrake = 0x80;
inline constexpr std::uint32_t kThrottleBits = kHwSlowdown | kSwThermal | kHwThermal | kPowerBrake;
inline constexpr DurNs kThrottleLeast = 10 * kNsPerSecond;  // shorter spans are not published
inline constexpr DurNs kThrottleGap = 30 * kNsPerSecond;    // off or not reported for this long ends a span

struct ThrottleSpan {
  TimeNs t0 = 0, t1 = 0;   // first and last sample with a bit
  std::uint32_t bits = 0;  // all bits that occurred
  friend bool operator==(const ThrottleSpan&, const ThrottleSpan&) = default;
};
// Samples by time. Includes spans shorter than kThrottleLeast: they may continue.
std::vector<ThrottleSpan> throttleSpans(const SampleColumns& samples);

struct DeviceThrottle {
  DeviceId device;
  NodeId node;
  TimeNs last = 0;  // newest sample of the device
  std::vector<ThrottleSpan> spans;
};

class ThrottleWatch {
 public:
  // For the devices of `nodes`; reads data since the last call.
  Status read(Reader& reader, const std::map<NodeId, std::string>& nodes, std::stop_token stop);
  const std::map<DeviceId, DeviceThrottle>& devices() const { return m_devices; }

 private:
  Status readDevice(Reader& reader, const Series& series, std::stop_token stop);
  std::map<DeviceId, DeviceThrottle> m_devices;
};

}  // namespace runglass
