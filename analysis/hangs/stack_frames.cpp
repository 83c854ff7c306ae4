// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/stack_frames.h"

#include <algorithm>

namespace runglass {
namespace {

std::string_view withoutFolder(std::string_view path) { return path.substr(path.rfind('/') + 1); }  // unchanged without a folder

// `File "/a/b.py", line 12 in step`
bool readFaulthandler(std::string_view text, StackFrame& frame) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = " in ";
  const std::size_t number = text.find(kLine), in = text.find(kIn, number);
  if (!text.starts_with(kFile) || number == std::string_view::npos || in == std::string_view::npos) return false;
  const std::size_t digits = number + kLine.size();
  frame = {text.substr(in + kIn.size()), withoutFolder(text.substr(kFile.size(), number - kFile.size())), text.substr(digits, in - digits)};
  return true;
}

// `step (b.py:12)`
bool readPySpy(std::string_view text, StackFrame& frame) {
  const std::size_t open = text.rfind(" ("), colon = text.rfind(':');
  if (open == std::string_view::npos || !text.ends_with(')') || colon == std::string_view::npos || colon < open) return false;
  frame = {text.substr(0, open), withoutFolder(text.substr(open + 2, colon - open - 2)), text.substr(colon + 1, text.size() - colon - 2)};
  return true;
}

// `#3  0x00007f01 in poll () from /lib/libc.so`, `#4 run (n=3) at loop.c:7`: arguments and addresses are specific to the process.
bool readGdb(std::string_view text, StackFrame& frame) {
  if (!text.starts_with('#')) return false;
  text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.starts_with("0x"))
    if (const std::size_t in = text.find(" in "); in != std::string_view::npos) text.remove_prefix(in + 4);
  const std::size_t from = text.find(" from "), at = text.rfind(" at ");
  const std::string_view function = text.substr(0, text.find(" ("));
  std::string_view place;
  if (at != std::string_view::npos)
    place = text.substr(at + 4);
  else if (from != std::string_view::npos)
    place = text.substr(from + 6);
  const std::size_t colon = place.rfind(':');
  frame = {function, withoutFolder(place.substr(0, colon)), colon == std::string_view::npos ? std::string_view() : place.substr(colon + 1)};
  return true;
}

}  // namespace

std::vector<StackFrame> stackFrames(std::string_view stack) {
  std::size_t at = stack.find("Current thread");
  if (at == std::string_view::npos) at = stack.find("\"MainThread\"");
  if (at == std::string_view::npos) at = stack.find("hread ");
  std::vector<StackFrame> frames;
  if (at == std::string_view::npos) return frames;
  for (at = stack.find('\n', at); at != std::string_view::npos;) {
    const std::size_t end = stack.find('\n', at + 1);
    std::string_view text = stack.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
    at = end;
    const std::size_t begin = text.find_first_not_of(' ');
    const bool native = text.starts_with('#');
    if ((begin == 0 && !native) || begin == std::string_view::npos) break;  // end of the thread's frames
    text.remove_prefix(begin);
    StackFrame frame{.function = text, .file = {}, .line = {}};
    if (!readFaulthandler(text, frame) && !readGdb(text, frame)) (void)readPySpy(text, frame);
    frames.push_back(frame);
  }
  return frames;
}

std::string frameText(const StackFrame& frame) {
  std::string text(frame.function);
  if (frame.file.empty()) return text;
  text += " (" + std::string(frame.file);
  if (!frame.line.empty()) text += ":" + std::string(frame.line);
  return text + ")";
}

std::string stackTop(std::string_view stack) {
  const auto frames = stackFrames(stack);
  return frames.empty() ? std::string() : frameText(frames.front());
}

}  // namespace runglass
