// SPDX-License-Identifier: Apache-2.0
// followedReader: a Reader of a replica that requests data missing in the replica from the source hub: samples over time, spans, captures,
// log lines not replicated yet. Complete data is read from the replica.
//
// Threading:  as Reader: one thread at a time; Readers share `hub`.
// Ownership:  owns the replica's Reader.
// Units:      reader.h.
// Errors:     those of the replica's Reader and of the hub; UNAVAILABLE the hub is not reachable and the replica has no data for the call:
//             both causes are given.
// Cost:       a call, or a round trip to the hub. query() and verify() read the replica's file only.
#pragma once

#include <memory>

#include "collectors/hub/replica/hub_questions.h"
#include "storage/reader.h"

namespace runglass {

// `hub`: Mirror::questions() of the Mirror that maintains the replica.
std::unique_ptr<Reader> followedReader(std::unique_ptr<Reader> mirror, std::shared_ptr<HubQuestions> hub);

}  // namespace runglass
