// SPDX-License-Identifier: Apache-2.0
// The hub's own metrics as Prometheus text 0.0.4. Names: docs/operate/receivers.md.
#pragma once

#include <string>

#include "collectors/hub/receivers/receivers.h"

namespace runglass {

std::string healthText(const HubStats& hub, const ReceiverStats& receivers);

}  // namespace runglass
