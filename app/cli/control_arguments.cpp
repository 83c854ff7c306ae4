// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/control_arguments.h"
#include "app/cli/options.h"

#include "collectors/wire/guarded_file.h"

namespace runglass {

void ControlArguments::declare(Options options) {
  options.add("--token-file", token_file, "Bearer token for the hub, mode 0600");
  options.add("--tls-ca", tls_ca, "Where a hub is asked: CA of its certificate (PEM); turns TLS on");
  options.add("--tls-cert", tls_cert, "Client certificate for the hub (PEM)");
  options.add("--tls-key", tls_key, "Key of the client certificate (PEM)");
}

Result<ControlTarget> ControlArguments::target() const {
  ControlTarget target{.hub = "", .token = "", .tls_ca = tls_ca, .tls_cert = tls_cert, .tls_key = tls_key};
  if (!token_file.empty()) {
    RG_ASSIGN(target.token, readToken(token_file));
  }
  return target;
}

}  // namespace runglass
