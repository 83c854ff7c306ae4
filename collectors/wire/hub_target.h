// SPDX-License-Identifier: Apache-2.0
// What a hub's address is called on this host: localhost, where nothing knows the name.
//
// A bare container has neither /etc/hosts nor a name server; the name means loopback all the same (RFC 6761, section 6.3).
//
// Threading:  any.
// Ownership:  none.
// Units:      none.
// Errors:     none; other names are passed on as they are.
// Cost:       for "localhost" one getaddrinfo; otherwise none.
#pragma once

#include <grpcpp/support/channel_arguments.h>

#include <string>

namespace runglass {

// `host`, or 127.0.0.1 for a "localhost" that this host cannot resolve.
std::string resolvableHost(const std::string& host);

// What gRPC is to dial for HOST:PORT. A certificate is still held against the name that was given.
std::string hubTarget(const std::string& hub, grpc::ChannelArguments& arguments);

}  // namespace runglass
