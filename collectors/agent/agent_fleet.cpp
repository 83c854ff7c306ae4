// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/agent_fleet.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <thread>

#include "model/mutex.h"

namespace runglass {
namespace {

// Below the hub's limit of unauthenticated connections per address (HubOptions::max_unauthenticated_per_address).
constexpr std::size_t kConnectingAtOnce = 32;
constexpr DurNs kConnectPatience = 2 * kNsPerSecond;
constexpr auto kDrainLook = std::chrono::milliseconds(20);

// Log output of many agents on one standard error: a hub outage is one line, not hundreds.
class SharedVoice {
 public:
  explicit SharedVoice(std::function<void(const std::string&)> say) : m_say(std::move(say)) {}
  void say(const std::string& node, const std::string& line) {
    const MutexLock lock(m_mutex);
    const DurNs now = monotonicNow();
    std::erase_if(m_said, [now](const auto& said) { return now - said.second > kQuiet; });
    if (m_said.contains(line) || m_said.size() >= kMaxLines) {
      ++m_unsaid;
      return;
    }
    m_said[line] = now;
    m_say(node + ": " + line + (m_unsaid > 0 ? " (and " + std::to_string(m_unsaid) + " lines of other nodes before)" : ""));
    m_unsaid = 0;
  }

 private:
  static constexpr DurNs kQuiet = 10 * kNsPerSecond;
  static constexpr std::size_t kMaxLines = 8;  // within kQuiet
  std::function<void(const std::string&)> m_say;
  Mutex m_mutex;
  std::map<std::string, DurNs> m_said RG_GUARDED_BY(m_mutex);
  std::size_t m_unsaid RG_GUARDED_BY(m_mutex) = 0;
};

void inParallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < std::min<std::size_t>(count, 16); ++t)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

AgentOptions shareOf(const AgentOptions& whole, const Node& node, std::size_t members) {
  AgentOptions part = whole;
  part.node = node;
  part.state_dir = (whole.state_dir.empty() ? defaultStateDir() : whole.state_dir) + "/" + node.name;
  part.outbox.memory_bytes = std::max(AgentFleet::kMinShare, whole.outbox.memory_bytes / members);
  part.outbox.spool_bytes = std::max<std::uint64_t>(AgentFleet::kMinShare, whole.outbox.spool_bytes / members);
  return part;
}

Result<std::unique_ptr<AgentFleet>> AgentFleet::start(std::vector<AgentOptions> members) {
  std::unique_ptr<AgentFleet> fleet(new AgentFleet());
  if (members.empty()) return Status(Code::kInvalidArgument, "agents: none to start");
  const auto voice = std::make_shared<SharedVoice>(members.front().say);
  std::shared_ptr<Sealer> sealer;
  bool hub_answers = true;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i % kSharedBy == 0) sealer = std::make_shared<Sealer>();
    members[i].sealer = sealer;
    if (members.size() > 1) members[i].say = [voice, node = members[i].node.name](const std::string& line) { voice->say(node, line); };
    RG_ASSIGN(auto agent, Agent::start(std::move(members[i])));
    fleet->m_agents.push_back(std::move(agent));
    if (fleet->m_agents.size() % kConnectingAtOnce != 0) continue;
    // Without a hub, start without waiting.
    for (const DurNs end = monotonicNow() + kConnectPatience; hub_answers && !fleet->m_agents.back()->connected();) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      hub_answers = monotonicNow() < end;
    }
  }
  return fleet;
}

AgentFleet::~AgentFleet() { (void)stop(0); }

bool AgentFleet::waitForRoom(std::size_t bytes, DurNs timeout) {
  const DurNs end = monotonicNow() + timeout;
  return std::ranges::all_of(
      m_agents, [&](const auto& agent) { return agent->waitForRoom(bytes / m_agents.size(), std::max<DurNs>(0, end - monotonicNow())); });
}

bool AgentFleet::drain(DurNs patience, const std::stop_token& stop) const {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (DurNs end = 0; !stop.stop_requested(); std::this_thread::sleep_for(kDrainLook)) {
    std::size_t left = 0;
    for (const auto& agent : m_agents) left += agent->outbox().waitingBytes();
    if (left == 0) return true;
    const DurNs now = monotonicNow();
    if (left >= least && now > end) return false;
    if (left < least) end = now + patience;
    least = std::min(least, left);
  }
  return false;
}

bool AgentFleet::stop(DurNs patience) {
  const DurNs end = monotonicNow() + patience;
  std::atomic<bool> all_taken = true;
  inParallel(m_agents.size(), [&](std::size_t i) {
    if (!m_agents[i]->stop(std::max<DurNs>(0, end - monotonicNow()))) all_taken = false;
  });
  return all_taken;
}

}  // namespace runglass
