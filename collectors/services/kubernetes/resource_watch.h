// SPDX-License-Identifier: Apache-2.0
// ResourceWatch: the state of one resource of the API in one namespace: what to request next, and what an answer means. Lists in pages,
// then watches from the list's version; a version that the server no longer has begins with a list again.
//
// Threading:  one thread. Does no input or output.
// Units:      ns, monotonic for delays.
// Errors:     an answer that is no success gives a delay and, once per cause, words for the user.
// Cost:       the uids of one list.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "collectors/kubernetes/kube_object.h"
#include "collectors/kubernetes/object_stream.h"

namespace runglass {

struct KubeResource {
  std::string_view api, plural, kind;  // "batch/v1", "jobs", "Job"
  bool labelled = true;                // a selector of pods and workloads applies to it
  bool optional = false;               // of a custom resource: that the cluster does not have it is normal
};
// Everything that is watched.
const std::vector<KubeResource>& kubeResources();

class ResourceWatch {
 public:
  static constexpr DurNs kShortestPause = kNsPerSecond, kLongestPause = 60 * kNsPerSecond, kAbsentPause = 600 * kNsPerSecond;
  static constexpr DurNs kWatchFor = 300 * kNsPerSecond;  // then the server ends it
  static constexpr DurNs kProven = 10 * kNsPerSecond;     // a watch that lasted so long ends the backoff

  ResourceWatch(const KubeResource& resource, std::string space, std::string selector)
      : m_resource(resource), m_space(std::move(space)), m_selector(std::move(selector)) {}

  struct Sink {
    std::function<void(KubeChange)> change;
    std::function<void(std::string_view api, std::string_view kind, const std::string& space, const std::set<std::string>& uids)> listed;
    std::function<void(const std::string& words)> trouble;  // "" once it has ended
  };

  bool watching() const { return m_watching; }
  bool tried() const { return m_tried; }  // the first list was answered: it is complete, or refused
  std::string path();                     // of the next request, with its query
  void body(int status, std::string_view piece, const Sink& sink);
  // The request has ended after `lasted`: `status` 0 with the reason if there was no answer. Returns the delay before the next one.
  DurNs ended(int status, const std::string& why, DurNs lasted, const Sink& sink);

 private:
  void take(std::string_view json, std::string_view list_kind, const Sink& sink);
  void startOver();
  DurNs failed();

  const KubeResource m_resource;
  const std::string m_space, m_selector;
  std::unique_ptr<ObjectStream> m_stream;
  std::set<std::string> m_uids;
  std::string m_version, m_more, m_trouble, m_refusal;
  bool m_watching = false, m_tried = false, m_page_complete = false, m_expired = false, m_answered = false;
  int m_failures = 0;
};

}  // namespace runglass
