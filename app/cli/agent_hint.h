// SPDX-License-Identifier: GPL-3.0-or-later
// The line that a hub prints after its address: the command that starts an agent for it. If the program's folder is unknown, the agent's
// name alone.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "collectors/hub/server/hub_options.h"

namespace runglass {

inline std::string agentHint(const std::string& address, const HubOptions& hub) {
  if (!hub.token_file.empty() || !hub.tls_cert.empty())
    return "start an agent on each node, with the credentials that runglassctl pair wrote for it (docs/operate/trust.md)";
  std::error_code error;
  const std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe", error).replace_filename("runglass-agent");
  const std::string program = !error && std::filesystem::exists(beside, error) ? beside.string() : "runglass-agent";
  return "start an agent on this machine: " + program + " --hub " + address;
}

}  // namespace runglass
