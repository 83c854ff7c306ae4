// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/admission.h"

namespace runglass {

grpc::Status authenticate(const grpc::CallbackServerContext& context, TokenBook& tokens, Acceptor& acceptor) {
  if (tokens.required()) {
    const auto header = context.client_metadata().find("authorization");
    const bool has = header != context.client_metadata().end();
    const std::string_view value = has ? std::string_view(header->second.data(), header->second.size()) : std::string_view();
    if (!tokens.check(value, addressOfPeer(context.peer()), monotonicNow()))
      return {grpc::StatusCode::UNAUTHENTICATED, "session: token is missing or not known to this hub"};
  }
  acceptor.authenticated(context.peer());
  return grpc::Status::OK;
}

grpc::Status wireStatus(const Status& status) { return {static_cast<grpc::StatusCode>(status.code()), status.message()}; }

}  // namespace runglass
