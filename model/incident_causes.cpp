// SPDX-License-Identifier: Apache-2.0
#include "model/incident_causes.h"

#include <algorithm>
#include <array>

namespace runglass {
namespace {

using enum CauseGroup;
constexpr std::nullopt_t kOurs = std::nullopt;

constexpr std::array<const char*, 9> kGroups = {"hardware", "software", "network",  "storage",  "host",
                                                "data",     "training", "operator", "not known"};

constexpr std::array kCauses = {
    IncidentCause{"gpu_faulty", "Faulty GPU", kHardware, 148},
    IncidentCause{"gpu_memory", "GPU memory (HBM)", kHardware, 72},
    IncidentCause{"gpu_sram", "GPU SRAM memory", kHardware, 19},
    IncidentCause{"gpu_system_processor", "GPU system processor (GSP)", kHardware, 17},
    IncidentCause{"gpu_silent_corruption", "Silent data corruption in a GPU", kHardware, 6},
    IncidentCause{"gpu_thermal", "GPU thermal interface or sensor", kHardware, 6},
    IncidentCause{"gpu_nvlink", "NVLink or NVSwitch", kHardware, kOurs},
    IncidentCause{"gpu_throttled", "GPU clocks throttled by heat or power", kHardware, kOurs},
    IncidentCause{"software_bug", "Software bug", kSoftware, 54},
    IncidentCause{"software_dependency", "A dependency outside the job", kSoftware, 2},
    IncidentCause{"out_of_memory", "Out of memory on a GPU or a host", kSoftware, kOurs},
    IncidentCause{"driver", "Driver or firmware", kSoftware, kOurs},
    IncidentCause{"network_switch_cable", "Network switch or cable", kNetwork, 35},
    IncidentCause{"nic", "Network card", kNetwork, 7},
    IncidentCause{"network_congestion", "Network congestion", kNetwork, kOurs},
    IncidentCause{"ssd", "SSD", kStorage, 3},
    IncidentCause{"shared_filesystem", "Shared file system slow or away", kStorage, kOurs},
    IncidentCause{"checkpoint_write", "A checkpoint could not be written or read", kStorage, kOurs},
    IncidentCause{"host_maintenance", "Unplanned maintenance of a host", kHost, 32},
    IncidentCause{"power_supply", "Power supply", kHost, 3},
    IncidentCause{"server_chassis", "Server chassis", kHost, 2},
    IncidentCause{"io_expansion_board", "IO expansion board", kHost, 2},
    IncidentCause{"cpu", "CPU", kHost, 2},
    IncidentCause{"system_memory", "System memory", kHost, 2},
    IncidentCause{"host_software", "Something else running on a host", kHost, kOurs},
    IncidentCause{"data_batch", "A batch of training data", kData, kOurs},
    IncidentCause{"data_loading", "Data loading too slow", kData, kOurs},
    IncidentCause{"training_hyperparameters", "Hyperparameters (learning rate, clipping, batch size)", kTraining, kOurs},
    IncidentCause{"training_numerics", "Numerics (precision, loss scale, overflow)", kTraining, kOurs},
    IncidentCause{"training_layout", "Layout of the parallel job (unequal stages, sequences or experts)", kTraining, kOurs},
    IncidentCause{"operator_action", "Operator action (restart, wrong setting)", kOperator, kOurs},
    IncidentCause{"preemption", "Preempted or ended by the scheduler", kOperator, kOurs},
    IncidentCause{"nccl_watchdog", "Watchdog of the collectives ended it, for a reason not known", kNotKnown, 7},
    IncidentCause{"not_found", "Looked for and not found", kNotKnown, kOurs},
};

}  // namespace

const char* causeGroupName(CauseGroup group) { return kGroups[static_cast<std::size_t>(group)]; }

std::span<const IncidentCause> incidentCauses() { return kCauses; }

const IncidentCause* findIncidentCause(std::string_view code) {
  const auto found = std::ranges::find(kCauses, code, &IncidentCause::code);
  return found == kCauses.end() ? nullptr : &*found;
}

}  // namespace runglass
