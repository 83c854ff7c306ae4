// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/this_host.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <array>

namespace runglass {

QStringList namesOfThisHost() {
  QStringList names;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) names << QString::fromLocal8Bit(name.data());
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return names;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (one->ifa_addr->sa_family == AF_INET) {
      inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, text.data(), text.size());
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
      if (!IN6_IS_ADDR_LINKLOCAL(&address)) inet_ntop(AF_INET6, &address, text.data(), text.size());
    }
    if (text[0] != 0) names << QString::fromLatin1(text.data());
  }
  freeifaddrs(all);
  names.removeDuplicates();
  return names;
}

}  // namespace runglass
