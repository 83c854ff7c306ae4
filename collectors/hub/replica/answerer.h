// SPDX-License-Identifier: Apache-2.0
// answerQuestion: what a follower asks (ask.proto) as a call of a Reader of the store that it copies.
//
// Threading:  the Reader's.
// Ownership:  borrows all.
// Units:      bytes of an Answer.
// Errors:     INVALID_ARGUMENT a question that makes no sense; OUT_OF_RANGE what it asks for is more than an answer may hold, found out
//             before it is read where that can be; ABORTED it names what the follower has not been told; else the Reader's.
// Cost:       the Reader's call; memory bounded by the kMax* of answer_message.h.
#pragma once

#include <stop_token>
#include <string>

#include "collectors/wire/answer_message.h"

namespace runglass {

Result<std::string> answerQuestion(const v1::Question& question, Reader& reader, const FeedNames& names, const std::stop_token& stop);

}  // namespace runglass
