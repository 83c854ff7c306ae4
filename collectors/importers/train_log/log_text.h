// SPDX-License-Identifier: Apache-2.0
// Sanitizes text from a log for display, reports and SQL.
//
// Threading:  pure.
// Ownership:  returns a copy.
// Units:      bytes.
// Errors:     invalid UTF-8 becomes U+FFFD.
// Cost:       O(text).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace runglass::train_log {

inline constexpr std::size_t kMaxMessage = 500, kMaxLogText = 4096, kMaxName = 200, kMaxFact = 2048;

// validText() without leading and trailing blanks.
std::string cleanText(std::string_view text, std::size_t most);

// A command line or a setting without the values of secret-looking arguments, "--hub_token=***", "--api_key ***", and without secrets in
// URLs.
std::string withoutSecrets(std::string_view text);

}  // namespace runglass::train_log
