// SPDX-License-Identifier: Apache-2.0
// followedReader: a Reader of a copy that asks the hub for what the copy does not hold: samples over time, spans, captures, log lines that
// have not come yet. What the copy holds whole it answers itself.
//
// Threading:  as Reader: one thread at a time; Readers share `hub`.
// Ownership:  owns the copy's Reader.
// Units:      reader.h.
// Errors:     the copy's Reader's and the hub's; UNAVAILABLE the hub cannot be asked and the copy has nothing of what was asked: both
// named. Cost:       a call, or a round trip to the hub. query() and verify() see the copy's file alone.
#pragma once

#include <memory>

#include "collectors/hub/replica/hub_questions.h"
#include "storage/reader.h"

namespace runglass {

// `hub`: Mirror::questions() of the Mirror that makes the copy.
std::unique_ptr<Reader> followedReader(std::unique_ptr<Reader> mirror, std::shared_ptr<HubQuestions> hub);

}  // namespace runglass
