// SPDX-License-Identifier: Apache-2.0
// OTLP/HTTP around the requests: paths, encodings, and answers in the encoding of the request.
//
// Threading:  pure.
// Errors:     INVALID_ARGUMENT malformed; RESOURCE_EXHAUSTED larger than the limit: at most this much is unpacked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectors/hub/receivers/http_listener.h"
#include "collectors/hub/receivers/otlp/otlp_request.h"

namespace runglass {

// "/v1/metrics", "/v1/logs", "/v1/traces".
std::optional<OtlpSignal> otlpSignalOf(std::string_view path);

Result<std::string> unpackGzip(std::string_view packed, std::size_t most);

// An Export…ServiceResponse; `rejected` > 0: of partial success, with the reason.
std::string otlpResponse(OtlpSignal signal, bool json, std::int64_t rejected, const std::string& why);
// The answer to a request in JSON or protobuf: an error's text becomes a google.rpc.Status.
HttpReply otlpReply(HttpReply reply, bool json);

}  // namespace runglass
