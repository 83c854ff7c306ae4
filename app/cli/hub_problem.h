// SPDX-License-Identifier: GPL-3.0-or-later
// Why a hub cannot be reached, in plain words, and what to do about it.
//
// Threading:  pure.
// Errors:     an unknown message is shown unchanged.
// Cost:       a few searches in a line.
#pragma once

#include <string>

#include "collectors/wire/control_client.h"
#include "model/result.h"

namespace runglass {

struct HubProblem {
  std::string what;  // a clause: "no process listens there"
  std::string todo;  // a sentence; empty: only waiting helps
};

HubProblem hubProblem(Code code, const std::string& message, const ControlTarget& hub);
// "no process listens there. Is it running? …"
std::string hubProblemWords(Code code, const std::string& message, const ControlTarget& hub);
// "hub 127.0.0.1:7070: no process listens there. Is it running? …"
std::string hubProblemText(Code code, const std::string& message, const ControlTarget& hub);
// Suppresses the messages that gRPC and TLS would print on stderr for each attempt. Call before the first connection; logging requested by
// environment variables stays.
void silenceLibraries();

}  // namespace runglass
