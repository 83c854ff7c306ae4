// SPDX-License-Identifier: Apache-2.0
// KubeWatch: lists and watches a cluster's pods, events and workloads, and posts them as records. Read-only.
//
// Threading:  one thread for all requests; the public functions are thread-safe. `post` and `report` are called on that thread, posted
// actions
//             on the receiver's, one after the other; the ClusterRecord belongs to them.
// Ownership:  owns thread and connections. The destructor stops.
// Units:      ns.
// Errors:     resources that cannot be read are named by report(), once per cause; the others continue. Requests are repeated until the
// end, with
//             backoff.
// Cost:       a connection per resource and namespace.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectors/kubernetes/cluster_record.h"
#include "collectors/services/kubernetes/kube_access.h"

namespace runglass {

struct KubeWatchOptions {
  KubeAccess access;
  std::vector<std::string> namespaces;  // empty: all
  std::string selector;                 // of labels; "": all pods and workloads
  ClusterRecordOptions record;
  // The uuid of a node that is recorded under this name, "" if none is; called on the watch's thread. May be empty.
  std::function<std::string(const std::string& name)> node_uuid;
  std::function<void(const std::string& words)> report;
};

class KubeWatch {
 public:
  using Post = std::function<void(std::function<void(Recorder&)>)>;

  KubeWatch(KubeWatchOptions options, Post post);
  ~KubeWatch();
  // Aborts the requests; nothing is posted afterwards. Later calls do nothing.
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
