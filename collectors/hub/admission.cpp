// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/admission.h"

namespace runglass {

Result<Pass> Admission::admit(const grpc::CallbackServerContext& context, Scope scope) {
  const std::string peer = context.peer();
  if (isOwnSocket(peer)) return Pass{.scopes = kAllScopes};
  AccessBook::Shown shown{.address = addressOfPeer(peer)};
  const auto header = context.client_metadata().find("authorization");
  if (header != context.client_metadata().end()) shown.authorization = {header->second.data(), header->second.size()};
  const auto identity = context.auth_context();
  const auto certificates = identity ? identity->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME) : std::vector<grpc::string_ref>();
  if (!certificates.empty()) shown.certificate = {certificates.front().data(), certificates.front().size()};
  RG_ASSIGN(Pass pass, m_access.check(shown, {wallNow(), monotonicNow()}));
  m_acceptor.authenticated(peer);
  if (!pass.allows(scope))
    return Status(Code::kPermissionDenied, "session: what '" + pass.name + "' showed is good for " + scopeNames(pass.scopes) +
                                               ", not for " + scopeNames(static_cast<std::uint8_t>(scope)));
  return pass;
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
