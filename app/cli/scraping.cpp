// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/scraping.h"

#include <unistd.h>

#include <array>
#include <map>
#include <utility>

#include "storage/open_store.h"

namespace runglass {
namespace {

// Nodes by name as recorded in the store; cached for a while, because a thousand targets look them up at the same time.
class NodeNames {
 public:
  NodeNames(Hub& hub, std::string store) : m_hub(hub), m_store(std::move(store)) {}

  std::string uuidOf(const std::string& name) {
    constexpr DurNs kFresh = 5 * kNsPerSecond;
    if (m_read == 0 || monotonicNow() - m_read > kFresh) read();
    const auto known = m_uuids.find(name);
    return known == m_uuids.end() ? std::string() : known->second;
  }

 private:
  void read() {
    m_read = monotonicNow();
    const auto reader = openStore(m_store).reader(m_hub.readerOptions());
    if (!reader.ok()) return;
    const auto nodes = (*reader)->nodes();
    if (!nodes.ok()) return;
    m_uuids.clear();
    // A machine's own id takes precedence over one derived from its name.
    for (const Node& node : *nodes)
      if (std::string& uuid = m_uuids[node.name]; uuid.empty() || uuid.starts_with("name:")) uuid = node.uuid;
  }

  Hub& m_hub;
  const std::string m_store;
  std::map<std::string, std::string> m_uuids;
  DurNs m_read = 0;
};

std::string thisMachine() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

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
