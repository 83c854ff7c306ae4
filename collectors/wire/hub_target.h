// SPDX-License-Identifier: Apache-2.0
// Address of a hub as resolvable on this host: handles "localhost" where no name service knows it.
//
// A bare container has neither /etc/hosts nor a name server; the name means loopback all the same (RFC 6761, section 6.3).
//
// Threading:  any.
// Errors:     other names are passed on unchanged.
// Cost:       one getaddrinfo for "localhost"; otherwise none.
#pragma once

#include <grpcpp/support/channel_arguments.h>

#include <string>

namespace runglass {

// `host`, or 127.0.0.1 for a "localhost" that this host cannot resolve.
std::string resolvableHost(const std::string& host);

// The gRPC target for HOST:PORT. A certificate is still verified against the original name.
std::string hubTarget(const std::string& hub, grpc::ChannelArguments& arguments);

}  // namespace runglass
