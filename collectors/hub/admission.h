// SPDX-License-Identifier: Apache-2.0
// Admission: whether a call may be heard at all, the same for agents and people.
//
// Threading:  gRPC's callback threads.
// Ownership:  borrows.
// Units:      none.
// Errors:     UNAUTHENTICATED without a token that this hub knows.
// Cost:       as TokenBook::check().
#pragma once

#include <grpcpp/grpcpp.h>

#include "collectors/hub/acceptor.h"
#include "collectors/hub/credentials.h"

namespace runglass {

grpc::Status authenticate(const grpc::CallbackServerContext& context, TokenBook& tokens, Acceptor& acceptor);
grpc::Status wireStatus(const Status& status);

}  // namespace runglass
