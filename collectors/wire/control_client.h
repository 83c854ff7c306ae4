// SPDX-License-Identifier: Apache-2.0
// ControlClient: sends edits and commands to a hub in any process.
//
// Threading:  each call blocks until the answer or a timeout: never on the GUI thread. One thread per object.
// Ownership:  a connection per call.
// Units:      ns.
// Errors:     UNAVAILABLE no hub at the address, UNAUTHENTICATED the token; else the hub's own Status. Messages include the address.
// Cost:       one connection per call.
#pragma once

#include <memory>
#include <string>

#include "model/edits.h"
#include "model/orders.h"
#include "model/result.h"

namespace grpc {
class Channel;
}

namespace runglass {

struct ControlTarget {
  std::string hub;                        // HOST:PORT or unix:PATH
  std::string token;                      // empty: none
  std::string tls_ca, tls_cert, tls_key;  // PEM files; a CA enables TLS
};

// A new connection to the target, kept alive by pings at the rate that a hub accepts. FAILED_PRECONDITION: it is on another machine and
// there is no CA.
Result<std::shared_ptr<grpc::Channel>> hubChannel(const ControlTarget& target);

class ControlClient {
 public:
  explicit ControlClient(ControlTarget target, DurNs patience = 10 * kNsPerSecond) : m_target(std::move(target)), m_patience(patience) {}
  // `store_uuid`: the hub refuses if it writes another store. Empty: any store.
  Status edit(const Edit& edit, const std::string& store_uuid);
  // Returns each node's answer; the hub waits some seconds for its agents.
  Result<OrderOutcome> order(const Order& order, const std::string& store_uuid);

 private:
  const ControlTarget m_target;
  const DurNs m_patience;
};

}  // namespace runglass
