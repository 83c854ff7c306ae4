// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/client/client_source.h"
#include "collectors/sources/heartbeat/heartbeat_source.h"
#include "collectors/sources/host/host_source.h"
#include "collectors/sources/nvml/nvml_source.h"
#include "collectors/sources/source.h"

namespace runglass {

const std::vector<SourceEntry>& sources() {
  static const std::vector<SourceEntry> kAll = {
      {"client", makeClientSource, true},
      {"heartbeat", makeHeartbeatSource, true},
      {"host", makeHostSource, true},
      {"nvml", makeNvmlSource, true},
  };
  return kAll;
}

}  // namespace runglass
