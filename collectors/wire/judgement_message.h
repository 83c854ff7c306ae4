// SPDX-License-Identifier: Apache-2.0
// Converts Judgements to messages of a payload and back.
//
// Threading:  pure.
// Units:      runs, attempts and nodes are ids of the session's dictionary, on both sides of these calls.
// Errors:     invalid edits are left out and counted: judgementsOf() returns their number.
// Cost:       a copy.
#pragma once

#include "model/mirror_recorder.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {

v1::Finding messageOf(const Finding& finding);
v1::Alert messageOf(const Alert& alert);
v1::Judgements messageOf(const Judgements& judgements);
v1::Mark messageOf(const MirrorMark& mark);
v1::SummaryMark messageOf(const SummaryPosition& position);

Judgements judgementsOf(const v1::Judgements& message, std::int64_t& unreadable);
MirrorMark markOf(const v1::Mark& message);
SummaryPosition positionOf(const v1::SummaryMark& message);

}  // namespace runglass
