// SPDX-License-Identifier: GPL-3.0-or-later
// Facts in which a few devices differ from most: driver, clock limit, ECC mode, MIG, as reported by their drivers at the agent's start.
//
// Threading: on the thread of the Reader.
// Errors:    the Reader's.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "storage/reader.h"

namespace runglass {

// "driver: 535.104 on 63, 550.54 on n0412 GPU 3".
struct FactDifference {
  QString text;
  std::vector<DeviceId> odd;
};

struct DeviceFacts {
  std::vector<FactDifference> differences;
  std::vector<DeviceId> mig;  // partitioned into instances; in order
};

Result<DeviceFacts> readDeviceFacts(Reader& reader, const std::function<QString(DeviceId)>& name_of);

}  // namespace runglass
