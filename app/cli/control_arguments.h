// SPDX-License-Identifier: GPL-3.0-or-later
// The options of clients of a hub: its token and certificates.
//
// Threading:  main thread.
// Ownership:  declared options point into this object.
// Errors:     target(): INVALID_ARGUMENT: a token file that cannot be used (the message has its name, never its content).
// Cost:       reads the token file.
#pragma once

#include <string>

#include "collectors/wire/control_client.h"

namespace runglass {

class Options;

struct ControlArguments {
  void declare(Options options);
  // Without an address.
  Result<ControlTarget> target() const;

  std::string token_file, tls_ca, tls_cert, tls_key;
};

}  // namespace runglass
