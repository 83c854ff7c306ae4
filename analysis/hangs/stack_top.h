// SPDX-License-Identifier: Apache-2.0
// Where a process was, in one line: the innermost frame of a captured Python stack.
//
// Threading:  pure.
// Ownership:  values.
// Units:      none.
// Errors:     none: a text without frames has no top.
// Cost:       O(text).
#pragma once

#include <string>
#include <string_view>

namespace runglass {

// "all_reduce (distributed_c10d.py:2501)" of a capture of kind "stack", as faulthandler or py-spy wrote it. The thread is the one that took
// the signal, else the main one, else the first. "" where it has no frame.
std::string stackTop(std::string_view stack);

}  // namespace runglass
