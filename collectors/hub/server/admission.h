// SPDX-License-Identifier: Apache-2.0
// Admission: whether a call may be heard at all, the same for agents and people.
//
// Threading:  gRPC's callback threads.
// Ownership:  borrows.
// Units:      none.
// Errors:     UNAUTHENTICATED who is not known to this hub; PERMISSION_DENIED who is, and may not do this.
// Cost:       as AccessTable::check().
#pragma once

#include <grpcpp/grpcpp.h>

#include "collectors/hub/access/access_table.h"
#include "collectors/hub/server/relay.h"

namespace runglass {

class Admission {
 public:
  Admission(AccessTable& access, Relay& relay) : m_access(access), m_relay(relay) {}
  // Whoever comes by the hub's own socket in the file system is its owner, and asked for nothing.
  Result<Pass> admit(const grpc::CallbackServerContext& context, Scope scope);
  // Who calls: "ipv4:10.0.0.7:4711", "unix:" by the own socket.
  std::string peer(const grpc::CallbackServerContext& context) const;
  bool holds(const Pass& pass, DurNs now) { return m_access.holds(pass, {wallNow(), now}); }

 private:
  AccessTable& m_access;
  Relay& m_relay;
};

// The pass of a call that goes on: whether it still counts is looked up once a second, not for every message. One thread at a time.
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
