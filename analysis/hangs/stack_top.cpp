// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/stack_top.h"

namespace runglass {

std::string stackTop(std::string_view stack) {
  std::size_t at = stack.find("Current thread");
  if (at == std::string_view::npos) at = stack.find("\"MainThread\"");
  if (at == std::string_view::npos) at = stack.find("hread ");
  if (at == std::string_view::npos || (at = stack.find('\n', at)) == std::string_view::npos) return {};
  std::string_view line = stack.substr(at + 1, stack.find('\n', at + 1) - at - 1);
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == 0 || begin == std::string_view::npos) return {};  // the thread has no frame
  line.remove_prefix(begin);
  // faulthandler: File "/a/b.py", line 12 in step
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = " in ";
  const std::size_t number = line.find(kLine), in = line.find(kIn, number);
  if (!line.starts_with(kFile) || number == std::string_view::npos || in == std::string_view::npos) return std::string(line);
  std::string_view file = line.substr(kFile.size(), number - kFile.size());
  file.remove_prefix(file.rfind('/') + 1);  // without one, nothing
  const std::size_t digits = number + kLine.size();
  return std::string(line.substr(in + kIn.size())) + " (" + std::string(file) + ":" + std::string(line.substr(digits, in - digits)) + ")";
}

}  // namespace runglass
