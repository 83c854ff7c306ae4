// SPDX-License-Identifier: Apache-2.0
// Importers of training logs of any framework, by the rule files. Kinds "train_log" and "mlperf_mllog".
//
// Threading:  see importer.h.
// Ownership:  the importers share the process's rules.
// Units:      see log_session.h.
// Errors:     see importer.h. A log without a known training line is reported as skipped, with its events.
// Cost:       more than 100 MB/s where lines match no rule.
#pragma once

#include <memory>

#include "collectors/importers/importer.h"
#include "collectors/importers/train_log/rule_set.h"

namespace runglass {

std::unique_ptr<Importer> makeTrainLogImporter();
std::unique_ptr<Importer> makeMlperfLogImporter();
// With other rules than RuleSet::standard().
std::unique_ptr<Importer> makeTrainLogImporter(std::shared_ptr<const train_log::RuleSet> rules);

}  // namespace runglass
