// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/control_arguments.h"

#include <CLI/CLI.hpp>

#include "collectors/access/access_file.h"

namespace runglass {

void ControlArguments::declare(CLI::App& app) {
  app.add_option("--token-file", token_file, "Where a hub is asked: its bearer token, mode 0600");
  app.add_option("--tls-ca", tls_ca, "Where a hub is asked: CA of its certificate (PEM); turns TLS on");
  app.add_option("--tls-cert", tls_cert, "Where a hub is asked: our certificate (PEM)");
  app.add_option("--tls-key", tls_key, "Where a hub is asked: its key (PEM)");
}

Result<ControlTarget> ControlArguments::target() const {
  ControlTarget target{.hub = "", .token = "", .tls_ca = tls_ca, .tls_cert = tls_cert, .tls_key = tls_key};
  if (!token_file.empty()) {
    RG_ASSIGN(target.token, readToken(token_file));
  }
  return target;
}

}  // namespace runglass
