// SPDX-License-Identifier: Apache-2.0
// The complete path of a command: Control -> hub -> agent -> ring -> the tracer in a trainer, and back as spans and events in the store.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <random>
#include <set>

#include "collectors/agent/agent.h"
#include "collectors/hub/server/hub.h"
#include "collectors/wire/control_client.h"
#include "storage/open_store.h"
#include "tests/collectors/client/trainer_process.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CudaOrders : public testing::Test {
 protected:
  // Forks, so it comes before any thread of the test. Steps of about 22 ms, without kernels of its own.
  CudaOrders()
      : m_trainer([this] {
          setenv("RUNGLASS_DIR", m_rings.path().c_str(), 1);
          setenv("RUNGLASS_TRACE_EVERY", "0", 1);
          setenv("LD_PRELOAD", RG_TRACER, 1);
          execl(RG_BIN_DIR "/cuda_linked_probe", "cuda_linked_probe", "for", "20000", nullptr);
          _exit(126);
        }) {}
  void startHub() {
    auto started = Hub::start(m_store, {});
    ASSERT_TRUE(started.ok()) << started.status().message();
    m_hub = std::move(*started);
  }
  std::unique_ptr<Agent> startAgent(std::optional<std::set<OrderKind>> allowed = std::nullopt) {
    AgentOptions options;
    options.link.hub = m_hub->address();
    options.link.first_pause = 20 * kNsPerMs;
    options.seal_every = 5 * kNsPerMs;
    options.state_dir = m_folder.file("agent");
    options.node = {.uuid = "uuid-n0", .name = "n0"};
    options.orders = std::move(allowed);
    options.config = std::make_shared<toml::table>(
        toml::table{{"source", toml::table{{"client", toml::table{{"dirs", toml::array{m_rings.path()}}, {"poll_ms", 5}}}}}});
    for (const SourceEntry& entry : sources())
      if (entry.name == "client") options.sources.push_back(entry);
    auto agent = Agent::start(std::move(options));
    EXPECT_TRUE(agent.ok()) << agent.status().message();
    return agent.ok() ? std::move(*agent) : nullptr;
  }
  std::unique_ptr<Reader> reader() const {
    auto opened = openStore(m_store).reader(m_hub->readerOptions());
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return std::move(*opened);
  }
  std::optional<std::int64_t> newestStep() const {
    const auto now = reader();
    std::optional<std::int64_t> newest;
    const std::vector<runglass::Run> runs = *now->runs();
    for (const runglass::Run& run : runs) {
      const std::vector<Progress> progress = *now->progress(run.id);
      for (const Progress& one : progress)
        if (one.step) newest = std::max(newest.value_or(0), *one.step);
    }
    return newest;
  }
  Result<OrderOutcome> order(OrderKind kind, std::int64_t number = 0, const std::string& filter = "") {
    return ControlClient({.hub = m_hub->address()}).order({.kind = kind, .run = "told", .number = number, .filter = filter}, "");
  }
  // Steps that have a kernel's spans, by kernel.
  std::map<std::string, std::set<std::int64_t>> kernels() const {
    std::map<std::string, std::set<std::int64_t>> found;
    const auto now = reader();
    const std::vector<runglass::Run> runs = *now->runs();
    const std::vector<Attempt> attempts = *now->attempts(runs.at(0).id);
    const std::vector<Track> tracks = *now->tracks(attempts.at(0).id);
    for (const Track& track : tracks) {
      const SpanColumns spans = *now->spans(track.id, {});
      for (std::size_t i = 0; i < spans.size(); ++i)
        for (const char* kernel : {"scale", "add(float*, float*, int)", "triton_fused", "by_handle"})
          if (spans.names[spans.name[i]] == kernel) found[kernel].insert(spans.step[i]);
    }
    return found;
  }
  std::vector<std::string> orderEvents() const {
    std::vector<std::string> messages;
    const std::vector<Event> events = *reader()->events({.kind = "order"});
    for (const Event& event : events) messages.push_back(event.code + ": " + event.message);
    return messages;
  }

  RingDirectory m_rings;
  TrainerProcess m_trainer;
  TempFolder m_folder;
  std::string m_store = m_folder.file("s.rgl");
  std::unique_ptr<Hub> m_hub;
};

TEST_F(CudaOrders, MakeTheStepsAheadHaveKernelsAndStandInTheStore) {
  startHub();
  const auto agent = startAgent();
  ASSERT_TRUE(waitUntil([&] { return newestStep().value_or(0) > 5; }));
  EXPECT_THAT(kernels(), IsEmpty());
  const auto outcome = order(OrderKind::kTraceSteps, 3);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  ASSERT_THAT(outcome->answers, SizeIs(1));
  EXPECT_TRUE(outcome->answers[0].status.ok()) << outcome->answers[0].status.message();
  EXPECT_EQ(outcome->answers[0].node, "n0");
  EXPECT_THAT(outcome->answers[0].ranks, ElementsAre(0));
  ASSERT_TRUE(outcome->first_step.has_value());
  const std::int64_t first = *outcome->first_step;
  ASSERT_TRUE(waitUntil([&] { return newestStep().value_or(0) > first + 5; }));
  ASSERT_TRUE(waitUntil([&] { return kernels()["scale"].size() >= 3; }));
  for (const auto& [name, steps] : kernels()) EXPECT_THAT(steps, ElementsAre(first, first + 1, first + 2)) << name;
  EXPECT_THAT(orderEvents(), Contains(HasSubstr("trace_steps: trace 3 steps with kernels, from step " + std::to_string(first))));
  EXPECT_THAT(orderEvents(), Contains("trace_steps: n0: done, ranks 0"));
}

TEST_F(CudaOrders, AFilterKeepsOnlyTheKernelsItNamesAndALaterAgentKeepsTheOrders) {
  startHub();
  {
    const auto agent = startAgent();
    ASSERT_TRUE(waitUntil([&] { return newestStep().has_value(); }));
    const auto filtered = order(OrderKind::kTraceFilter, 0, "float*|trit");
    ASSERT_TRUE(filtered.ok()) << filtered.status().message();
    EXPECT_TRUE(filtered->answers.at(0).status.ok()) << filtered->answers[0].status.message();
    EXPECT_FALSE(filtered->first_step.has_value());
    EXPECT_TRUE(order(OrderKind::kTraceEvery, 2).ok());
    ASSERT_TRUE(waitUntil([&] { return kernels()["triton_fused"].size() >= 5; }));
    agent->stop();
  }
  auto found = kernels();
  EXPECT_THAT(found["scale"], IsEmpty());
  EXPECT_THAT(found["by_handle"], IsEmpty());
  EXPECT_GE(found["add(float*, float*, int)"].size(), 4u) << "named as people read it";
  for (const std::int64_t step : found["triton_fused"]) EXPECT_EQ(step % 2, 0);

  const auto agent = startAgent();
  const std::int64_t before = *newestStep();
  Result<OrderOutcome> widened = Status(Code::kUnavailable, "");
  ASSERT_TRUE(waitUntil([&] { return (widened = order(OrderKind::kTraceFilter)).ok() && widened->answers.at(0).status.ok(); }));
  ASSERT_TRUE(waitUntil([&] { return kernels()["scale"].size() >= 3; }));
  found = kernels();
  EXPECT_GT(*found["scale"].begin(), before);
  for (const std::int64_t step : found["scale"]) EXPECT_EQ(step % 2, 0) << "what the earlier agent was told still holds";
}

TEST_F(CudaOrders, WhatAnAgentDoesNotAllowIsRefusedAndNamedAndAnAgentThatIsAwayToo) {
  startHub();
  auto agent = startAgent(std::set{OrderKind::kTraceFilter});
  ASSERT_TRUE(waitUntil([&] { return newestStep().has_value(); }));
  const auto refused = order(OrderKind::kTraceSteps, 3);
  ASSERT_TRUE(refused.ok()) << refused.status().message();
  EXPECT_EQ(refused->answers.at(0).status.code(), Code::kPermissionDenied);
  EXPECT_THAT(orderEvents(), Contains(HasSubstr("not in this agent's [orders] allow")));
  EXPECT_TRUE(order(OrderKind::kTraceFilter, 0, "x")->answers.at(0).status.ok());
  EXPECT_EQ(order(OrderKind::kTraceSteps, 0).status().code(), Code::kInvalidArgument);
  const auto nobody = ControlClient({.hub = m_hub->address()}).order({.run = "nobody", .number = 1}, "");
  EXPECT_EQ(nobody.status().code(), Code::kNotFound);
  const auto rank = ControlClient({.hub = m_hub->address()}).order({.run = "told", .ranks = {77}, .number = 1}, "");
  ASSERT_TRUE(rank.ok());
  EXPECT_THAT(rank->answers.at(0).status.message(), HasSubstr("rank 77"));
  agent->stop();
  agent.reset();
  ASSERT_TRUE(waitUntil([&] { return m_hub->stats().agents == 0; }));
  const auto away = order(OrderKind::kTraceFilter, 0, "x");
  ASSERT_TRUE(away.ok()) << away.status().message();
  EXPECT_THAT(away->answers.at(0).status.message(), HasSubstr("not connected"));
}

TEST_F(CudaOrders, HostileOrdersDoNoHarmInATrainer) {
  const int ring = ::open(m_rings.ring().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(ring, 0);
  std::minstd_rand random(7);
  const auto noise = [&] {
    rgr_orders orders;
    auto* bytes = reinterpret_cast<unsigned char*>(&orders);
    for (std::size_t i = 0; i < sizeof(orders); ++i) bytes[i] = static_cast<unsigned char>(random() >> 8);
    return orders;
  };
  const auto write = [&](const rgr_orders& orders, std::size_t bytes) {
    ASSERT_EQ(pwrite(ring, &orders, bytes, RGR_ORDERS_AT), static_cast<ssize_t>(bytes));
  };
  const auto taken = [&] {
    rgr_tracer reported{};
    EXPECT_EQ(pread(ring, &reported, sizeof(reported), RGR_TRACER_AT), static_cast<ssize_t>(sizeof(reported)));
    return reported.taken;
  };
  // Noise is ignored completely, wherever it was cut.
  for (int i = 0; i < 300; ++i) {
    write(noise(), 1 + random() % sizeof(rgr_orders));
    usleep(1'000);
  }
  EXPECT_EQ(taken(), 0u);
  // A message with a valid checksum is limited to possible values.
  std::uint64_t newest = 0;
  for (int i = 0; i < 100; ++i) {
    rgr_orders orders = noise();
    if (i % 3 == 0) orders.filter_bytes = RGR_FILTER_BYTES;
    if (i % 5 == 0) orders.first_step = i % 2 == 0 ? INT64_MAX : INT64_MIN + 1;
    orders.check = rgr_orders_check(&orders);
    newest = orders.serial;
    write(orders, sizeof(orders));
    usleep(12'000);
  }
  EXPECT_TRUE(waitUntil([&] { return taken() == newest; })) << "the tracer lives";
  ::close(ring);
  EXPECT_EQ(::kill(m_trainer.pid(), 0), 0);
  int status = 0;
  EXPECT_EQ(waitpid(m_trainer.pid(), &status, WNOHANG), 0) << "the trainer lives";
}

}  // namespace
}  // namespace runglass::test
