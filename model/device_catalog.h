// SPDX-License-Identifier: Apache-2.0
// The device catalogue: what an accelerator can do at most, by the name that its driver reports.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      FLOP/s, dense (never the doubled figure for 2:4 sparsity), BF16 or FP16 matrix units with the device's full power limit.
// Errors:     none: a device that is not listed has no peak, and then there is no MFU.
// Cost:       a few dozen string compares.
#pragma once

#include <span>
#include <string_view>

namespace runglass {

struct DevicePeak {
  std::string_view name;  // every word of it occurs in the reported name, in any case
  double dense_flops_per_s;
  std::string_view source;  // the vendor's document
};

std::span<const DevicePeak> deviceCatalog();  // more special names first
// "NVIDIA H100 80GB HBM3" -> H100 SXM; nullptr: not known.
const DevicePeak* findDevicePeak(std::string_view model);

}  // namespace runglass
