// SPDX-License-Identifier: GPL-3.0-or-later
// How a program that does not write a store all the time edits it, through the hub that does or as its writer for a moment, and how it asks
// that hub for what only a hub can do.
//
// Threading:  blocks for seconds at worst: never on the GUI thread.
// Errors:     those of Writer::edit(), Store::writer() and ControlClient; UNAVAILABLE a process holds the store and takes no edits (its pid
//             is in the message).
// Cost:       one call, or one opening and closing of the store.
#pragma once

#include <string>

#include "collectors/wire/control_client.h"
#include "model/edits.h"

namespace runglass {

// `control` without an address: the store's lock file has it. OK: committed.
Status editStore(const std::string& store, const Edit& edit, const ControlTarget& control);
// FAILED_PRECONDITION: no hub writes the store.
Result<OrderOutcome> placeOrder(const std::string& store, const Order& order, const ControlTarget& control);

}  // namespace runglass
