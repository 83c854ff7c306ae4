// SPDX-License-Identifier: Apache-2.0
// The importers' make functions and what they share: names of well-known scalars.
//
// Threading:  pure.
// Ownership:  the registry owns importers.
// Units:      none.
// Errors:     none.
// Cost:       canonicalLabel: a look-up per tag, not per point.
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
std::unique_ptr<Importer> makeGpuTelemetryCsvImporter();
std::unique_ptr<Importer> makeClusterCsvImporter();
std::unique_ptr<Importer> makePrometheusTextImporter();
std::unique_ptr<Importer> makeMlperfPowerImporter();
std::unique_ptr<Importer> makeDlroverEventsImporter();
// Of any CSV file that a layout of the user's explains; INVALID_ARGUMENT names the place in the layout file.
Result<std::unique_ptr<Importer>> makeMappedCsvImporter(const std::string& name, std::string_view toml);

// {"canonical":"loss"} for tags that mean the training loss, the gradient norm, ... whatever their source calls them; "" otherwise.
std::string canonicalLabel(std::string_view tag);

}  // namespace runglass
