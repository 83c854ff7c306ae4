// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "collectors/agent/agent.h"

namespace runglass {
namespace {

// Every key that is read here; any other key is reported as a typing error.
const std::set<std::string_view> kAgentKeys = {"spool_mib", "memory_mib", "seal_ms", "token_file", "tls_ca", "tls_cert", "tls_key"};

Status unknownKey(const std::string& path, std::string_view table, std::string_view key) {
  return Status(Code::kInvalidArgument, "configuration: " + path + ": [" + std::string(table) + "] has no key '" + std::string(key) + "'");
}

Status readAgentTable(const std::string& path, const toml::table& table, AgentOptions& options) {
  for (const auto& [key, value] : table)
    if (!kAgentKeys.contains(key.str())) return unknownKey(path, "agent", key.str());
  const auto positive = [&](const char* key, std::int64_t otherwise) -> Result<std::int64_t> {
    const std::int64_t value = table[key].value_or(otherwise);
    if (value <= 0 || value > 1'000'000)
      return Status(Code::kInvalidArgument, "configuration: " + path + ": agent." + key + " must be in 1..1000000");
    return value;
  };
  RG_ASSIGN(const std::int64_t spool_mib, positive("spool_mib", 512));
  RG_ASSIGN(const std::int64_t memory_mib, positive("memory_mib", 64));
  RG_ASSIGN(const std::int64_t seal_ms, positive("seal_ms", 50));
  options.outbox.spool_bytes = static_cast<std::uint64_t>(spool_mib) << 20;
  options.outbox.memory_bytes = static_cast<std::size_t>(memory_mib) << 20;
  options.seal_every = seal_ms * kNsPerMs;
  options.link.tls_ca = table["tls_ca"].value_or(std::string());
  options.link.tls_cert = table["tls_cert"].value_or(std::string());
  options.link.tls_key = table["tls_key"].value_or(std::string());
  options.link.token_file = table["token_file"].value_or(std::string());
  return {};
}

// allow = [] permits no commands. Without the table all are permitted: they only read.
Status readOrdersTable(const std::string& path, const toml::table& table, AgentOptions& options) {
  for (const auto& [key, value] : table)
    if (key.str() != "allow") return unknownKey(path, "orders", key.str());
  const toml::array* names = table["allow"].as_array();
  if (names == nullptr) return Status(Code::kInvalidArgument, "configuration: " + path + ": orders.allow must be a list of names");
  options.orders.emplace();
  for (const auto& name : *names) {
    const auto kind = orderNamed(name.value_or(std::string()));
    if (!kind)
      return Status(Code::kInvalidArgument,
                    "configuration: " + path + ": orders.allow: there is no order '" + name.value_or(std::string()) + "'");
    options.orders->insert(*kind);
  }
  return {};
}

}  // namespace

std::string defaultStateDir() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') return std::string(state) + "/runglass-agent";
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "/var/lib") + "/.local/state/runglass-agent";
}

Result<AgentOptions> readAgentConfig(const std::string& path) {
  AgentOptions options;
  auto table = std::make_shared<toml::table>();
  if (!path.empty()) {
    try {
      *table = toml::parse_file(path);
    } catch (const toml::parse_error& error) {
      return Status(Code::kInvalidArgument, "configuration: " + path + ": line " + std::to_string(error.source().begin.line) + ": " +
                                                std::string(error.description()));
    }
  }
  options.link.hub = (*table)["hub"].value_or(std::string());
  options.state_dir = (*table)["state_dir"].value_or(std::string());
  if (const toml::table* agent = (*table)["agent"].as_table()) RG_TRY(readAgentTable(path, *agent, options));
  if (const toml::table* orders = (*table)["orders"].as_table()) RG_TRY(readOrdersTable(path, *orders, options));
  options.node = {.uuid = (*table)["node"]["uuid"].value_or(std::string()),
                  .name = (*table)["node"]["name"].value_or(std::string()),
                  .rack = (*table)["node"]["rack"].value_or(std::string()),
                  .fabric_switch = (*table)["node"]["switch"].value_or(std::string())};
  const toml::table* source_tables = (*table)["source"].as_table();
  for (const SourceEntry& entry : sources())
    // A source's table enables it: [source.train_log] paths = [...] needs no second switch.
    if (const auto own = (*table)["source"][std::string(entry.name)]; own["enabled"].value_or(entry.on_by_default || own.is_table()))
      options.sources.push_back(entry);
  if (source_tables != nullptr)
    for (const auto& [key, value] : *source_tables)
      if (std::none_of(sources().begin(), sources().end(), [&](const SourceEntry& entry) { return entry.name == key.str(); }))
        return Status(Code::kInvalidArgument, "configuration: " + path + ": there is no source named '" + std::string(key.str()) + "'");
  options.config = std::move(table);
  return options;
}

}  // namespace runglass
