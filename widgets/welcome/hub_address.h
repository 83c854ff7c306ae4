// SPDX-License-Identifier: GPL-3.0-or-later
// HubAddress: the address of a hub and the credentials for it, as the user enters them: paths of files, never their content.
//
// Threading:  pure.
#pragma once

#include <QString>
#include <vector>

namespace runglass {

struct HubAddress {
  QString address;     // HOST:PORT or unix:PATH
  QString token_file;  // each of these: empty, or a file
  QString tls_ca, tls_cert, tls_key;
  friend bool operator==(const HubAddress&, const HubAddress&) = default;
};

struct KnownHubs {
  std::vector<HubAddress> hubs;  // hubs used here before, newest first
  QString folder;                // folder of the replica
};

// HOST:PORT with a valid port, [HOST]:PORT, or unix:PATH.
bool isHubAddress(const QString& text);

}  // namespace runglass
