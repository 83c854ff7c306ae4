// SPDX-License-Identifier: Apache-2.0
// Analysis `settings_check`: findings `settings` from the facts of the newest attempt and from the agents' reports about its GPUs.
//
// Threading:  as Analysis.
// Ownership:  as Analysis; keeps its published findings.
// Errors:     the Reader's.
// Cost:       live at most once a minute: the attempt's facts and the newest 10,000 device_facts events.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeSettingsCheck();

}  // namespace runglass
