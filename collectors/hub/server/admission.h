// SPDX-License-Identifier: Apache-2.0
// Admission: authentication and authorization of calls, the same for agents and users.
//
// Threading:  gRPC's callback threads.
// Ownership:  borrows.
// Errors:     UNAUTHENTICATED an unknown client; PERMISSION_DENIED a known client without the scope.
// Cost:       as AccessTable::check().
#pragma once

#include <grpcpp/grpcpp.h>

#include "collectors/hub/access/access_table.h"
#include "collectors/hub/server/relay.h"

namespace runglass {

class Admission {
 public:
  Admission(AccessTable& access, Relay& relay) : m_access(access), m_relay(relay) {}
  // A client on the hub's own Unix socket is its owner and needs no credentials.
  Result<Pass> admit(const grpc::CallbackServerContext& context, Scope scope);
  // Address of the client: "ipv4:10.0.0.7:4711", or "unix:" on the own socket.
  std::string peer(const grpc::CallbackServerContext& context) const;
  bool holds(const Pass& pass, DurNs now) { return m_access.holds(pass, {wallNow(), now}); }

 private:
  AccessTable& m_access;
  Relay& m_relay;
};

// The pass of a long-lived call, checked once a second, not at every message. One thread at a time.
class Standing {
 public:
  Standing(Admission& admission, Pass pass) : m_admission(admission), m_pass(std::move(pass)), m_looked(monotonicNow()) {}
  const Pass& pass() const { return m_pass; }
  bool holds();

 private:
  Admission& m_admission;
  const Pass m_pass;
  DurNs m_looked;
};

grpc::Status wireStatus(const Status& status);

}  // namespace runglass
