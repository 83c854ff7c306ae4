// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/kubernetes_watching.h"

#include <cstdio>
#include <utility>

#include "app/cli/options.h"
#include "app/cli/scraping.h"

namespace runglass {

void KubernetesArguments::declare(Options options) {
  options.add("--kubernetes", m_where, "Hub: cluster to watch: in-cluster, or a URL as of `kubectl proxy`");
  options.add("--kubernetes-namespace", m_namespaces, "Hub: namespace to watch; once each; default: all");
  options.add("--kubernetes-selector", m_selector, "Hub: label selector of the pods and workloads to watch");
}

Result<std::optional<KubeSelection>> KubernetesArguments::selection() const {
  if (m_where.empty()) {
    if (!m_namespaces.empty() || !m_selector.empty())
      return Status(Code::kInvalidArgument, "kubernetes: a namespace or selector needs --kubernetes");
    return std::optional<KubeSelection>();
  }
  RG_ASSIGN(KubeAccess access, kubeAccess(m_where));
  return std::optional(KubeSelection{.access = std::move(access), .namespaces = m_namespaces, .selector = m_selector});
}

std::unique_ptr<KubeWatch> startKubeWatch(Hub& hub, const std::string& store, const std::optional<KubeSelection>& selection) {
  if (!selection) return nullptr;
  // What is recorded of an object is stored with its records, as what is imported of a file is. Actions run one after the other.
  const auto writer = std::make_shared<Writer*>(nullptr);
  const auto key = [](const std::string& uid) { return "kubernetes:" + uid; };
  KubeWatchOptions options{.access = selection->access,
                           .namespaces = selection->namespaces,
                           .selector = selection->selector,
                           .record = {},
                           .node_uuid = nodeUuids(hub, store),
                           .report = [](const std::string& words) { std::fprintf(stderr, "runglass: %s\n", words.c_str()); }};
  options.record.scope = selection->access.url + " " + selection->selector;
  options.record.load = [writer, key](const std::string& uid) -> std::optional<std::string> {
    const auto mark = (*writer)->importMark(key(uid));
    return mark ? std::optional(mark->state) : std::nullopt;
  };
  options.record.save = [writer, key](const std::string& uid, const std::string& facts) {
    (*writer)->setImportMark(key(uid), {.identity = "kubernetes", .state = facts});
  };
  return std::make_unique<KubeWatch>(std::move(options), [&hub, writer](std::function<void(Recorder&)> action) {
    hub.post([action = std::move(action), writer](Writer& to) {
      *writer = &to;
      action(to);
    });
  });
}

}  // namespace runglass
