// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/client/recent_rings.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "collectors/sources/client/process_identity.h"

namespace runglass {
namespace {

std::vector<std::string> recentFiles(const std::vector<std::string>& dirs) {
  std::vector<std::string> files;
  std::error_code error;
  for (const std::string& dir : dirs)
    for (const auto& entry : std::filesystem::directory_iterator(dir, error))
      if (entry.path().extension() == ".recent") files.push_back(entry.path());
  return files;
}

// Identifies a ring of this path: creating process and times.
std::string makingOf(const rgr_header& header) {
  return std::to_string(header.pid) + "/" + std::to_string(header.anchor_mono) + "/" + std::to_string(header.anchor_wall);
}

}  // namespace

void RecentRings::keepMarksIn(std::string path) {
  m_marks_path = std::move(path);
  std::ifstream file(m_marks_path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Key key;
    RecentRing::Mark mark;
    if (fields >> key.second >> mark.to >> mark.from >> std::ws && std::getline(fields, key.first)) m_marks[key] = mark;
  }
  m_saved = m_marks;
}

void RecentRings::saveMarks() {
  if (m_marks_path.empty() || m_marks == m_saved) return;
  const std::string draft = m_marks_path + ".new";
  {
    std::ofstream file(draft, std::ios::trunc);
    for (const auto& [key, mark] : m_marks)
      if (key.first.find('\n') == std::string::npos) file << key.second << ' ' << mark.to << ' ' << mark.from << ' ' << key.first << '\n';
    if (!file.flush()) return;  // a full disk: the previous marks stay
  }
  std::error_code error;
  std::filesystem::rename(draft, m_marks_path, error);
  if (!error) m_saved = m_marks;
}

void RecentRings::sweep(const std::vector<std::string>& dirs, const TellBad& bad) {
  const auto gone = [](const std::string& path) { return ::access(path.c_str(), F_OK) != 0; };
  std::erase_if(m_rings, [&](const auto& entry) { return gone(entry.first); });
  std::erase_if(m_marks, [&](const auto& entry) { return gone(entry.first.first); });
  saveMarks();
  for (const std::string& path : recentFiles(dirs)) {
    const auto ring = RecentRing::open(path);
    if (ring.ok()) {
      if (!(*ring)->alive() && (*ring)->age() >= m_keep) (*ring)->remove();
    } else if (ring.status().code() == Code::kInvalidArgument || ring.status().code() == Code::kPermissionDenied ||
               ring.status().code() == Code::kDataLoss) {
      bad(path, ring.status());
    }
  }
}

OrderQueue::Answer RecentRings::ship(const OrderQueue::Task& task, const std::vector<std::string>& dirs, Recorder& out,
                                     const SourceContext& context, DurNs until) {
  OrderQueue::Answer answer{.id = task.id, .status = {}, .ranks = {}, .note = {}};
  bool any = false;
  for (const std::string& path : recentFiles(dirs)) {
    auto opened = RecentRing::open(path);
    if (!opened.ok()) continue;  // reported by sweep()
    Run run;
    Attempt attempt;
    Rank rank;
    applyIdentity((*opened)->header().identity, run, attempt, rank);
    const std::vector<std::int32_t>& wanted = task.order.ranks;
    if ((!task.order.run.empty() && run.name != task.order.run) ||
        (!wanted.empty() && std::ranges::find(wanted, rank.rank) == wanted.end()))
      continue;
    any = true;
    std::unique_ptr<RecentRing>& ring = m_rings[path];
    const Key key(path, makingOf((ring ? ring : *opened)->header()));
    if (!ring) {
      ring = std::move(*opened);
      if (const auto known = m_marks.find(key); known != m_marks.end()) ring->resume(known->second);
    }
    const auto shipped = monotonicNow() >= until ? Result<RecentRing::Shipped>(Status(Code::kUnavailable, "no time is left to ship it"))
                                                 : ring->ship(out, context, task.order.number * kNsPerSecond);
    if (shipped.ok()) {
      m_marks[key] = ring->mark();
      answer.ranks.push_back(rank.rank);
    } else {
      const std::string text = "rank " + std::to_string(rank.rank) + ": " + shipped.status().message();
      answer.status =
          answer.status.ok() ? Status(shipped.status().code(), text) : Status(answer.status.code(), answer.status.message() + "; " + text);
    }
  }
  saveMarks();
  if (!any)
    answer.status = {Code::kNotFound, "no such rank of run '" + task.order.run + "' keeps its last seconds here: ask for keep_recent"};
  std::ranges::sort(answer.ranks);
  return answer;
}

}  // namespace runglass
