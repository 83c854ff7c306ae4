// SPDX-License-Identifier: Apache-2.0
// The importers' make functions and their shared names of well-known scalars.
//
// Threading:  pure.
// Ownership:  the registry owns importers.
// Cost:       canonicalLabel: a look-up, needed once per tag, not per point.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "collectors/importers/importer.h"

namespace runglass {

std::unique_ptr<Importer> makeTfeventsImporter();
std::unique_ptr<Importer> makeHfTrainerStateImporter();
std::unique_ptr<Importer> makeMegatronGoldenImporter();
std::unique_ptr<Importer> makeTrainLogImporter();
std::unique_ptr<Importer> makeKinetoImporter();
std::unique_ptr<Importer> makeChromeTraceImporter();
std::unique_ptr<Importer> makeStragglerExtrasImporter();
std::unique_ptr<Importer> makeNsysImporter();
std::unique_ptr<Importer> makeFlightRecorderImporter();
std::unique_ptr<Importer> makeNcclInspectorImporter();
std::unique_ptr<Importer> makeXpuTimerImporter();
std::unique_ptr<Importer> makeMlperfLogImporter();
std::unique_ptr<Importer> makeKernelLogImporter();
std::unique_ptr<Importer> makeNvidiaSmiImporter();
std::unique_ptr<Importer> makeGpustatImporter();
std::unique_ptr<Importer> makeGpustatJsonImporter();
std::unique_ptr<Importer> makeAmdSmiImporter();
std::unique_ptr<Importer> makeRocmSmiCsvImporter();
std::unique_ptr<Importer> makeRocpdImporter();
std::unique_ptr<Importer> makeNpuSmiImporter();
std::unique_ptr<Importer> makeNcclTestsImporter();
std::unique_ptr<Importer> makePerftestImporter();
std::unique_ptr<Importer> makeNvbandwidthImporter();
std::unique_ptr<Importer> makeNvbandwidthJsonImporter();
std::unique_ptr<Importer> makeDcgmDiagImporter();
std::unique_ptr<Importer> makeDcgmDiagJsonImporter();
std::unique_ptr<Importer> makeGpuTelemetryCsvImporter();
std::unique_ptr<Importer> makeClusterCsvImporter();
std::unique_ptr<Importer> makePrometheusTextImporter();
std::unique_ptr<Importer> makeMlperfPowerImporter();
std::unique_ptr<Importer> makeDlroverEventsImporter();
std::unique_ptr<Importer> makeKubernetesImporter();
// For any CSV file described by a layout of the user; INVALID_ARGUMENT with the place in the layout file.
Result<std::unique_ptr<Importer>> makeMappedCsvImporter(const std::string& name, std::string_view toml);

// {"canonical":"loss"} for tags of the training loss, the gradient norm, ... under any name of their source; "" otherwise.
std::string canonicalLabel(std::string_view tag);

}  // namespace runglass
