// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/row_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "collectors/importers/input/run_name.h"

namespace runglass {
namespace {

struct Lane {
  std::string_view name, kind;
};
// StragglerAnalysis numbers its lanes in this order: tid = rank * 5 + lane.
constexpr std::array kStragglerLanes = {Lane{"compute", "compute"}, Lane{"pp-comm", "pp_comm"}, Lane{"tp-comm", "tp_comm"},
                                        Lane{"dp-comm", "dp_comm"}, Lane{"misc", "misc"}};
constexpr std::array kTimelineLanes = {
    Lane{"main", "compute"},          Lane{"pp ->", "pp_forward"},      Lane{"pp <-", "pp_backward"}, Lane{"pp send/recv", "pp_comm"},
    Lane{"tp collective", "tp_comm"}, Lane{"dp collective", "dp_comm"}, Lane{"other", "misc"}};

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::optional<std::int32_t> stragglerRank(std::string_view tid, std::string_view lane) {
  const auto found = std::ranges::find(kStragglerLanes, lane, &Lane::name);
  std::int32_t number = 0;
  const auto parsed = std::from_chars(tid.data(), tid.data() + tid.size(), number);
  if (found == kStragglerLanes.end() || parsed.ec != std::errc() || parsed.ptr != tid.data() + tid.size() || number < 0)
    return std::nullopt;
  constexpr auto kLanes = static_cast<std::int32_t>(kStragglerLanes.size());
  if (number % kLanes != found - kStragglerLanes.begin()) return std::nullopt;
  return number / kLanes;
}

// The number in "rank 3" or "rank[3]" whose first letter is at `at`; `end` is the position after it.
std::optional<std::int32_t> numberOfRank(std::string_view text, std::size_t at, std::size_t& end) {
  if (text.substr(at, 4) != "rank") return std::nullopt;
  std::size_t digits = at + 4;
  while (digits < text.size() && (text[digits] == ' ' || text[digits] == '[' || text[digits] == '_' || text[digits] == '-')) ++digits;
  std::int32_t rank = 0;
  const auto parsed = std::from_chars(text.data() + digits, text.data() + text.size(), rank);
  if (parsed.ec != std::errc() || rank < 0) return std::nullopt;
  end = static_cast<std::size_t>(parsed.ptr - text.data());
  if (end < text.size() && text[end] == ']') ++end;
  return rank;
}

std::optional<std::int32_t>* axisBefore(std::string_view text, std::size_t rank, RowMeaning& meaning) {
  if (rank < 3 || (text[rank - 1] != ' ' && text[rank - 1] != '_') || (rank > 3 && isWord(text[rank - 4]))) return nullptr;
  const std::string_view axis = text.substr(rank - 3, 2);
  return axis == "tp"   ? &meaning.at.tp
         : axis == "pp" ? &meaning.at.pp
         : axis == "dp" ? &meaning.at.dp
         : axis == "cp" ? &meaning.at.cp
         : axis == "ep" ? &meaning.at.ep
                        : nullptr;
}

std::string keyOf(std::string_view pid, std::string_view tid) {
  std::string key(pid);
  return key.append(1, '\n').append(tid);
}

}  // namespace

RowMeaning meaningOf(std::string_view name) {
  RowMeaning meaning;
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::size_t rest = 0;
  for (std::size_t at = text.find("rank"); at != std::string::npos; at = text.find("rank", at + 4)) {
    std::optional<std::int32_t>* field = axisBefore(text, at, meaning);
    if (field == nullptr && at > 0 && isWord(text[at - 1])) continue;
    if (field == nullptr) field = &meaning.rank;
    if (const auto number = numberOfRank(text, at, rest); number && !*field) *field = number;
  }
  while (rest > 0 && rest < text.size() && (text[rest] == ' ' || text[rest] == ',')) ++rest;
  meaning.lane = text.substr(std::min(rest, text.size()));
  return meaning;
}

std::string_view kindOfLane(std::string_view lane) {
  if (const auto found = std::ranges::find(kStragglerLanes, lane, &Lane::name); found != kStragglerLanes.end()) return found->kind;
  if (const auto found = std::ranges::find(kTimelineLanes, lane, &Lane::name); found != kTimelineLanes.end()) return found->kind;
  return {};
}

void RowNames::nameProcess(std::string_view pid, std::string_view name) {
  if (m_processes.size() < kMaxNames || m_processes.contains(std::string(pid))) m_processes[std::string(pid)] = displayName(name);
}

void RowNames::nameThread(std::string_view pid, std::string_view tid, std::string_view name) {
  std::string key = keyOf(pid, tid);
  if (m_threads.size() < kMaxNames || m_threads.contains(key)) m_threads[std::move(key)] = displayName(name);
}

std::string_view RowNames::threadName(std::string_view pid, std::string_view tid) const {
  const auto thread = m_threads.find(keyOf(pid, tid));
  return thread != m_threads.end() ? std::string_view(thread->second) : std::string_view();
}

Row RowNames::row(std::string_view pid, std::string_view tid) const {
  const auto process = m_processes.find(std::string(pid));
  const auto thread = m_threads.find(keyOf(pid, tid));
  RowMeaning of_process, of_thread;
  if (process != m_processes.end()) of_process = meaningOf(process->second);
  if (thread != m_threads.end()) of_thread = meaningOf(thread->second);
  Row row;
  row.at = of_thread.at;
  const auto inherit = [](auto& own, const auto& other) {
    if (!own) own = other;
  };
  inherit(row.at.tp, of_process.at.tp), inherit(row.at.pp, of_process.at.pp), inherit(row.at.dp, of_process.at.dp);
  inherit(row.at.cp, of_process.at.cp), inherit(row.at.ep, of_process.at.ep);
  row.rank = of_thread.rank;
  if (!row.rank && of_thread.at.pp) row.rank = stragglerRank(tid, of_thread.lane);
  inherit(row.rank, of_process.rank);
  const bool placed = of_thread.rank || of_thread.at != Coordinates{};
  row.kind = placed ? kindOfLane(of_thread.lane) : std::string_view();
  if (!row.kind.empty()) {
    row.name = thread->second;
    return row;
  }
  row.kind = tid.empty() ? "process" : "thread";
  row.name = process != m_processes.end() ? process->second : displayName(pid);
  if (!tid.empty()) {
    if (!row.name.empty()) row.name += " / ";
    row.name += thread != m_threads.end() ? thread->second : displayName(tid);
  }
  if (row.name.empty()) row.name = "events";
  return row;
}

}  // namespace runglass
