// SPDX-License-Identifier: GPL-3.0-or-later
// Edits a store from a program that does not write it permanently, through the hub that writes it or as its writer for a moment; and sends
// commands to that hub that only a hub can execute.
//
// Threading:  may block for seconds: never call it on the GUI thread.
// Errors:     those of Writer::edit(), Store::writer() and ControlClient; UNAVAILABLE: a process holds the store and accepts no edits (its
//             pid is in the message).
// Cost:       one call, or opening and closing the store once.
#pragma once

#include <string>

#include "collectors/wire/control_client.h"
#include "model/edits.h"

namespace runglass {

// `control` without an address: the address in the store's lock file is used. OK: committed.
Status editStore(const std::string& store, const Edit& edit, const ControlTarget& control);
// FAILED_PRECONDITION: no hub writes the store.
Result<OrderOutcome> placeOrder(const std::string& store, const Order& order, const ControlTarget& control);

}  // namespace runglass
