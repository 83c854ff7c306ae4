// SPDX-License-Identifier: GPL-3.0-or-later
// A scraper that records into a hub's store.
//
// Threading:  main thread, or the one that starts the hub.
// Ownership:  the scraper borrows the hub: it must be destroyed before the hub stops.
// Errors:     targets that do not answer become events and ingest issues.
// Cost:       one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectors/hub/server/hub.h"
#include "collectors/scrape/scraper.h"

namespace runglass {

// The uuid of a node that is recorded under a name; "" for an unknown one. For one thread other than the store writer's.
std::function<std::string(const std::string& name)> nodeUuids(Hub& hub, const std::string& store);

// Null without targets.
std::unique_ptr<Scraper> startScraper(Hub& hub, const std::string& store, std::vector<ScrapeTarget> targets);

}  // namespace runglass
