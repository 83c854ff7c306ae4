// SPDX-License-Identifier: GPL-3.0-or-later
// Why a hub cannot be followed, in plain words, and what to do about it.
//
// Threading:  pure.
// Errors:     none; what is not recognised is said as it came.
// Cost:       some searches in a line.
#pragma once

#include <string>

#include "collectors/wire/control_client.h"
#include "model/result.h"

namespace runglass {

struct HubProblem {
  std::string what;  // a clause: "no process listens there"
  std::string todo;  // a sentence; empty: nothing to do but wait
};

HubProblem hubProblem(Code code, const std::string& message, const ControlTarget& hub);
// "no process listens there. Is it running? …"
std::string hubProblemWords(Code code, const std::string& message, const ControlTarget& hub);
// "hub 127.0.0.1:7070: no process listens there. Is it running? …"
std::string hubProblemText(Code code, const std::string& message, const ControlTarget& hub);
// gRPC and TLS would tell the same for each attempt in their own words on stderr. Before the first connection; what the environment says
// about it stays.
void silenceLibraries();

}  // namespace runglass
