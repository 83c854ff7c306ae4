// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Only the generator's thread calls the Recorders once it runs; polls and steps are read when it rests.
// 2. The k-th value of a series is valueOf(series, k): a lost, duplicated or misplaced sample is detected.
#include "tests/soak/soak_fleet.h"

#include <algorithm>
#include <array>

#include "tests/soak/fleet_values.h"

namespace runglass::soak {
namespace {

constexpr int kStepEvery = 4;  // polls

void inParallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

double Latency::ms(double share) {
  if (m_delays.empty()) return 0;
  const auto at = m_delays.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(m_delays.size() - 1));
  std::nth_element(m_delays.begin(), at, m_delays.end());
  return static_cast<double>(*at) / 1e6;
}

Fleet::Fleet(FleetPlan plan, const std::string& hub, const std::string& directory) : m_plan(std::move(plan)) {
  m_members.resize(static_cast<std::size_t>(m_plan.agents));
  inParallel(m_members.size(), [&](std::size_t i) { m_members[i] = join(static_cast<int>(i), hub, directory); });
}

Fleet::~Fleet() {
  rest();
  inParallel(m_members.size(), [&](std::size_t i) { m_members[i].reset(); });
}

std::unique_ptr<Fleet::Member> Fleet::join(int number, const std::string& hub, const std::string& directory) const {
  auto member = std::make_unique<Member>();
  const std::string name = m_plan.name + "-" + std::to_string(number);
  member->first_rank = number * m_plan.gpus;
  AgentOptions options;
  options.link.hub = hub;
  options.link.agent_uuid = name;
  options.link.token_file = m_plan.token_file;
  options.link.longest_pause = m_plan.longest_pause;
  options.node = {.uuid = name, .name = name};
  options.state_dir = directory + "/" + name;
  auto agent = Agent::start(std::move(options));
  if (!agent.ok()) {
    std::fprintf(stderr, "soak: %s\n", agent.status().message().c_str());
    std::exit(2);
  }
  member->agent = std::move(agent).value();
  Recorder& out = *(member->out = &member->agent->recorder());
  const NodeId node = out.node(member->agent->node());
  if (m_plan.training)
    member->attempt = out.attempt(
        {.run = out.run(
             {.uuid = m_plan.name, .name = m_plan.name, .time_domain = TimeDomain::kUtc, .state = RunState::kRunning, .simulated = true})});
  for (int gpu = 0; gpu < m_plan.gpus; ++gpu) {
    const DeviceId device =
        out.device({.uuid = deviceUuid(m_plan.name, number, gpu), .node = node, .index = gpu, .kind = "gpu", .model = "simulated"});
    for (int m = 0; m < m_plan.metrics; ++m)
      member->samples.push_back(out.series({.node = node, .device = device, .metric = metricName(m)}));
    if (!m_plan.training) continue;
    const std::int32_t rank = member->first_rank + gpu;
    out.rank({.attempt = member->attempt, .rank = rank, .node = node, .device = device, .local_rank = gpu});
    std::vector<SeriesId>& scalars = member->scalars.emplace_back();
    for (const ScalarName& name : scalarNames())
      scalars.push_back(out.series({.attempt = member->attempt,
                                    .rank = rank,
                                    .metric = name.metric,
                                    .labels = name.labels,
                                    .unit = "ns",
                                    .kind = SeriesKind::kScalar}));
  }
  return member;
}

void Fleet::pollBlock(Member& member) const {
  const auto block = static_cast<std::size_t>(m_plan.block);
  const std::int64_t first = member.polls * m_plan.block;
  std::vector<TimeNs> times(block);
  std::vector<double> values(block);
  if (member.first == 0) member.first = member.agent->now();
  for (std::size_t i = 0; i < block; ++i)
    times[i] = member.first + static_cast<TimeNs>(static_cast<double>(first + static_cast<std::int64_t>(i)) * 1e9 / m_plan.hertz);
  for (std::size_t s = 0; s < member.samples.size(); ++s) {
    for (std::size_t i = 0; i < block; ++i) values[i] = valueOf(s, first + static_cast<std::int64_t>(i));
    member.out->samples(member.samples[s], times, values);
  }
  ++member.polls;
}

void Fleet::poll(Member& member) const {
  if (m_plan.block > 1) return pollBlock(member);
  const TimeNs now = member.agent->now();
  const std::int64_t k = member.polls++;
  for (std::size_t s = 0; s < member.samples.size(); ++s) member.out->sample(member.samples[s], now, valueOf(s, k));
  if (!m_plan.training) return;
  for (int gpu = 0; gpu < m_plan.gpus; ++gpu)
    member.out->progress({.attempt = member.attempt,
                          .rank = member.first_rank + gpu,
                          .time = now,
                          .step = member.polls,
                          .phase = "steady",
                          .op = "forward",
                          .since = now});
  if (k % kStepEvery != 0) return;
  ++member.steps;
  for (const std::vector<SeriesId>& series : member.scalars)
    for (std::size_t i = 0; i < series.size(); ++i)
      member.out->scalar(series[i], member.steps, now, 1e9 * (1 + valueOf(4, member.steps) / static_cast<double>(i + 1)));
}

void Fleet::play(double times) {
  rest();
  m_times = times;
  m_stop = false;
  m_generator = std::thread([this] { run(); });
}

void Fleet::rest() {
  m_stop = true;
  if (m_generator.joinable()) m_generator.join();
}

// The members' polls are spread over the period, like those of machines that were not started together.
void Fleet::run() {
  constexpr DurNs kNap = 5 * kNsPerMs;
  const double spacing = 1e9 * m_plan.block / (m_plan.hertz * m_times * static_cast<double>(m_plan.agents));
  const DurNs began = monotonicNow();
  for (std::int64_t n = 0; !m_stop; ++n) {
    const DurNs due = began + static_cast<DurNs>(static_cast<double>(n) * spacing);
    const DurNs late = monotonicNow() - due;
    if (late < 0) std::this_thread::sleep_for(std::chrono::nanoseconds(std::max(-late, kNap)));
    if (late > m_worst_late) m_worst_late = late;
    poll(*m_members[static_cast<std::size_t>(n) % m_members.size()]);
  }
}

Latency Fleet::listen(double seconds, const std::function<bool()>& enough) {
  Latency latency;
  const DurNs end = monotonicNow() + static_cast<DurNs>(seconds * 1e9);
  while (true) {
    for (const auto& member : m_members) latency.add(member->agent->outbox().takeAckDelays());
    const DurNs left = end - monotonicNow();
    if (left <= 0 || (enough && enough())) return latency;
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min<DurNs>(left, 100 * kNsPerMs)));
  }
}

int Fleet::connected() const {
  return static_cast<int>(std::ranges::count_if(m_members, [](const auto& member) { return member->agent->connected(); }));
}

double Fleet::silence() const {
  DurNs oldest = monotonicNow();
  for (const auto& member : m_members) oldest = std::min(oldest, member->agent->outbox().newestAcknowledged());
  return static_cast<double>(monotonicNow() - oldest) / 1e9;
}

bool Fleet::drained() const {
  return std::ranges::all_of(m_members, [](const auto& member) { return member->agent->outbox().spoolBytes() == 0; });
}

std::int64_t Fleet::recorded() const {
  std::int64_t points = 0;
  for (const auto& member : m_members) {
    points += member->polls * m_plan.block * static_cast<std::int64_t>(member->samples.size());
    for (const auto& series : member->scalars) points += member->steps * static_cast<std::int64_t>(series.size());
  }
  return points;
}

std::uint64_t Fleet::droppedBatches() const {
  std::uint64_t batches = 0;
  for (const auto& member : m_members) batches += member->agent->outbox().droppedBatches();
  return batches;
}

bool Fleet::waitFor(const std::function<bool()>& what, double seconds) const {
  const DurNs end = monotonicNow() + static_cast<DurNs>(seconds * 1e9);
  while (!what()) {
    if (monotonicNow() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

bool Fleet::leave(double seconds) {
  rest();
  const DurNs end = monotonicNow() + static_cast<DurNs>(seconds * 1e9);
  std::atomic<bool> all = true;
  inParallel(m_members.size(), [&](std::size_t i) {
    if (!m_members[i]->agent->stop(std::max<DurNs>(kNsPerSecond, end - monotonicNow()))) all = false;
  });
  return all;
}

}  // namespace runglass::soak
