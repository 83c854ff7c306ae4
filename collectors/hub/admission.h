// SPDX-License-Identifier: Apache-2.0
// Admission: whether a call may be heard at all, the same for agents and people.
//
// Threading:  gRPC's callback threads.
// Ownership:  borrows.
// Units:      none.
// Errors:     UNAUTHENTICATED who is not known to this hub; PERMISSION_DENIED who is, and may not do this.
// Cost:       as AccessBook::check().
#pragma once

#include <grpcpp/grpcpp.h>

#include "collectors/access/access_book.h"
#include "collectors/hub/acceptor.h"

namespace runglass {

class Admission {
 public:
  Admission(AccessBook& access, Acceptor& acceptor) : m_access(access), m_acceptor(acceptor) {}
  // Whoever comes by the hub's own socket in the file system is its owner, and asked for nothing.
  Result<Pass> admit(const grpc::CallbackServerContext& context, Scope scope);
  bool holds(const Pass& pass) { return m_access.holds(pass, {wallNow(), monotonicNow()}); }

 private:
  AccessBook& m_access;
  Acceptor& m_acceptor;
};

grpc::Status wireStatus(const Status& status);

}  // namespace runglass
