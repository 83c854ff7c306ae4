// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/stack_clusters.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "analysis/hangs/communication_words.h"
#include "analysis/hangs/stack_frames.h"

namespace runglass {
namespace {

struct Cluster {
  std::vector<StackFrame> frames;  // of its first stack
  std::vector<std::int32_t> ranks;
};

bool same(const StackFrame& a, const StackFrame& b) { return a.function == b.function && a.file == b.file; }

// Whether the name of its innermost frame means waiting for other ranks.
bool communicates(const StackFrame& frame) {
  // Python's standard library: a rank that waits for data waits on a queue, a pipe or a socket.
  static constexpr std::array<std::string_view, 6> kOfData = {"socket.py", "ssl.py",    "connection.py",
                                                              "queue.py",  "queues.py", "threading.py"};
  if (frame.file.find("distributed") != std::string_view::npos) return true;
  return namesCommunication(frame.function) && std::ranges::find(kOfData, frame.file) == kOfData.end();
}

// The outermost frame of `of` that differs from `from`; its innermost frame if `of` is a prefix of `from`.
std::string parting(const std::vector<StackFrame>& of, const std::vector<StackFrame>& from) {
  std::size_t common = 0;
  while (common < of.size() && common < from.size() && same(of[of.size() - 1 - common], from[from.size() - 1 - common])) ++common;
  return frameText(of[common < of.size() ? of.size() - 1 - common : 0]);
}

}  // namespace

StackClusters clusterStacks(std::span<const RankStack> stacks) {
  StackClusters out;
  std::unordered_map<std::string, Cluster> clusters;
  for (const RankStack& stack : stacks) {
    std::vector<StackFrame> frames = stackFrames(stack.text);
    if (frames.empty()) continue;
    ++out.stacks;
    std::string key;
    for (const StackFrame& frame : frames) (((key += frame.function) += '\x1f') += frame.file) += '\n';
    Cluster& cluster = clusters[key];
    if (cluster.ranks.empty()) cluster.frames = std::move(frames);
    cluster.ranks.push_back(stack.rank);
  }
  if (clusters.empty()) return out;
  // Among clusters of equal size, the one with the lowest rank: equal stacks give equal text.
  const auto larger = [](const auto& a, const auto& b) {
    const Cluster &one = a.second, &other = b.second;
    return one.ranks.size() != other.ranks.size() ? one.ranks.size() < other.ranks.size() : one.ranks.front() > other.ranks.front();
  };
  const auto largest = std::ranges::max_element(clusters, larger);
  const Cluster& main = largest->second;
  out.largest = main.ranks;
  out.common = frameText(main.frames.front());
  const Cluster* first = nullptr;
  for (const auto& [key, cluster] : clusters) {
    if (&cluster == &main) continue;
    const std::string frame = parting(cluster.frames, main.frames);
    for (const std::int32_t rank : cluster.ranks) out.other.emplace(rank, frame);
    if (communicates(cluster.frames.front())) continue;
    out.suspects.insert(out.suspects.end(), cluster.ranks.begin(), cluster.ranks.end());
    if (first == nullptr || cluster.ranks.front() < first->ranks.front()) first = &cluster;
  }
  std::ranges::sort(out.suspects);
  if (static_cast<std::int64_t>(out.suspects.size()) * 3 > out.stacks) out.suspects.clear();
  if (!out.suspects.empty()) out.common = parting(main.frames, first->frames);
  return out;
}

}  // namespace runglass
