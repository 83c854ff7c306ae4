// SPDX-License-Identifier: Apache-2.0
// ReceiverPort: all that receivers need of a hub. The program that composes both connects it; tests provide their own.
//
// Threading:  the functions are called on the receivers' threads, several at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "collectors/hub/server/hub.h"

namespace runglass {

struct ReceiverPort {
  std::function<void(ReceivedBatch)> deliver;
  std::function<bool()> has_room;  // Hub::hasRoom()
  // Returns once all batches delivered before are recorded: a Reader used afterwards has their samples, of series that are committed.
  std::function<void()> settle;
  // Returns once they are committed, with their series.
  std::function<Status()> commit;
  std::function<Result<std::unique_ptr<Reader>>()> reader;
  std::function<HubStats()> stats;
  // Uuid of the node with this name in the store; "" if there is none.
  std::function<std::string(const std::string& name)> node_uuid;
  std::string this_node;  // this machine's name, for senders and exporters on the loopback
};

}  // namespace runglass
