// SPDX-License-Identifier: GPL-3.0-or-later
// A store with a lost GPU, the resulting hang, a slow rank, and people who edit its incidents, for tests of the view `incidents`.
//
// Threading:  GUI thread; Readers on the service's workers.
// Ownership:  the fixture removes its store.
// Units:      the run begins at kBegin; steps of a second.
// Errors:     a failure here fails the test.
// Cost:       milliseconds.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/storage/sample_store.h"
#include "tests/widgets/offscreen.h"
#include "widgets/core/view.h"

namespace runglass {

// Makes edits with the store's writer, like a hub; counts them and may refuse.
class StoreEditPort : public EditPort {
 public:
  explicit StoreEditPort(Writer& writer) : m_writer(writer) {}
  QString refusal() const override { return refused; }
  void submit(Edit edit, QObject* context, std::function<void(const Status&)> done) override {
    if (before) std::exchange(before, {})();
    Status status = answer.ok() ? m_writer.edit(edit) : std::exchange(answer, {});
    edits.push_back(std::move(edit));
    QMetaObject::invokeMethod(
        context, [done = std::move(done), status] { done(status); }, Qt::QueuedConnection);
  }
  QString refused;
  Status answer;                 // not OK: returned for the next edit
  std::function<void()> before;  // called once before the next edit: a competing edit
  std::vector<Edit> edits;

 private:
  Writer& m_writer;
};

class StoreSharePort : public SharePort {
 public:
  explicit StoreSharePort(std::string store) : m_store(std::move(store)) {}
  void shareIncident(const std::string& uuid, const std::string& to, std::stop_token stop, QObject* context,
                     std::function<void(std::int64_t)> written, std::function<void(const Result<std::int64_t>&)> done) override {
    const Status status = exportIncident(m_store, uuid, kIncidentMargin, to, {.stop = std::move(stop), .written = std::move(written)});
    const Result<std::int64_t> answer =
        status.ok() ? Result<std::int64_t>(static_cast<std::int64_t>(std::filesystem::file_size(to))) : Result<std::int64_t>(status);
    QMetaObject::invokeMethod(
        context, [done = std::move(done), answer] { done(answer); }, Qt::QueuedConnection);
  }

 private:
  const std::string m_store;
};

class IncidentStoreTest : public ::testing::Test {
 protected:
  static constexpr TimeNs kBegin = 1'700'000'000LL * kNsPerSecond;
  static constexpr TimeNs at(std::int64_t seconds) { return kBegin + seconds * kNsPerSecond; }

  IncidentStoreTest() {
    nodes = {writer->node({.uuid = "m-1", .name = "n1", .rack = "r1", .state = NodeState::kAlive}),
             writer->node({.uuid = "m-2", .name = "n2", .rack = "r2", .state = NodeState::kAlive})};
    run = writer->run({.uuid = "run-1", .name = "pretrain", .state = RunState::kFinished, .start = at(0), .end = at(4'000)});
    attempt =
        writer->attempt({.run = run, .key = "0", .start = at(0), .end = at(4'000), .layout = {.world = 4, .tp = 1, .pp = 1, .dp = 4}});
    for (std::int32_t rank = 0; rank < 4; ++rank)
      writer->rank({.attempt = attempt, .rank = rank, .node = nodes[static_cast<std::size_t>(rank) / 2]});
    const SeriesId loss = writer->series({.attempt = attempt, .metric = "loss", .source = "train", .kind = SeriesKind::kScalar});
    for (std::int64_t step = 0; step < 4'000; ++step) writer->scalar(loss, step, at(step), 10.0 / (1.0 + static_cast<double>(step)));
    writer->event({.time = at(1'000),
                   .attempt = attempt,
                   .node = nodes[0],
                   .rank = 0,
                   .kind = "xid",
                   .severity = Severity::kCritical,
                   .code = "79",
                   .message = "GPU has fallen off the bus"});
    EXPECT_TRUE(writer->flush().ok());
  }
  // For the lost GPU with its hang, and for a slow rank on the other node half an hour later.
  void addFindings() {
    Finding lost{
        .run = run, .attempt = attempt, .kind = "hardware_fault", .subject = "device:GPU-0 xid 79", .severity = Severity::kCritical};
    lost.start = at(1'000), lost.first_step = 1'000, lost.node = nodes[0], lost.rank = 0, lost.confidence = 0.9;
    lost.summary = "GPU 0 of n1 (rank 0): Xid 79, GPU has fallen off the bus";
    lost.evidence = R"({"cause":"device","root":{"kind":"xid","code":"79"},"meaning":"GPU has fallen off the bus"})";
    writer->finding(lost);
    Finding hang{.run = run, .attempt = attempt, .kind = "hang", .subject = "attempt:0", .severity = Severity::kCritical};
    hang.start = at(1'010), hang.end = at(1'600), hang.first_step = 1'001, hang.summary = "Nothing moved for 10 min", hang.evidence = "{}";
    writer->finding(hang);
    Finding slow{.run = run, .attempt = attempt, .kind = "slow_rank", .subject = "rank:3", .severity = Severity::kWarning};
    slow.start = at(3'000), slow.end = at(3'500), slow.first_step = 3'000, slow.node = nodes[1], slow.rank = 3;
    slow.summary = "Rank 3 computes 20 % longer", slow.evidence = R"({"cost_ratio":0.2,"cause":"clock"})";
    writer->finding(slow);
    EXPECT_TRUE(writer->flush().ok());
  }
  Incident incidentOf(const std::string& uuid, const std::string& title, std::int64_t from, std::int64_t to) const {
    Incident one;
    one.uuid = uuid, one.title = title, one.run = run, one.attempt = attempt;
    one.range = TimeRange{at(from), at(to)};
    return one;
  }
  void addIncident(const Incident& incident) { EXPECT_TRUE(writer->incident(incident).ok()); }
  Incident stored(const std::string& uuid) {
    const auto reader = openStore(folder.file("s.rgl")).reader().value();
    const auto found = reader->incident(uuid);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() ? *found : Incident{};
  }
  std::vector<Incident> allStored() { return openStore(folder.file("s.rgl")).reader().value()->incidents(run).value(); }
  // A competing edit, between this view's reading and its edit.
  void elsewhere(const std::string& uuid, const std::function<void(Incident&)>& change) {
    IncidentEdit edit{.run_uuid = "run-1", .attempt = 0, .incident = stored(uuid)};
    change(edit.incident);
    EXPECT_TRUE(writer->edit(edit).ok());
  }
  ViewContext context() {
    return {.queries = &queries, .state = &shared, .clock = [] { return at(4'000); }, .edits = &edits, .share = &share};
  }

  test::TempFolder folder;
  std::unique_ptr<Writer> writer = openStore(folder.file("s.rgl")).writer().value();
  std::vector<NodeId> nodes;
  RunId run;
  AttemptId attempt;
  StoreEditPort edits{*writer};
  StoreSharePort share{folder.file("s.rgl")};
  SharedState shared;
  QueryService queries{[this]() -> Result<std::unique_ptr<Reader>> { return openStore(folder.file("s.rgl")).reader(); }, 1};
};

}  // namespace runglass
