// SPDX-License-Identifier: Apache-2.0
// HubOptions: addresses, access and limits of a hub.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collectors/hub/server/liveness.h"
#include "storage/writer.h"

namespace runglass {

struct HubOptions {
  std::string listen = "127.0.0.1:0";  // port 0: any free one; empty: no port
  std::string socket;                  // path of a socket for its owner only; empty: none
  std::string token_file;              // its clients, see access_file.h; readable by its owner only
  std::string tls_cert, tls_key;       // PEM files; both or none
  // The handshake requires a certificate of this CA, unless the token file was written by pair and lists a valid token.
  std::string tls_client_ca;
  std::size_t max_agents = 2'048;
  std::size_t max_unauthenticated_per_address = 64;
  std::size_t queue_bytes = 64U << 20;
  // No batch is acknowledged while this many commits in a row have failed, or this much is acknowledged and not stored.
  int max_failed_commits = 3;
  std::int64_t max_unstored_bytes = std::int64_t{256} << 20;
  LivenessLimits liveness;
  WriterOptions writer;  // replay is set by the hub
  std::optional<Retention> retention;
};

}  // namespace runglass
