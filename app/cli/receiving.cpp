// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/receiving.h"

#include <future>
#include <utility>

#include "app/cli/node_names.h"
#include "storage/open_store.h"

namespace runglass {

Result<std::unique_ptr<Receivers>> startReceivers(Hub& hub, const std::string& store, const ReceiverAddresses& listen,
                                                  const HubOptions& options) {
  if (listen.http.empty() && listen.grpc.empty()) return std::unique_ptr<Receivers>();
  ReceiverPort port{.deliver = [&hub](ReceivedBatch batch) { hub.receive(std::move(batch)); },
                    .has_room = [&hub] { return hub.hasRoom(); },
                    .settle =
                        [&hub] {
                          std::promise<void> recorded;
                          hub.post([&recorded](Writer&) { recorded.set_value(); });
                          recorded.get_future().wait();
                        },
                    .commit =
                        [&hub] {
                          std::promise<Status> committed;
                          hub.commit([&committed](const Status& status) { committed.set_value(status); });
                          return committed.get_future().get();
                        },
                    .reader = [&hub, store] { return openStore(store).reader(hub.readerOptions()); },
                    .stats = [&hub] { return hub.stats(); },
                    .node_uuid = [names = std::make_shared<NodeNames>(hub, store)](const std::string& name) { return names->uuidOf(name); },
                    .this_node = thisMachine()};
  return Receivers::start({.listen = listen.http,
                           .listen_grpc = listen.grpc,
                           .token_file = options.token_file,
                           .tls_cert = options.tls_cert,
                           .tls_key = options.tls_key},
                          std::move(port));
}

}  // namespace runglass
