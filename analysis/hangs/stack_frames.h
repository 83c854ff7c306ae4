// SPDX-License-Identifier: Apache-2.0
// Parses the frames of a captured stack, in the format of faulthandler, py-spy or gdb.
//
// Threading:  pure.
// Ownership:  frames borrow the text.
// Errors:     a text without frames gives none; an unparsable line is a frame with only a function.
// Cost:       O(text).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runglass {

struct StackFrame {
  std::string_view function, file, line;  // the file without its folder; "": unknown
};

// Innermost first, of one thread: the one that received the signal, else the main thread, else the first.
std::vector<StackFrame> stackFrames(std::string_view stack);
// "all_reduce (distributed_c10d.py:2501)"
std::string frameText(const StackFrame& frame);
// The innermost frame; "" where the thread has none.
std::string stackTop(std::string_view stack);

}  // namespace runglass
