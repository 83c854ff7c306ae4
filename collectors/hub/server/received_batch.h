// SPDX-License-Identifier: Apache-2.0
// ReceivedBatch: data of a sender that is no agent (collectors/hub/receivers), journaled and recorded as an agent's batch is.
//
// Threading:  `done` is called once, on the ingest thread or on the caller's: it must not block.
// Units:      bytes; the payload is one of payload.proto and begins with sealed_ns.
// Errors:     UNAVAILABLE: this batch and all later ones of the session are refused. The sender begins another session.
// Cost:       one copy into the journal.
#pragma once

#include <functional>
#include <string>

#include "model/result.h"

namespace runglass {

struct ReceivedBatch {
  std::string sender;                       // name of the sender, as the agent of its streams
  std::string session;                      // its definitions are known from its first batch on
  bool begins = false;                      // the first batch of the session
  std::string definitions;                  // new since the session's previous batch
  std::string payload;                      // may be empty: `done` is called when all earlier batches of the session are durable
  std::function<void(const Status&)> done;  // ok: the batch survives a killed hub; with power_safe, a power cut. Empty: not of interest
};

}  // namespace runglass
