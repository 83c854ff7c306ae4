// SPDX-License-Identifier: GPL-3.0-or-later
// The options of whoever asks a hub: its token and certificates.
//
// Threading:  main thread.
// Ownership:  CLI11's options point into this object.
// Units:      none.
// Errors:     target(): INVALID_ARGUMENT a token file that cannot be used (names it, never its content).
// Cost:       reads the token file.
#pragma once

#include <string>

#include "collectors/control/control_client.h"

namespace CLI {
class App;
}

namespace runglass {

struct ControlArguments {
  void declare(CLI::App& app);
  // Without an address.
  Result<ControlTarget> target() const;

  std::string token_file, tls_ca, tls_cert, tls_key;
};

}  // namespace runglass
