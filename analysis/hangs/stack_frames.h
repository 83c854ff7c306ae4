// SPDX-License-Identifier: Apache-2.0
// A captured stack as frames, as faulthandler, py-spy or gdb wrote it.
//
// Threading:  pure.
// Ownership:  frames borrow the text.
// Units:      none.
// Errors:     none: a text without frames has none, and a line that cannot be read is a function by itself.
// Cost:       O(text).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace runglass {

struct StackFrame {
  std::string_view function, file, line;  // the file without its folder; "" not known
};

// Innermost first, of one thread: the one that took the signal, else the main one, else the first.
std::vector<StackFrame> stackFrames(std::string_view stack);
// "all_reduce (distributed_c10d.py:2501)"
std::string frameText(const StackFrame& frame);
// The innermost frame's; "" where the thread has none.
std::string stackTop(std::string_view stack);

}  // namespace runglass
