// SPDX-License-Identifier: Apache-2.0
// Invariant: m_bytes counts every slice in m_stacks, and every stack holds a slice or an overflowed begin.
#include "collectors/importers/chrome_trace/open_slices.h"

#include <algorithm>
#include <tuple>

namespace runglass {
namespace {

std::size_t bytesOf(const OpenSlice& slice) {
  return sizeof(OpenSlice) + slice.pid.size() + slice.tid.size() + slice.name.size() + slice.category.size() + slice.args.size();
}

std::string keyOf(const TraceEvent& event) {
  std::string key(event.pid);
  return key.append(1, '\n').append(event.tid);
}

}  // namespace

void OpenSlices::begin(const TraceEvent& event, bool old) {
  OpenSlice slice{std::string(event.pid),
                  std::string(event.tid),
                  std::string(event.name),
                  std::string(event.category),
                  std::string(event.args),
                  event.ts,
                  old};
  const std::size_t bytes = bytesOf(slice);
  std::string key = keyOf(event);
  const auto known = m_stacks.find(key);
  const bool above_overflow = known != m_stacks.end() && known->second.overflowed > 0;
  if (above_overflow || m_bytes + bytes > kMaxBytes) {
    if (!old) ++m_overflowed;
    // A thread without kept begins needs no stack: its end is then unmatched, and no enclosing slice is ended by mistake.
    if (known != m_stacks.end()) ++known->second.overflowed;
    return;
  }
  m_bytes += bytes;
  (known != m_stacks.end() ? known->second : m_stacks[std::move(key)]).open.push_back(std::move(slice));
}

OpenSlices::End OpenSlices::end(const TraceEvent& event, OpenSlice& out) {
  const auto known = m_stacks.find(keyOf(event));
  if (known == m_stacks.end()) return End::kUnmatched;
  Stack& stack = known->second;
  if (stack.overflowed > 0) {
    --stack.overflowed;
    return End::kOverflowed;
  }
  std::size_t at = stack.open.size() - 1;
  if (!event.name.empty()) {
    const std::size_t lowest = stack.open.size() - std::min(stack.open.size(), kSearch);
    while (at > lowest && stack.open[at].name != event.name) --at;
    if (stack.open[at].name != event.name) return End::kUnmatched;
  }
  out = std::move(stack.open[at]);
  m_bytes -= bytesOf(out);
  stack.open.erase(stack.open.begin() + static_cast<std::ptrdiff_t>(at));
  if (stack.open.empty()) m_stacks.erase(known);
  return End::kMatched;
}

void OpenSlices::takeAll(const std::function<void(const OpenSlice&)>& take) {
  // In the order of their begins, so that the same file always gives the same result.
  std::vector<const OpenSlice*> all;
  for (const auto& [key, stack] : m_stacks)
    for (const OpenSlice& slice : stack.open) all.push_back(&slice);
  std::ranges::sort(all, [](const OpenSlice* a, const OpenSlice* b) {
    return std::tie(a->start, a->pid, a->tid, a->name) < std::tie(b->start, b->pid, b->tid, b->name);
  });
  for (const OpenSlice* slice : all) take(*slice);
  m_stacks.clear();
  m_bytes = 0;
}

std::string joinedArgs(std::string_view begin, std::string_view end) {
  const auto holds_keys = [](std::string_view object) { return object.find('"') != std::string_view::npos; };
  if (!holds_keys(end)) return std::string(begin);
  if (!holds_keys(begin)) return std::string(end);
  return std::string(begin.substr(0, begin.size() - 1)).append(1, ',').append(end.substr(1));
}

}  // namespace runglass
