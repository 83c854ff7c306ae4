// SPDX-License-Identifier: Apache-2.0
// OTLP/JSON: a request in JSON as the bytes of the same request in protobuf, so that one scanner reads both.
//
// Threading:  pure.
// Errors:     INVALID_ARGUMENT no JSON, or a value of another type than its field; nested deeper than kMaxJsonDepth.
// Cost:       O(text); the result is at most as long as the text.
#pragma once

#include <string>
#include <string_view>

#include "collectors/hub/receivers/otlp/otlp_request.h"

namespace runglass {

inline constexpr std::size_t kMaxJsonDepth = 64;
Result<std::string> otlpFromJson(OtlpSignal signal, std::string_view text);

}  // namespace runglass
