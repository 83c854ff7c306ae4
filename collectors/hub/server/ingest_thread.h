// SPDX-License-Identifier: Apache-2.0
// IngestThread: the store writer's thread. Takes messages of all agents in order, journals batches in groups, acknowledges and records
// them. During a commit it continues to journal and acknowledge, and records afterwards.
//
// Threading:  push(), closed(), post(), commit(), stats() from any thread, never blocking; everything else happens on its own thread.
// Ownership:  owns the Writer.
// Units:      bytes.
// Errors:     see wire.* in the issue catalogue; while the journal cannot be written, or commits fail repeatedly, sessions are ended and
//             refused with UNAVAILABLE, and nothing is acknowledged.
// Cost:       memory <= queue_bytes for queued messages and those waiting for a commit, + the message that exceeds it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "collectors/hub/server/agent_link.h"
#include "collectors/hub/server/hub.h"
#include "collectors/hub/server/lease_table.h"
#include "collectors/hub/server/order_dispatcher.h"
#include "collectors/hub/server/received_batch.h"
#include "collectors/hub/server/recording.h"
#include "collectors/wire/journaled_session.h"
#include "collectors/wire/payload_budget.h"
#include "model/mutex.h"

namespace runglass {

inline constexpr std::uint32_t kProtoVersion = 1;
struct PayloadGlance;
class ReceivedLink;

class IngestThread {
 public:
  // What the store has of earlier hubs.
  struct Known {
    std::vector<Node> nodes;
    bool refused_data = false;  // the newest event about the cap is that data is refused
  };
  // `open`: a Reader of the file that `writer` writes, with its live tail.
  IngestThread(std::unique_ptr<Writer> writer, AnswerPool::OpenReader open, const HubOptions& options, const Known& known);
  ~IngestThread();

  // False: the queue is full; stop reading from this agent until its resumeReads() is called. The message was accepted all the same.
  bool push(std::shared_ptr<AgentLink> link, v1::AgentMessage message);
  void closed(std::shared_ptr<AgentLink> link);
  void receive(ReceivedBatch batch);
  bool hasRoom() const;
  // Runs `action` in order; during a commit, after it.
  void post(std::function<void(Writer&)> action);
  // Commits everything posted or received before. `done` is called on this object's thread.
  void commit(std::function<void(const Status&)> done);
  // `done` is called on this object's thread, within twice OrderDispatcher::kPatience.
  void order(Order order, OrderDone done);
  // `done` as in order().
  void edit(Edit edit, std::function<void(const Status&)> done);
  // Ends every session with `status` once all messages pushed before are journaled and acknowledged; returns then or at the timeout.
  void finishAll(const Status& status, DurNs timeout);
  // Stores the queue and closes the store.
  Status stop();

  HubStats stats() const;
  std::shared_ptr<const LiveTail> liveTail() const { return m_live_tail; }

 private:
  static constexpr std::size_t kMaxStreams = 16;
  static constexpr std::size_t kMaxSessions = 64;
  static constexpr int kMaxSpeaksFor = 4'096;

  // An (agent, session) on one connection.
  struct Inbound {
    std::string name;
    std::vector<StreamKey> keys;
    std::vector<std::uint64_t> next_seq;
    JournaledSession journaled;  // of all its streams
  };
  // Bytes that are part of a total for the lifetime of this object.
  class Share {
   public:
    explicit Share(std::size_t& total) : m_total(&total) {}
    Share(Share&& other) noexcept : m_total(other.m_total), m_bytes(std::exchange(other.m_bytes, 0)) {}
    Share& operator=(Share&&) = delete;
    ~Share() { *m_total -= m_bytes; }
    void add(std::size_t bytes) { m_bytes += bytes, *m_total += bytes; }
    std::size_t bytes() const { return m_bytes; }

   private:
    std::size_t* m_total;
    std::size_t m_bytes = 0;
  };
  struct Agent {
    std::shared_ptr<AgentLink> link;
    std::string uuid, node_uuid, node_name;
    std::string owner;                    // "node NAME" for a credential of one node, else "agent UUID": limits apply per owner
    std::vector<std::string> speaks_for;  // uuids of further nodes
    std::vector<std::shared_ptr<Inbound>> sessions;
    Share defined;    // bytes of definitions, of all sessions
    DurNs heard = 0;  // monotonic
    DurNs coarse_offset = 0;
    bool clock_counts = true;  // false: the clock is so wrong that its readings are ignored
    std::optional<ClockReading> clock;
    bool skew_reported = false;
    int claims = 0;  // lease claims since claims_since
    DurNs claims_since = 0;
    bool leases_refused = false;
    bool held_lease = false;
    DurNs joined = 0;  // monotonic
  };
  struct KnownNode {
    std::string name;
    TimeNs seen = 0;  // last connection of one of its agents
  };
  // A session of a receiver's sender.
  struct Received {
    std::shared_ptr<ReceivedLink> link;
    std::shared_ptr<Inbound> session;
  };
  struct Item {
    std::shared_ptr<AgentLink> link;
    // Actions without a Writer do not wait for a commit; monostate: closed.
    std::variant<v1::AgentMessage, ReceivedBatch, std::function<void(Writer&)>, std::function<void()>, std::monostate> what;
    TimeNs received = 0;
    DurNs received_mono = 0;
    std::size_t bytes = 0;
  };
  // A batch admitted and not yet journaled.
  struct Admitted {
    std::shared_ptr<AgentLink> link;
    std::shared_ptr<Inbound> session;
    std::uint32_t session_index = 0, stream = 0;
    std::uint64_t seq = 0;
    std::string payload;
    DurNs received_mono = 0;
  };

  void run();
  void handle(Item& item);
  void handleHello(const Item& item, const v1::Hello& hello);
  bool mayJoin(const Item& item, const v1::Hello& hello);
  bool hasRoomForNode(const std::string& only, TimeNs now);
  std::string identityProblem(const Item& item, const v1::Hello& hello);
  void reportSecondAgent(const Item& item, const Agent& agent);
  void claimIdentity(const Item& item, const v1::Hello& hello);
  void handleDefinitions(Agent& agent, const v1::Definitions& definitions);
  void refuseLargest();
  void handleBatch(const Item& item, Agent& agent, v1::Batch& batch);
  void handleReceived(ReceivedBatch& batch, DurNs received_mono);
  void handleHeartbeat(const Item& item, Agent& agent, const v1::Heartbeat& beat);
  void recordClock(Agent& agent, const v1::Heartbeat& beat);
  void drop(const std::shared_ptr<AgentLink>& link);
  void refuse(std::shared_ptr<AgentLink> link, const Status& status);
  std::string prefixOf(const Item& item, const Agent& agent, Inbound& session, const v1::Batch& batch, const PayloadGlance& glance);
  void storeAdmitted();
  void acknowledge();
  void failStore(const Status& status);
  void watchCommits();
  void watchCap();
  void keepUp();
  bool isCapped() const { return m_writer->journalBytes() > m_max_unstored; }
  void endSessions(const std::string& why);
  void recordAlive(const Item& item, const Agent& agent);
  void recordBatch(Inbound& session, std::uint32_t stream, std::uint64_t seq, std::string_view payload, Writer& writer);
  void recordChanges(std::vector<Liveness::Change> changes);
  void commitAsked();
  void tick();
  void keepToCap();
  bool unbindNodes(const std::string& name);
  bool retentionIsDue(DurNs now) const;
  void forgetOld();
  void grant();
  std::uint64_t credit() const;

  const HubOptions m_options;
  const std::size_t m_max_queue;      // bytes in the queue and waiting
  const std::int64_t m_max_unstored;  // bytes journaled and not stored; beyond, reading pauses until a commit
  std::unique_ptr<Writer> m_writer;
  std::shared_ptr<const LiveTail> m_live_tail;

  // Used by the ingest thread alone.
  std::size_t m_defined_bytes = 0;  // definitions of all agents
  std::map<AgentLink*, Agent> m_agents;
  std::map<std::string, Received> m_received;  // by sender
  std::shared_ptr<PayloadBudget::Hub> m_budget = std::make_shared<PayloadBudget::Hub>();
  std::map<std::string, std::shared_ptr<PayloadBudget>> m_budgets;  // by agent, or by node for a node's credential
  std::map<std::string, KnownNode> m_nodes;                         // by uuid
  std::vector<Admitted> m_admitted;
  std::size_t m_admitted_bytes = 0;
  struct Acknowledgement {
    std::shared_ptr<AgentLink> link;
    std::uint32_t session_index, stream;
    std::uint64_t next_seq;
  };
  std::vector<Acknowledgement> m_journaled;  // not acknowledged yet
  std::string m_refused;                     // why the last group was refused; empty: it was accepted
  std::string m_withheld;                    // why nothing is acknowledged until a commit succeeds; empty: batches are accepted
  std::vector<std::function<void(const Status&)>> m_commits;  // asked for and not begun
  Liveness m_liveness;
  LeaseTable m_leases;
  OrderDispatcher m_orders;
  bool m_full = false;  // too much waits for a commit: agents hold back their backlog
  DurNs m_last_tick = 0, m_next_retention = 0, m_silent_from = 0;
  std::int64_t m_since_retention = 0;  // bytes journaled
  bool m_cap_judged;                   // the Writer knows how much of the cap is used
  bool m_refused_data;                 // the newest event about the cap is that data is refused
  Status m_close_status;               // result of stop(), once the thread has ended

  mutable Mutex m_mutex;
  ConditionVariable m_wake;
  std::deque<Item> m_queue RG_GUARDED_BY(m_mutex);
  std::size_t m_queue_bytes RG_GUARDED_BY(m_mutex) = 0;    // not taken yet
  std::size_t m_waiting_bytes RG_GUARDED_BY(m_mutex) = 0;  // journaled, waiting for the end of a commit
  std::vector<std::shared_ptr<AgentLink>> m_parked RG_GUARDED_BY(m_mutex);
  bool m_capped RG_GUARDED_BY(m_mutex) = false;  // more than m_max_unstored
  bool m_stopping RG_GUARDED_BY(m_mutex) = false;
  bool m_commit_ran RG_GUARDED_BY(m_mutex) = false;
  HubStats m_stats RG_GUARDED_BY(m_mutex);

  Recording m_recording;  // used by the ingest thread alone; its callback takes the mutex
  std::thread m_thread;
};

}  // namespace runglass
