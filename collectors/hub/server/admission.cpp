// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/server/admission.h"

namespace runglass {

Result<Pass> Admission::admit(const grpc::CallbackServerContext& context, Scope scope) {
  const std::string name = context.peer();
  if (isOwnSocket(name)) return Pass{.scopes = kAllScopes};
  const std::shared_ptr<RelayPeer> peer = m_relay.find(name);
  if (!peer) return Status(Code::kUnavailable, "session: its connection has ended");
  AccessTable::Shown shown{.certificate = peer->certificate, .address = peer->address};
  const auto header = context.client_metadata().find("authorization");
  if (header != context.client_metadata().end()) shown.authorization = {header->second.data(), header->second.size()};
  RG_ASSIGN(Pass pass, m_access.check(shown, {wallNow(), monotonicNow()}));
  if (!m_relay.admit(*peer)) return Status(Code::kResourceExhausted, "session: its address has its number of connections");
  if (!pass.allows(scope))
    return Status(Code::kPermissionDenied, "session: what '" + pass.name + "' showed is good for " + scopeNames(pass.scopes) +
                                               ", not for " + scopeNames(static_cast<std::uint8_t>(scope)));
  return pass;
}

std::string Admission::peer(const grpc::CallbackServerContext& context) const {
  const std::string name = context.peer();
  const std::shared_ptr<RelayPeer> peer = m_relay.find(name);
  return peer ? peer->name : name;
}

bool Standing::holds() {
  constexpr DurNs kLookEvery = kNsPerSecond;
  const DurNs now = monotonicNow();
  if (now - m_looked < kLookEvery) return true;
  m_looked = now;
  return m_admission.holds(m_pass, now);
}

grpc::Status wireStatus(const Status& status) { return {static_cast<grpc::StatusCode>(status.code()), status.message()}; }

}  // namespace runglass
