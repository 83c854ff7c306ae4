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

// {"canonical":"loss"} for tags that mean the training loss, the gradient norm, ... whatever their source calls them; "" otherwise.
std::string canonicalLabel(std::string_view tag);

}  // namespace runglass
