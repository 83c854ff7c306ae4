// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/kubernetes/kube_access.h"

#include <cstdlib>
#include <filesystem>

namespace runglass {
namespace {

constexpr const char* kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

}  // namespace

Result<KubeAccess> inClusterAccess(const std::string& folder) {
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr)
    return Status(Code::kFailedPrecondition, "kubernetes: in-cluster: this process is not in a pod (no KUBERNETES_SERVICE_HOST)");
  std::error_code error;
  if (!std::filesystem::exists(folder + "/token", error))
    return Status(Code::kFailedPrecondition,
                  "kubernetes: " + folder + "/token: not there; the pod needs a service account (automountServiceAccountToken)");
  const std::string name(host);
  const bool v6 = name.find(':') != std::string::npos;
  return KubeAccess{
      .url = "https://" + (v6 ? "[" + name + "]" : name) + ":" + port, .token_file = folder + "/token", .ca_file = folder + "/ca.crt"};
}

Result<KubeAccess> kubeAccess(const std::string& where) {
  if (where == "in-cluster") return inClusterAccess(kServiceAccount);
  if (where.starts_with("http://") || where.starts_with("https://")) {
    KubeAccess access{.url = where};
    while (access.url.ends_with('/')) access.url.pop_back();
    return access;
  }
  return Status(
      Code::kInvalidArgument,
      "kubernetes: " + where + ": expected in-cluster or a URL; for a kubeconfig run `kubectl proxy` and give http://127.0.0.1:8001");
}

}  // namespace runglass
