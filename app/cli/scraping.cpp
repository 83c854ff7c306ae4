// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/scraping.h"

#include <utility>

#include "app/cli/node_names.h"

namespace runglass {

std::function<std::string(const std::string& name)> nodeUuids(Hub& hub, const std::string& store) {
  return [names = std::make_shared<NodeNames>(hub, store)](const std::string& name) { return names->uuidOf(name); };
}

std::unique_ptr<Scraper> startScraper(Hub& hub, const std::string& store, std::vector<ScrapeTarget> targets) {
  if (targets.empty()) return nullptr;
  ScrapePlace place{.node_uuid = nodeUuids(hub, store), .this_node = thisMachine()};
  return std::make_unique<Scraper>(std::move(targets), std::move(place), [&hub](std::function<void(Recorder&)> action) {
    hub.post([action = std::move(action)](Writer& writer) { action(writer); });
  });
}

}  // namespace runglass
