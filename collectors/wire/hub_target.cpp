// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/hub_target.h"

#include <grpc/grpc.h>
#include <netdb.h>

namespace runglass {

std::string resolvableHost(const std::string& host) {
  if (host != "localhost") return host;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) return "127.0.0.1";
  freeaddrinfo(found);
  return host;
}

std::string hubTarget(const std::string& hub, grpc::ChannelArguments& arguments) {
  const std::size_t colon = hub.rfind(':');
  if (colon == std::string::npos) return hub;
  const std::string host = hub.substr(0, colon), resolvable = resolvableHost(host);
  if (resolvable == host) return hub;
  arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, hub);
  return resolvable + hub.substr(colon);
}

}  // namespace runglass
