// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A batch is acknowledged only after Writer::journal() (and syncJournal(), with power_safe) returned for it. Batches are recorded in
//    the order of journaling, and before the next commit begins.
// 2. A journal epoch can be decoded alone: the first batch of a session in an epoch has the session's whole dictionary in front of its
//    payload, every later one the additions since (protobuf payloads concatenate). Inbound::journaled counts those bytes.
// 3. storeAdmitted() and acknowledge() may end every session (if the store cannot be written): hold no reference into m_agents across them.
// 4. Only Recording uses the Writer, except for functions that are permitted during a commit.
#include "collectors/hub/server/ingest_thread.h"

#include <algorithm>
#include <future>
#include <limits>
#include <utility>

#include "collectors/hub/server/ingest_limits.h"
#include "collectors/hub/server/received_link.h"

namespace runglass {
namespace {

constexpr std::size_t kGroupBytes = 8U << 20;
constexpr DurNs kTick = 50 * kNsPerMs;
constexpr DurNs kReturn = 20 * kNsPerSecond;  // more than an agent's longest pause before it reconnects
constexpr DurNs kRetentionEvery = 60 * kNsPerSecond, kRetentionBudget = 200 * kNsPerMs;
constexpr DurNs kLastRetentionBudget = kNsPerSecond;          // a hub ends within 3 s
constexpr std::int64_t kCapShare = 80, kCapShareAtCap = 256;  // after this share of a store's cap, retention runs before its time
constexpr std::int64_t kCapShareOfQueue = 128, kCapShareUnstored = 80;

bool hasCap(const HubOptions& options) { return options.retention && options.retention->max_bytes > 0; }

// The data that arrives before and during a commit must fit into the tenth above the cap. Rows of a page's size take two pages: twice their
// bytes in the journal.
std::size_t maxQueue(const HubOptions& options) {
  if (!hasCap(options)) return options.queue_bytes;
  return std::min(options.queue_bytes, static_cast<std::size_t>(options.retention->max_bytes / kCapShareOfQueue));
}

}  // namespace

IngestThread::IngestThread(std::unique_ptr<Writer> writer, AnswerPool::OpenReader open, const HubOptions& options, const Known& known)
    : m_options(options),
      m_max_queue(maxQueue(options)),
      m_max_unstored(hasCap(options) ? options.retention->max_bytes / kCapShareUnstored : std::numeric_limits<std::int64_t>::max()),
      m_writer(std::move(writer)),
      m_live_tail(m_writer->liveTail()),
      m_liveness(options.liveness),
      // In a store without nodes no agent was tailing before this hub began.
      m_leases(known.nodes.empty() ? monotonicNow() - LeaseTable::kExpiry : monotonicNow()),
      m_orders(std::move(open), [this](std::function<void(Writer&)> action) { post(std::move(action)); }),
      m_cap_judged(!hasCap(options)),
      m_refused_data(known.refused_data),
      m_recording(*m_writer, [this] {
        const MutexLock lock(m_mutex);
        m_commit_ran = true;
        m_wake.notifyOne();
      }) {
  for (const Node& node : known.nodes) {
    m_liveness.expect(node, monotonicNow());
    m_nodes[node.uuid] = {node.name, node.last_heard.value_or(0)};
  }
  m_thread = std::thread([this] { run(); });
}

IngestThread::~IngestThread() { (void)stop(); }

bool IngestThread::push(std::shared_ptr<AgentLink> link, v1::AgentMessage message) {
  Item item{.link = std::move(link), .what = std::monostate(), .received = wallNow(), .received_mono = monotonicNow()};
  item.bytes = kSmall + message.ByteSizeLong();
  item.what = std::move(message);
  const MutexLock lock(m_mutex);
  m_queue_bytes += item.bytes;
  const bool room = !m_capped && m_queue_bytes + m_waiting_bytes < m_max_queue;
  if (!room) m_parked.push_back(item.link);
  m_queue.push_back(std::move(item));
  m_wake.notifyOne();
  return room;
}

void IngestThread::closed(std::shared_ptr<AgentLink> link) {
  const MutexLock lock(m_mutex);
  m_queue.push_back({.link = std::move(link), .what = std::monostate(), .received = wallNow(), .received_mono = monotonicNow()});
  m_wake.notifyOne();
}

void IngestThread::receive(ReceivedBatch batch) {
  Item item{.link = nullptr, .what = std::monostate(), .received = wallNow(), .received_mono = monotonicNow()};
  item.bytes = kSmall + batch.definitions.size() + batch.payload.size();
  item.what = std::move(batch);
  const MutexLock lock(m_mutex);
  m_queue_bytes += item.bytes;
  m_queue.push_back(std::move(item));
  m_wake.notifyOne();
}

bool IngestThread::hasRoom() const {
  const MutexLock lock(m_mutex);
  return !m_capped && m_queue_bytes + m_waiting_bytes < m_max_queue;
}

void IngestThread::post(std::function<void(Writer&)> action) {
  const MutexLock lock(m_mutex);
  m_queue.push_back({.link = nullptr, .what = std::move(action), .received = wallNow(), .received_mono = monotonicNow()});
  m_wake.notifyOne();
}

void IngestThread::commit(std::function<void(const Status&)> done) {
  std::function<void()> action = [this, done = std::move(done)] { m_commits.push_back(done); };
  const MutexLock lock(m_mutex);
  m_queue.push_back({.link = nullptr, .what = std::move(action), .received = wallNow(), .received_mono = monotonicNow()});
  m_wake.notifyOne();
}

void IngestThread::order(Order order, OrderDone done) {
  const auto peers = [this](Writer& writer) {
    std::vector<OrderDispatcher::Peer> all;
    for (const auto& [key, agent] : m_agents) {
      all.push_back({agent.link, writer.node({.uuid = agent.node_uuid})});
      for (const std::string& uuid : agent.speaks_for) all.push_back({agent.link, writer.node({.uuid = uuid})});
    }
    return all;
  };
  post([this, order = std::move(order), peers, done = std::move(done)](Writer&) { m_orders.place(order, peers, monotonicNow(), done); });
}

void IngestThread::edit(Edit edit, std::function<void(const Status&)> done) {
  post([this, edit = std::move(edit), done = std::move(done)](Writer& writer) {
    const auto* forget = std::get_if<AgentForget>(&edit);
    const bool unbound = forget != nullptr && unbindNodes(forget->name);
    const Status edited = writer.edit(edit);
    // A node can be known without a known agent.
    done(unbound && edited.code() == Code::kNotFound ? Status() : edited);
  });
}

void IngestThread::finishAll(const Status& status, DurNs timeout) {
  auto done = std::make_shared<std::promise<void>>();
  std::function<void()> action = [this, status, done] {
    acknowledge();
    m_orders.close();
    for (auto& [key, agent] : m_agents) agent.link->finish(status);
    m_received.clear();  // acknowledged above; later batches are refused
    done->set_value();
  };
  {
    const MutexLock lock(m_mutex);
    m_queue.push_back({.link = nullptr, .what = std::move(action), .received = wallNow(), .received_mono = monotonicNow()});
    m_wake.notifyOne();
  }
  (void)done->get_future().wait_for(std::chrono::nanoseconds(timeout));
}

Status IngestThread::stop() {
  m_orders.stopReading();
  {
    const MutexLock lock(m_mutex);
    m_stopping = true;
    m_wake.notifyOne();
  }
  if (m_thread.joinable()) m_thread.join();
  return m_close_status;
}

HubStats IngestThread::stats() const {
  const MutexLock lock(m_mutex);
  HubStats stats = m_stats;
  stats.queue_bytes = static_cast<std::int64_t>(m_queue_bytes + m_waiting_bytes);
  return stats;
}

void IngestThread::run() {
  bool stopping = false;
  while (!stopping) {
    std::deque<Item> items;
    std::vector<std::shared_ptr<AgentLink>> resumed;
    std::size_t bytes = 0;
    {
      MutexLock lock(m_mutex);
      const DurNs pause = m_recording.behind() ? 0 : kTick;
      m_wake.waitFor(lock, pause, [this]() RG_REQUIRES(m_mutex) { return !m_queue.empty() || m_stopping || m_commit_ran; });
      m_commit_ran = false;
      while (!m_queue.empty() && bytes < kGroupBytes) {
        bytes += m_queue.front().bytes;
        items.push_back(std::move(m_queue.front()));
        m_queue.pop_front();
      }
      stopping = m_stopping && m_queue.empty() && items.empty();
    }
    for (Item& item : items) handle(item);
    storeAdmitted();
    m_recording.work(bytes);
    commitAsked();
    // At once: data of one tick can be a tenth of a small cap.
    if (m_withheld.empty() && m_writer->capRefuses() == CapRefuses::kAll) watchCommits();
    keepUp();
    grant();
    {
      const MutexLock lock(m_mutex);
      ++m_stats.rounds;
      m_queue_bytes -= bytes;
      m_waiting_bytes = m_recording.waitingBytes();
      m_capped = isCapped();
      if (!m_capped && m_queue_bytes + m_waiting_bytes < m_max_queue / 2) resumed.swap(m_parked);
    }
    for (const auto& link : resumed) link->resumeReads();
    tick();
  }
  m_recording.settle();
  m_orders.close();
  keepToCap();
  m_close_status = m_writer->close();
  for (const auto& done : m_commits) done(m_close_status);
}

// Only at rest: a commit advances the marks of everything journaled, so that it must have recorded all of it.
void IngestThread::commitAsked() {
  if (m_commits.empty() || !m_recording.atRest()) return;
  m_recording.commit([asked = std::exchange(m_commits, {})](const Status& status) {
    for (const auto& done : asked) done(status);
  });
}

void IngestThread::storeAdmitted() {
  if (m_admitted.empty()) return;
  std::vector<Writer::JournalEntry> entries;
  entries.reserve(m_admitted.size());
  for (const Admitted& batch : m_admitted) entries.push_back({&batch.session->keys[batch.stream], batch.seq, batch.payload});
  Result<std::vector<Arrival>> arrivals = m_writer->journal(entries);
  if (!arrivals.ok()) return failStore(arrivals.status());
  m_refused.clear();
  // Journaled batches are recorded even if the journal's sync fails now and ends the sessions: when sent again they are duplicates.
  std::vector<Admitted> journaled = std::exchange(m_admitted, {});
  const std::size_t all_bytes = std::exchange(m_admitted_bytes, 0);
  for (const Admitted& batch : journaled) m_journaled.push_back({batch.link, batch.session_index, batch.stream, batch.seq + 1});
  if (!m_options.writer.power_safe) acknowledge();
  const DurNs received = journaled.back().received_mono;
  for (std::size_t i = 0; i < journaled.size(); ++i) {
    Admitted& batch = journaled[i];
    if ((*arrivals)[i] == Arrival::kDuplicate) continue;
    const std::size_t bytes = batch.payload.size();
    m_recording.add(bytes, [this, session = std::move(batch.session), stream = batch.stream, seq = batch.seq,
                            payload = std::move(batch.payload)](Writer& writer) { recordBatch(*session, stream, seq, payload, writer); });
  }
  const MutexLock lock(m_mutex);
  m_since_retention += static_cast<std::int64_t>(all_bytes);
  m_stats.bytes += static_cast<std::int64_t>(all_bytes);
  m_stats.lag = monotonicNow() - received;
}

void IngestThread::recordBatch(Inbound& session, std::uint32_t stream, std::uint64_t seq, std::string_view payload, Writer& writer) {
  const PayloadCounts counts = session.journaled.replay().play(payload, writer, &writer);
  if (const Status failed = writer.takeFailure(); !failed.ok()) writer.setAside(session.keys[stream], seq, payload, failed);
  const MutexLock lock(m_mutex);
  m_stats.samples += counts.samples;
  m_stats.spans += counts.spans;
  m_stats.records += counts.records;
  m_stats.bad_payloads += counts.intact ? 0 : 1;
  ++m_stats.batches;
}

// At once if an acknowledgement must survive a killed hub; if it must survive a power cut, grouped by tick() with one fdatasync.
void IngestThread::acknowledge() {
  const Status synced = m_writer->syncJournal();
  if (!synced.ok()) {
    if (!m_agents.empty() || !m_received.empty()) failStore(synced);
    m_journaled.clear();
    return;
  }
  if (m_journaled.empty()) return;
  const std::uint64_t credit_bytes = credit();
  for (const Acknowledgement& ack : m_journaled) ack.link->sendAck(ack.session_index, ack.stream, ack.next_seq, credit_bytes);
  m_journaled.clear();
}

// No batch of the group was journaled: its senders still have it and send it again after they reconnect. Storing queued records may free
// space: tick() commits them.
void IngestThread::failStore(const Status& status) {
  endSessions(status.message());
  m_recording.add(0, [why = status.message(), now = wallNow()](Writer& writer) {
    writer.issue({.code = "store.refused", .source = "hub", .first = now, .last = now, .detail = why});
  });
  m_refused = status.message();
  const MutexLock lock(m_mutex);
  m_stats.store_error = m_refused;
}

void IngestThread::endSessions(const std::string& why) {
  const Status ended(Code::kUnavailable, "store: cannot take data now: " + why);
  // Of receivers' senders too: whatever they have pending is in one of these.
  for (const Admitted& batch : m_admitted) batch.link->finish(ended);
  for (const Acknowledgement& ack : m_journaled) ack.link->finish(ended);
  m_admitted.clear();
  m_admitted_bytes = 0;
  m_journaled.clear();
  m_received.clear();
  for (auto& [key, agent] : m_agents) agent.link->finish(ended);
  m_agents.clear();
  const MutexLock lock(m_mutex);
  m_stats.agents = 0;
}

// While commits fail nothing is acknowledged: first with credit 0, at the next tick every session ends with UNAVAILABLE, and agents spool.
// The first successful commit ends this state.
void IngestThread::watchCommits() {
  const bool failing = m_recording.failures() >= m_options.max_failed_commits;
  const std::int64_t unstored = m_writer->journalBytes();
  const bool over = unstored > m_options.max_unstored_bytes;
  const bool was_withheld = !m_withheld.empty();
  m_withheld.clear();
  if (failing) {
    m_withheld = "commits fail: " + m_recording.status().message();
  } else if (over) {
    m_withheld = std::to_string(unstored >> 20) + " MiB are acknowledged and not stored";
    if (!m_recording.status().ok()) m_withheld += ": " + m_recording.status().message();
  } else if (m_writer->capRefuses() == CapRefuses::kAll) {
    m_withheld = "the store is at its cap (--max-store-gib), and nothing more may be deleted";
  }
  if (was_withheld && !m_withheld.empty() && (!m_agents.empty() || !m_received.empty())) return endSessions(m_withheld);
  if (was_withheld == m_withheld.empty())
    for (auto& [key, agent] : m_agents) agent.link->sendCredit(credit());
}

// Events, since alert rules are about events, and a later hub finds the newest one in the store.
void IngestThread::watchCap() {
  const bool refuses = m_writer->capRefuses() != CapRefuses::kNothing;
  if (refuses == m_refused_data || (!refuses && !m_cap_judged)) return;
  m_refused_data = refuses;
  m_recording.add(kSmall, [refuses, now = wallNow()](Writer& writer) {
    writer.event({.time = now,
                  .kind = refuses ? "store_full" : "store_has_room",
                  .severity = refuses ? Severity::kError : Severity::kInfo,
                  .message = refuses ? "the store is at its cap (--max-store-gib): new data is refused; while all of it is, no node is "
                                       "reported as lost"
                                     : "the store is below its cap again: all data is stored"});
  });
}

void IngestThread::tick() {
  const DurNs now = monotonicNow();
  if (now - m_last_tick < kTick) return;
  m_last_tick = now;
  acknowledge();
  // Refused agents that pause before they reconnect are not silent.
  if (!m_withheld.empty() || isCapped()) m_silent_from = now + kReturn;
  if (now >= m_silent_from) recordChanges(m_liveness.tick(now));
  if (m_recording.atRest()) {
    m_orders.tick(now, *m_writer);
    m_recording.commitIfDue();
    if (retentionIsDue(now) && m_recording.atRest()) forgetOld();
  }
  watchCommits();
  watchCap();
  const MutexLock lock(m_mutex);
  m_stats.store_error = !m_withheld.empty() ? m_withheld : !m_refused.empty() ? m_refused : m_recording.status().message();
}

bool IngestThread::retentionIsDue(DurNs now) const { return m_options.retention && now >= m_next_retention; }

// With a cap, in each round: data of one tick can be a tenth of a small cap. Reading pauses until the commit.
void IngestThread::keepUp() {
  if (!hasCap(m_options) || !m_recording.atRest() || m_recording.failures() > 0) return;
  const std::int64_t share = m_writer->capRefuses() == CapRefuses::kNothing ? kCapShare : kCapShareAtCap;
  if (isCapped())
    m_recording.commit([](const Status&) {});
  else if (m_since_retention >= m_options.retention->max_bytes / share)
    forgetOld();
}

void IngestThread::forgetOld() {
  m_since_retention = 0;
  Retention policy = *m_options.retention;
  policy.budget = kRetentionBudget;
  m_recording.forget(policy, wallNow(), [this](const Result<bool>& done, DurNs took) {
    // The rest continues after a pause of the same length, so that data received meanwhile is recorded and stored.
    m_next_retention = monotonicNow() + (done.ok() && !*done ? took : kRetentionEvery);
    m_cap_judged = m_cap_judged || (done.ok() && *done);
  });
}

// The last data is stored only now, and retention would not run again before the next start.
void IngestThread::keepToCap() {
  if (!m_options.retention || m_options.retention->max_bytes <= 0) return;
  Retention policy = *m_options.retention;
  policy.budget = kLastRetentionBudget;
  // close() reports failures of this.
  if (m_writer->flush().ok()) (void)m_writer->applyRetention(policy, wallNow());
}

// Half of the room for queued batches is reserved for live ones: when the other half is used, agents hold back their backlog.
void IngestThread::grant() {
  const std::size_t waiting = m_recording.waitingBytes();
  const bool was_full = std::exchange(m_full, waiting >= m_options.queue_bytes / (m_full ? 4 : 2));
  if (was_full == m_full) return;
  for (auto& [key, agent] : m_agents) agent.link->sendCredit(credit());
}

std::uint64_t IngestThread::credit() const {
  constexpr std::size_t kMin = 64U << 10, kMax = 8U << 20;
  if (m_full || !m_withheld.empty()) return 0;
  return std::clamp(m_options.queue_bytes / 4 / std::max<std::size_t>(1, m_agents.size()), kMin, kMax);
}

}  // namespace runglass
