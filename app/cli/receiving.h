// SPDX-License-Identifier: GPL-3.0-or-later
// Receivers that record into a hub's store.
//
// Threading:  main thread, or the one that starts the hub.
// Ownership:  the receivers borrow the hub: they must be destroyed before it stops.
// Errors:     those of Receivers::start().
#pragma once

#include <memory>
#include <string>

#include "collectors/hub/receivers/receivers.h"

namespace runglass {

struct ReceiverAddresses {
  std::string http, grpc;  // HOST:PORT; empty: none
};

// Null without an address. Tokens and certificates are those of the hub.
Result<std::unique_ptr<Receivers>> startReceivers(Hub& hub, const std::string& store, const ReceiverAddresses& listen,
                                                  const HubOptions& options);

}  // namespace runglass
