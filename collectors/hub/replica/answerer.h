// SPDX-License-Identifier: Apache-2.0
// answerQuestion: answers a replica's question (ask.proto) with a call of a Reader of the source store.
//
// Threading:  the Reader's.
// Ownership:  borrows all.
// Units:      bytes of an Answer.
// Errors:     INVALID_ARGUMENT an invalid question; OUT_OF_RANGE the result exceeds an answer's limits, determined before the read where
//             possible; ABORTED the result refers to objects that the replica has not received yet; else the Reader's.
// Cost:       the Reader's call; memory bounded by the kMax* of answer_message.h.
#pragma once

#include <stop_token>
#include <string>

#include "collectors/wire/answer_message.h"

namespace runglass {

Result<std::string> answerQuestion(const v1::Question& question, Reader& reader, const FeedNames& names, const std::stop_token& stop);

}  // namespace runglass
