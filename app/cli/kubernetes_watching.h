// SPDX-License-Identifier: GPL-3.0-or-later
// The --kubernetes options of a hub, and the watch of a cluster that records into the hub's store.
//
// Threading:  main thread, or the one that starts the hub.
// Ownership:  the watch borrows the hub: it must be destroyed before the hub stops.
// Errors:     see collectors/services/kubernetes/kube_access.h; resources that cannot be read are printed to stderr.
// Cost:       one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectors/hub/server/hub.h"
#include "collectors/services/kubernetes/kube_watch.h"

namespace runglass {

class Options;

// What to watch.
struct KubeSelection {
  KubeAccess access;
  std::vector<std::string> namespaces;
  std::string selector;
};

class KubernetesArguments {
 public:
  void declare(Options options);
  Result<std::optional<KubeSelection>> selection() const;  // none without --kubernetes

 private:
  std::string m_where, m_selector;
  std::vector<std::string> m_namespaces;
};

// Null without a selection.
std::unique_ptr<KubeWatch> startKubeWatch(Hub& hub, const std::string& store, const std::optional<KubeSelection>& selection);

}  // namespace runglass
