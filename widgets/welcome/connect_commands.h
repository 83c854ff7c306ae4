// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that connect a cluster's metrics to a hub on this host, or this host to a cluster's hub, ready to paste, with certificates
// where the connection needs them. docs/operate/deploy.md records how each was tested.
//
// Threading:  pure.
// Errors:     none: all user input is quoted for the shell.
#pragma once

#include <QString>
#include <vector>

namespace runglass {

enum class TrainersWhere : std::uint8_t {
  kHere,        // on this machine
  kNodes,       // on nodes that reach this host
  kTunnel,      // on nodes reachable only through ssh
  kSlurm,       // in Slurm jobs, with the hub on this host
  kKubernetes,  // in pods, including the hub
  kBehind,      // on a cluster whose hub listens on a socket behind a bastion
};

struct ConnectQuestion {
  TrainersWhere where = TrainersWhere::kHere;
  QString store;   // the .rgl file of the hub
  QString host;    // the name or address by which nodes reach this host
  QString folder;  // folder of the certificates
  int port = 7070;
};

// The hub's options for a window that listens itself.
struct ListenOptions {
  QString store, listen;
  QString trust;  // the folder that `runglassctl pair` created; empty: loopback, no authentication
};
ListenOptions listenOptions(const ConnectQuestion& question);
// The hub runs on this host: a window here can be the hub.
bool hubIsHere(TrainersWhere where);
// Nodes connect to this host by its name.
bool needsHost(TrainersWhere where);

struct CommandBlock {
  QString title;  // where to run it
  QString text;   // lines for a shell, or Python
  QString note;   // may be empty
};

std::vector<CommandBlock> connectCommands(const ConnectQuestion& question);

}  // namespace runglass
