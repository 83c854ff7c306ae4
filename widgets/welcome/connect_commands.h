// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that bring a cluster's metrics to a hub on this host, as a person would paste them, with token and TLS where the wire needs
// them.
//
// Threading:  pure.
// Ownership:  values.
// Units:      none.
// Errors:     none: whatever the answers are, words of a shell are quoted.
// Cost:       a few strings.
#pragma once

#include <QString>
#include <vector>

namespace runglass {

enum class TrainersWhere : std::uint8_t {
  kHere,    // on this machine
  kNodes,   // on nodes that reach this host
  kTunnel,  // on nodes that only ssh reaches
};

struct ConnectQuestion {
  TrainersWhere where = TrainersWhere::kHere;
  QString store;   // the .rgl file that the hub writes
  QString host;    // the name or address by which nodes reach this host
  QString folder;  // where token and certificate are kept
  int port = 7070;
};

// What the hub's options are, for a window that listens itself.
struct ListenOptions {
  QString store, listen, token_file, tls_cert, tls_key;
};
ListenOptions listenOptions(const ConnectQuestion& question);

struct CommandBlock {
  QString title;  // where to run it, in a few words
  QString text;   // lines for a shell, or Python
  QString note;   // may be empty
};

std::vector<CommandBlock> connectCommands(const ConnectQuestion& question);

}  // namespace runglass
