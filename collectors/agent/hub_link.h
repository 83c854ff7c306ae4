// SPDX-License-Identifier: Apache-2.0
// HubLink: maintains the agent's stream to the hub and sends the outbox over it.
//
// Threading:  one thread; start(), stop(), connected() from outside.
// Ownership:  borrows the outbox.
// Units:      ns.
// Errors:     none reach the caller: it retries with growing, jittered backoff, and logs through `say` when the reason changes.
// Cost:       one copy of each payload.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "collectors/agent/outbox.h"
#include "collectors/sources/lease_claims.h"
#include "collectors/sources/order_queue.h"
#include "model/mutex.h"
#include "runglass/v1/ingest.pb.h"

namespace runglass {

struct HubLinkOptions {
  std::string hub;  // HOST:PORT
  // Read again for every connection: a renewed token or certificate needs no restart.
  std::string token_file;
  std::string tls_ca, tls_cert, tls_key;  // PEM; a CA enables TLS
  std::string agent_uuid, node_uuid, node_name;
  std::vector<std::string> speaks_for;  // uuids of further nodes whose commands this connection receives: a simulator's
  DurNs first_pause = 500 * kNsPerMs, longest_pause = 10 * kNsPerSecond;
  DurNs beat = 2 * kNsPerSecond;
  std::uint32_t proto_version = 1;
  // A hub that refuses the agent's uuid for `renew_after` has another agent of that uuid: renewUuid(), given the hub's reason, returns the
  // new one. Called on the link's thread. Empty: the link keeps retrying.
  std::function<std::string(const std::string& why)> renew_uuid;
  DurNs renew_after = 20 * kNsPerSecond;
};

class HubLink {
 public:
  HubLink(HubLinkOptions options, Outbox& outbox, LeaseClaims& leases, OrderQueue& orders, std::function<TimeNs()> now,
          std::function<void(const std::string&)> say);
  ~HubLink();

  Status start();  // INVALID_ARGUMENT: the token or a TLS file cannot be read
  // Sends the remaining batches for at most `patience`, says goodbye, ends. True if all are acknowledged.
  bool stop(DurNs patience);
  bool connected() const { return m_connected; }

 private:
  struct Session;
  struct Proof;
  Result<Proof> proof() const;
  void run();
  Status runSession();
  void sendWaiting(Session& session);
  bool sendBeat(Session& session);
  void takeOrder(const v1::Order& order);
  bool sendOrderResults(Session& session);
  void pause(DurNs length);
  void explain(const Status& status);
  bool tookNewUuid(const Status& status);

  HubLinkOptions m_options;
  Outbox& m_outbox;
  LeaseClaims& m_leases;
  OrderQueue& m_orders;
  std::function<TimeNs()> m_now;
  std::function<void(const std::string&)> m_say;
  std::atomic<bool> m_connected = false, m_stop = false;
  std::atomic<DurNs> m_deadline = 0;  // monotonic; of stop()
  Mutex m_mutex;
  ConditionVariable m_wake;
  Session* m_session RG_GUARDED_BY(m_mutex) = nullptr;  // so that stop() can cancel it
  bool m_done RG_GUARDED_BY(m_mutex) = false;
  std::string m_last_said;
  DurNs m_refused_since = 0;  // since when the hub refuses the uuid as another agent's; 0: it does not
  std::thread m_thread;
};

}  // namespace runglass
