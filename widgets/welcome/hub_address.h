// SPDX-License-Identifier: GPL-3.0-or-later
// HubAddress: where a hub is and what to show it, as a person enters it: paths, never what is in the files.
//
// Threading:  pure.
// Ownership:  values.
// Units:      none.
// Errors:     none.
// Cost:       none.
#pragma once

#include <QString>
#include <vector>

namespace runglass {

struct HubAddress {
  QString address;     // HOST:PORT or unix:PATH
  QString token_file;  // these: empty, or a file
  QString tls_ca, tls_cert, tls_key;
  friend bool operator==(const HubAddress&, const HubAddress&) = default;
};

struct KnownHubs {
  std::vector<HubAddress> hubs;  // followed here before, newest first
  QString folder;                // where what comes is kept
};

// HOST:PORT with a port that there is, [HOST]:PORT, or unix:PATH.
bool isHubAddress(const QString& text);

}  // namespace runglass
