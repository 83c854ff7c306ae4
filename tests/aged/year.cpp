// SPDX-License-Identifier: Apache-2.0
#include "tests/aged/year.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "storage/open_store.h"
#include "tests/bench/clock_day.h"

namespace runglass::aged {
namespace {

constexpr DurNs kMinute = 60 * kNsPerSecond, kHour = 60 * kMinute;
constexpr DurNs kStepEvery = 2 * kMinute, kSampleEvery = 30 * kMinute, kClockEvery = 6 * kHour, kEventEvery = 6 * kMinute;
constexpr DurNs kAway = 90 * kNsPerSecond;  // from the end of an attempt to the begin of the next one
constexpr int kRewind = 10;                 // steps

void check(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "aged: %s: %s\n", what, status.message().c_str());
  std::exit(2);
}

// As the trainer's library reports them for each node (collectors/client/facts.c).
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kNodeFacts = {{
    {"argv",
     "python pretrain_gpt.py --tensor-model-parallel-size 8 --pipeline-model-parallel-size 10 --num-layers 96 --hidden-size 12288 "
     "--num-attention-heads 96 --seq-length 4096 --micro-batch-size 1 --global-batch-size 2000 --train-iters 500000 --bf16"},
    {"cwd", "/lustre/users/train/megatron"},
    {"nics", "mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7"},
    {"env.NCCL_IB_HCA", "mlx5_0,mlx5_1,mlx5_2,mlx5_3,mlx5_4,mlx5_5,mlx5_6,mlx5_7"},
    {"env.NCCL_DEBUG", "WARN"},
    {"env.NCCL_IB_TIMEOUT", "22"},
    {"env.NCCL_SOCKET_IFNAME", "bond0"},
    {"env.CUDA_DEVICE_MAX_CONNECTIONS", "1"},
    {"env.OMP_NUM_THREADS", "8"},
    {"env.WORLD_SIZE", "10000"},
    {"env.LOCAL_WORLD_SIZE", "8"},
    {"env.MASTER_ADDR", "node-0000.cluster.internal"},
    {"env.PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"},
}};

}  // namespace

Job::Job(Writer& writer, const YearPlan& plan, TimeNs end, int attempt)
    : m_writer(writer), m_plan(plan), m_begin(end - plan.slices * plan.slice), m_now(m_begin), m_number(attempt) {
  m_run = m_writer.run({.uuid = "aged", .name = "aged", .time_domain = TimeDomain::kUtc, .state = RunState::kRunning, .start = m_begin});
  m_places.resize(static_cast<std::size_t>(plan.nodes));
  for (std::int32_t place = 0; place < plan.nodes; ++place) declareNode(place);
}

// A new node uuid: a place gets another one when its node is replaced.
void Job::declareNode(std::int32_t at) {
  Place& place = m_places[static_cast<std::size_t>(at)];
  place.uuid = "node-" + std::to_string(at) + "-" + std::to_string(m_replaced);
  place.node = m_writer.node({.uuid = place.uuid, .name = place.uuid, .state = NodeState::kAlive, .last_heard = m_now});
  place.devices.clear();
  place.gpu_uuids.clear();
  for (std::int32_t gpu = 0; gpu < kGpus; ++gpu) {
    char uuid[64];
    std::snprintf(uuid, sizeof uuid, "GPU-%016llx%016llx", static_cast<unsigned long long>(m_random()),
                  static_cast<unsigned long long>(m_random()));
    place.gpu_uuids += (gpu > 0 ? "," : "") + std::string(uuid);
    const DeviceId device = m_writer.device({.uuid = uuid, .node = place.node, .index = gpu, .kind = "gpu", .model = "simulated"});
    place.devices.push_back(device);
    const SeriesId power = m_writer.series({.node = place.node, .device = device, .metric = "power_watts"});
    if (gpu == 0) place.power = power;
  }
}

void Job::declareRanks() {
  for (std::int32_t at = 0; at < m_plan.nodes; ++at) {
    const Place& place = m_places[static_cast<std::size_t>(at)];
    for (const auto& [key, value] : kNodeFacts)
      m_writer.fact({.attempt = m_attempt, .node = place.node, .key = std::string(key), .value = std::string(value)});
    m_writer.fact({.attempt = m_attempt, .node = place.node, .key = "hostname", .value = place.uuid});
    m_writer.fact({.attempt = m_attempt, .node = place.node, .key = "gpu_uuids", .value = place.gpu_uuids});
    auto pid = static_cast<std::int32_t>(2'000 + m_random() % 4'000'000);
    for (std::int32_t gpu = 0; gpu < kGpus; ++gpu) {
      const std::int32_t rank = at * kGpus + gpu;
      m_writer.rank({.attempt = m_attempt,
                     .rank = rank,
                     .node = place.node,
                     .device = place.devices[static_cast<std::size_t>(gpu)],
                     .local_rank = gpu,
                     .pid = pid += static_cast<std::int32_t>(1 + m_random() % 3),
                     .tp = gpu,
                     .pp = at % 10,
                     .dp = at / 10,
                     .cp = 0,
                     .ep = 0});
    }
  }
}

void Job::restart() {
  if (m_attempt) {
    m_writer.attempt({.run = m_run, .key = std::to_string(m_number), .end = m_now - kAway, .end_cause = "hardware"});
    declareNode(static_cast<std::int32_t>(m_random() % static_cast<std::uint64_t>(m_plan.nodes)));
    ++m_replaced, ++m_number;
    m_step = std::max<std::int64_t>(0, m_step - kRewind);
  }
  m_attempt = m_writer.attempt({.run = m_run,
                                .key = std::to_string(m_number),
                                .start = m_now,
                                .resumed_from_step = m_step,
                                .layout = {.world = m_plan.ranks(), .tp = 8, .pp = 10, .dp = m_plan.nodes / 10}});
  declareRanks();
  m_step_times.clear(), m_step_parts.clear();
  const auto scalar = [&](std::optional<std::int32_t> rank, const char* metric, const char* labels) {
    return m_writer.series({.attempt = m_attempt, .rank = rank, .metric = metric, .labels = labels, .kind = SeriesKind::kScalar});
  };
  for (std::int32_t i = 0; i < m_plan.recording_ranks; ++i) {
    const std::int32_t rank = static_cast<std::int32_t>(std::int64_t{i} * m_plan.ranks() / m_plan.recording_ranks);
    m_step_times.push_back(scalar(rank, "step_time_ns", ""));
    m_step_parts.push_back(scalar(rank, "step_part_ns", R"({"part":"compute"})"));
  }
  m_loss = scalar({}, "lm loss", "");
}

void Job::samples(DurNs length) {
  std::vector<TimeNs> times;
  for (TimeNs t = m_now; t < m_now + length; t += kSampleEvery) times.push_back(t);
  std::vector<double> values(times.size());
  for (const Place& place : m_places) {
    for (double& value : values) value = static_cast<double>(400'000 + m_random() % 300'000) / 1000;
    m_writer.samples(place.power, times, values);
  }
}

void Job::steps(DurNs length) {
  std::vector<TimeNs> times;
  std::vector<std::int64_t> steps;
  for (TimeNs t = m_now; t < m_now + length; t += kStepEvery) times.push_back(t), steps.push_back(m_step++);
  std::vector<double> values(times.size());
  for (const auto* series : {&m_step_times, &m_step_parts})
    for (const SeriesId id : *series) {
      for (double& value : values) value = 4e9 + static_cast<double>(m_random() % 100'000'000);
      m_writer.scalars(id, steps, times, values);
    }
  for (double& value : values) value = 2 + static_cast<double>(m_random() % 1'000) / 1e4;
  m_writer.scalars(m_loss, steps, times, values);
}

void Job::rows(DurNs length) {
  int n = 0;
  for (TimeNs t = m_now; t < m_now + length; t += kEventEvery, ++n) {
    const Place& place = m_places[m_random() % m_places.size()];
    const bool warning = n % 20 == 0;
    m_writer.event({.time = t,
                    .attempt = m_attempt,
                    .node = warning ? place.node : NodeId(),
                    .step = m_step,
                    .kind = warning ? "xid" : "skipped_iteration",
                    .severity = warning ? Severity::kWarning : Severity::kInfo,
                    .code = warning ? "94" : "",
                    .message = "event " + std::to_string(n) + " of attempt " + std::to_string(m_number)});
    if (n % 20 == 10)
      m_writer.checkpoint({.attempt = m_attempt, .step = m_step - 400 + n, .begin = t, .durable = t + kMinute, .path = "/lustre/ckpt"});
  }
  for (int i = 0; i < 5; ++i) {
    const auto rank = static_cast<std::int32_t>(m_random() % static_cast<std::uint64_t>(m_plan.ranks()));
    Finding finding{.run = m_run,
                    .attempt = m_attempt,
                    .kind = "slow_rank",
                    .subject = "rank:" + std::to_string(rank),
                    .severity = i == 0 ? Severity::kWarning : Severity::kInfo};
    finding.start = m_now + i * kHour, finding.first_step = m_step - i, finding.rank = rank, finding.confidence = 0.9;
    finding.summary = "Rank " + std::to_string(rank) + " is 7.5 % slower than the median of its stage.";
    finding.evidence = R"({"excess_ns":300000000,"peers":79})";
    m_writer.finding(finding);
  }
}

void Job::clocks(DurNs length) {
  for (std::size_t i = 0; i < m_places.size(); ++i)
    for (TimeNs t = m_now; t < m_now + length; t += kClockEvery)
      m_writer.clock({.node = m_places[i].node,
                      .session = "0123456789abcdef",
                      .raw = t,
                      .offset = ClockDay::offsetOf(i, t, m_begin),
                      .error = 150'000 + static_cast<DurNs>(m_random() % 150'000),
                      .source = "session"});
}

void Job::moment() {
  const TimeNs now = m_now;
  for (const Place& place : m_places) m_writer.sample(place.power, now, 512.25);
  for (const SeriesId id : m_step_times) m_writer.scalar(id, m_step, now, 4.1e9);
  for (const SeriesId id : m_step_parts) m_writer.scalar(id, m_step, now, 3.1e9);
  m_writer.scalar(m_loss, m_step, now, 2.1);
  for (std::int32_t rank = 0; rank < m_plan.ranks(); ++rank)
    m_writer.progress({.attempt = m_attempt, .rank = rank, .time = now, .step = m_step, .phase = "steady", .op = "forward", .since = now});
  m_writer.event({.time = now, .attempt = m_attempt, .kind = "skipped_iteration"});
  ++m_step;
  m_now += kNsPerSecond;
}

void Job::slice() {
  const bool restarts = !m_attempt || std::int64_t{m_slices} * m_plan.attempts / m_plan.slices !=
                                          std::int64_t{m_slices - 1} * m_plan.attempts / m_plan.slices;
  if (restarts) restart();
  const DurNs length = m_plan.slice - kAway;
  samples(length), steps(length), rows(length), clocks(length);
  m_now += length;
  moment();
  check(m_writer.flush(), "cannot commit");
  m_now = m_begin + ++m_slices * m_plan.slice;
}

void buildYear(const std::string& path, const YearPlan& plan) {
  WriterOptions options;
  options.idle = 0;  // five minutes of this job take milliseconds here
  auto opened = openStore(path).writer(std::move(options));
  check(opened.status(), "cannot create the store");
  Writer& writer = **opened;
  Job job(writer, plan, wallNow());
  for (int slice = 0; slice < plan.slices; ++slice) {
    job.slice();
    check(writer.applyRetention({}, job.now()).status(), "retention");
  }
  check(writer.close(), "cannot close the store");
}

}  // namespace runglass::aged
