// SPDX-License-Identifier: Apache-2.0
// Where the API server of a cluster is, and how to identify to it.
//
// Kubeconfigs are not read: their exec plugins, client certificates and formats are kubectl's, and `kubectl proxy` offers their access on
// the loopback interface.
//
// Threading:  pure.
// Errors:     INVALID_ARGUMENT, FAILED_PRECONDITION, with what to do instead.
#pragma once

#include <string>

#include "model/result.h"

namespace runglass {

struct KubeAccess {
  std::string url;         // without a trailing slash
  std::string token_file;  // "": none. Read for every request: the kubelet renews a service account's token
  std::string ca_file;     // "": the system's
};

// `where`: "in-cluster", the service account of the pod that this runs in; or an http(s) URL, as of `kubectl proxy`.
Result<KubeAccess> kubeAccess(const std::string& where);
// Of the pod's environment and the folder with the service account's files.
Result<KubeAccess> inClusterAccess(const std::string& folder);

}  // namespace runglass
