// SPDX-License-Identifier: Apache-2.0
// What a hub shows and asks of whoever connects, and the rule that nothing listens beyond this machine without TLS.
//
// Threading:  any thread.
// Ownership:  credentials own what they watch.
// Units:      none.
// Errors:     INVALID_ARGUMENT a file that cannot be used (names it, never its content); FAILED_PRECONDITION an unsafe combination.
// Cost:       a look at the certificate's files a second, so that a renewed one is shown without a restart.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "collectors/access/access_book.h"
#include "collectors/hub/hub.h"

namespace runglass {

// `local`: what is listened on can be reached from this machine only.
Result<std::shared_ptr<grpc::ServerCredentials>> serverCredentials(const HubOptions& options, const AccessBook& access, bool local);

}  // namespace runglass
