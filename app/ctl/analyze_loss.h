// SPDX-License-Identifier: GPL-3.0-or-later
// Part `loss` of `runglassctl analyze`: every spike of the training loss with its verdict, the changes of settings, what other rules say.
//
// Threading:  main thread.
// Ownership:  values.
// Units:      steps; ratios 0..1.
// Errors:     the Reader's.
// Cost:       reads the loss and the gradient norm of every attempt once, and the newest attempt's loss once more for the rules.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "storage/reader.h"

namespace runglass::ctl {

struct LossPart {
  nlohmann::ordered_json json;  // as docs/loss_spikes.md says
  std::string text;             // lines for a terminal; empty where there is nothing to say
};
Result<LossPart> analyzeLoss(Reader& reader, const Run& run);

}  // namespace runglass::ctl
