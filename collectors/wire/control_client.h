// SPDX-License-Identifier: Apache-2.0
// ControlClient: asks a hub, whichever process it is in.
//
// Threading:  each call blocks until answered or out of patience: never on the GUI thread. One thread per object.
// Ownership:  a connection per call.
// Units:      ns.
// Errors:     UNAVAILABLE nobody answers there, UNAUTHENTICATED the token; else the hub's own Status. Messages name the address.
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
  std::string tls_ca, tls_cert, tls_key;  // PEM files; a CA turns TLS on
};

// A new connection to it, kept alive by pings that a hub expects. FAILED_PRECONDITION: it is on another machine and there is no CA.
Result<std::shared_ptr<grpc::Channel>> hubChannel(const ControlTarget& target);

class ControlClient {
 public:
  explicit ControlClient(ControlTarget target, DurNs patience = 10 * kNsPerSecond) : m_target(std::move(target)), m_patience(patience) {}
  // `store_uuid`: of the store that is meant; a hub of another one refuses. Empty: whichever it writes.
  Status edit(const Edit& edit, const std::string& store_uuid);
  // What each node said; the hub waits for its agents for some seconds.
  Result<OrderOutcome> order(const Order& order, const std::string& store_uuid);

 private:
  const ControlTarget m_target;
  const DurNs m_patience;
};

}  // namespace runglass
