// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that bring a cluster's metrics to a hub on this host, or this host to a cluster's hub, as a person would paste them, with
// certificates where the wire needs them. docs/operate/deploy.md tells of each what was tried.
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
  kHere,        // on this machine
  kNodes,       // on nodes that reach this host
  kTunnel,      // on nodes that only ssh reaches
  kSlurm,       // in jobs of Slurm, this host being the hub's
  kKubernetes,  // in pods, the hub too
  kBehind,      // on a cluster whose hub listens in a socket behind a bastion
};

struct ConnectQuestion {
  TrainersWhere where = TrainersWhere::kHere;
  QString store;   // the .rgl file that the hub writes
  QString host;    // the name or address by which nodes reach this host
  QString folder;  // where certificates are kept
  int port = 7070;
};

// What the hub's options are, for a window that listens itself.
struct ListenOptions {
  QString store, listen;
  QString trust;  // the folder that `runglassctl pair` made; empty: on loopback nothing is asked
};
ListenOptions listenOptions(const ConnectQuestion& question);
// The hub is this host's: a window here can be it.
bool hubIsHere(TrainersWhere where);
// Nodes come to this host by its name.
bool needsHost(TrainersWhere where);

struct CommandBlock {
  QString title;  // where to run it, in a few words
  QString text;   // lines for a shell, or Python
  QString note;   // may be empty
};

std::vector<CommandBlock> connectCommands(const ConnectQuestion& question);

}  // namespace runglass
