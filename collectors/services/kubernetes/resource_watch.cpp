// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. m_version is the version up to which all changes were passed on; "" before the first list is complete. 2. A list that did
// not end well changes nothing but the objects that it did bring.
#include "collectors/services/kubernetes/resource_watch.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace runglass {
namespace {

constexpr const char* kPage = "500";
constexpr std::size_t kMaxRefusal = 4'096;

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if (std::isalnum(value) != 0 || byte == '-' || byte == '_' || byte == '.' || byte == '~') {
      out.push_back(byte);
      continue;
    }
    out.push_back('%');
    out.push_back(kDigits[value >> 4U]);
    out.push_back(kDigits[value & 15U]);
  }
  return out;
}

}  // namespace

const std::vector<KubeResource>& kubeResources() {
  static const std::vector<KubeResource> kAll = {{"ray.io/v1", "rayjobs", "RayJob", true, true},
                                                 {"ray.io/v1", "rayclusters", "RayCluster", true, true},
                                                 {"jobset.x-k8s.io/v1alpha2", "jobsets", "JobSet", true, true},
                                                 {"kubeflow.org/v1", "pytorchjobs", "PyTorchJob", true, true},
                                                 {"batch.volcano.sh/v1alpha1", "jobs", "Job", true, true},
                                                 {"kueue.x-k8s.io/v1beta1", "workloads", "Workload", false, true},
                                                 {"batch/v1", "jobs", "Job", true, false},
                                                 {"v1", "pods", "Pod", true, false},
                                                 {"v1", "events", "Event", false, false}};
  return kAll;
}

std::string ResourceWatch::path() {
  m_stream = std::make_unique<ObjectStream>();
  m_page_complete = m_expired = m_answered = false;
  m_refusal.clear();
  std::string out = (m_resource.api.find('/') == std::string_view::npos ? "/api/" : "/apis/") + std::string(m_resource.api);
  if (!m_space.empty()) out += "/namespaces/" + escaped(m_space);
  out += "/" + std::string(m_resource.plural);
  if (m_watching)
    out += "?watch=1&allowWatchBookmarks=true&timeoutSeconds=" + std::to_string(kWatchFor / kNsPerSecond) +
           "&resourceVersion=" + escaped(m_version);
  else
    out += std::string("?limit=") + kPage + (m_more.empty() ? "" : "&continue=" + escaped(m_more));
  if (!m_selector.empty() && m_resource.labelled) out += "&labelSelector=" + escaped(m_selector);
  return out;
}

void ResourceWatch::body(int status, std::string_view piece, const Sink& sink) {
  if (status != 200) {
    m_refusal.append(piece.substr(0, kMaxRefusal - std::min(kMaxRefusal, m_refusal.size())));
    return;
  }
  m_stream->push(piece, [&](std::string_view json, std::string_view list_kind) { take(json, list_kind, sink); });
}

void ResourceWatch::take(std::string_view json, std::string_view list_kind, const Sink& sink) {
  auto change = parseKubeChange(json, list_kind);
  if (!change.ok()) return;
  if (change->type == KubeChange::Type::kError) {
    m_expired = m_expired || change->status == 410;
    return;
  }
  m_answered = true;
  if (change->type == KubeChange::Type::kList) {
    m_more = change->more;
    m_page_complete = true;
    if (m_more.empty()) m_version = change->object.version;
    return;
  }
  if (m_watching && !change->object.version.empty()) m_version = change->object.version;
  if (change->type == KubeChange::Type::kBookmark || change->object.kind != m_resource.kind) return;
  // Items of lists of the built-in kinds leave it out.
  if (change->object.api.empty()) change->object.api = m_resource.api;
  if (!m_watching) m_uids.insert(change->object.uid);
  sink.change(std::move(*change));
}

void ResourceWatch::startOver() {
  m_watching = false;
  m_version.clear(), m_more.clear();
  m_uids.clear();
}

DurNs ResourceWatch::failed() { return std::min(kShortestPause << std::min(m_failures++, 10), kLongestPause); }

DurNs ResourceWatch::ended(int status, const std::string& why, DurNs lasted, const Sink& sink) {
  // Lists and objects prove nothing: a server may list well and refuse every watch from the version of its list.
  if (m_watching && lasted >= kProven) m_failures = 0;
  std::string name = std::string(m_resource.plural) + "." + std::string(m_resource.api);
  if (!m_space.empty()) name += " in " + m_space;
  const auto report = [&](std::string words) {
    if (words == m_trouble) return;
    m_trouble = std::move(words);
    sink.trouble(m_trouble.empty() ? "" : name + ": " + m_trouble);
  };
  if (status == 410 || m_expired) {
    startOver();
    return failed();
  }
  if (status != 0 && status != 200) m_tried = true;
  if (status == 404 && m_resource.optional) {
    startOver();
    report("");
    return kAbsentPause;
  }
  if (status == 401 || status == 403) {
    std::string reason;
    if (const auto refusal = parseKubeChange(m_refusal, ""); refusal.ok()) reason = refusal->message;
    report((status == 401 ? "the API server does not accept the credentials" : "not allowed; grant get, list and watch") +
           (reason.empty() ? std::string() : ": " + reason));
    (void)failed();
    return kLongestPause;
  }
  if (status != 0 && status != 200) {
    report("HTTP status " + std::to_string(status));
    return failed();
  }
  if (status == 200 && !m_watching && m_page_complete) {
    report("");
    if (!m_more.empty()) return 0;
    sink.listed(m_resource.api, m_resource.kind, m_space, m_uids);
    m_uids.clear();
    m_watching = m_tried = true;
    return 0;
  }
  if (status == 200 && m_watching && why.empty()) {
    report("");
    if (m_answered) return lasted >= kProven ? 0 : kShortestPause;
    return failed();
  }
  // A watch that was cut continues from the last version; a list that was cut begins again.
  if (!m_watching) startOver();
  if (!m_answered && !why.empty()) report(why);
  return m_answered && m_watching ? kShortestPause : failed();
}

}  // namespace runglass
