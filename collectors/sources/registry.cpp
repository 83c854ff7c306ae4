// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/capture/capture_source.h"
#include "collectors/sources/client/client_source.h"
#include "collectors/sources/ethernet/ethernet_source.h"
#include "collectors/sources/heartbeat/heartbeat_source.h"
#include "collectors/sources/host/host_source.h"
#include "collectors/sources/kernel_log/kernel_log_source.h"
#include "collectors/sources/nvml/nvml_source.h"
#include "collectors/sources/rdma/rdma_source.h"
#include "collectors/sources/source.h"
#include "collectors/sources/tfevents/tfevents_source.h"
#include "collectors/sources/train_log/train_log_source.h"
#include "collectors/sources/trainer_output/trainer_output_source.h"

namespace runglass {

const std::vector<SourceEntry>& sources() {
  static const std::vector<SourceEntry> kAll = {
      {"capture", makeCaptureSource, true},
      {"client", makeClientSource, true},
      {"ethernet", makeEthernetSource, true},
      {"heartbeat", makeHeartbeatSource, true},
      {"host", makeHostSource, true},
      {"kernel_log", makeKernelLogSource, true},
      {"nccl_log", makeNcclLogSource, false},  // this one, tfevents and train_log are on where their table names paths
      {"nvml", makeNvmlSource, true},
      {"rdma", makeRdmaSource, true},
      {"tfevents", makeTfeventsSource, false},
      {"train_log", makeTrainLogSource, false},
      {"trainer_output", makeTrainerOutputSource, true},
  };
  return kAll;
}

}  // namespace runglass
