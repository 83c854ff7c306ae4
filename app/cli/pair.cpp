// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl pair: creates, revokes and renews the credentials of hub, agents and readers.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "app/cli/command.h"
#include "app/cli/options.h"
#include "collectors/hub/access/pairing.h"
#include "model/time_text.h"

namespace runglass::ctl {
namespace {

constexpr DurNs kHour = 3600 * kNsPerSecond;

std::string thisHost() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

class Pair : public Command {
 public:
  const char* name() const override { return "pair"; }
  const char* help() const override { return "Make certificates and tokens for a hub, its agents and its readers; revoke and renew them"; }
  const char* examples() const override {
    return "runglassctl pair --out trust --hub hub.cluster --agent gpu-a --agent gpu-b --reader alice\n"
           "runglassctl pair --out trust --renew gpu-a\n"
           "runglassctl pair --out trust --revoke alice\n";
  }
  void declare(Options options) override {
    options.add("--out", m_options.folder, "The folder; made with a new authority if it is missing").required();
    options.add("--hub", m_hub, "Name or address of the hub, for its certificate; repeatable (default: host name)");
    options.add("--port", m_port, "Port of the hub, for the agents' configuration").range(1, 65535).defaultShown();
    options.add("--agent", m_agents, "Name of a node: makes a certificate to send this node's data only");
    options.add("--token-agent", m_token_agents, "The same with a token in place of a certificate");
    options.add("--reader", m_readers, "Name of a user with scope read; makes a token");
    options.add("--admin", m_admins, "Name of a user with scopes read and admin; makes a token");
    options.add("--sender", m_senders, "Name of a program that sends to --receive; makes a token of scope receive");
    options.add("--renew", m_renew, "Renew the files of an agent, a reader or `hub`; old ones expire after --grace");
    options.add("--revoke", m_revoke, "Revoke an agent or reader; a running hub applies it within seconds");
    options.add("--days", m_options.days, "Validity in days").range(1, 3650).defaultShown();
    options.add("--grace", m_grace, "Hours for which renewed credentials stay valid").range(0, 8760).defaultShown();
    options.add("--install-dir", m_options.installed, "Folder of an agent's files on its node").defaultShown();
    options.flag("--list", m_list, "List agents and readers");
  }
  Status run() override {
    const std::string host = m_hub.empty() ? thisHost() : m_hub.front();
    m_options.address = (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(m_port);
    RG_ASSIGN(Pairing pairing, Pairing::open(m_options));
    RG_TRY(certify(pairing));
    for (const std::string& name : m_agents) RG_TRY(tell(pairing, name, pairing.addAgent(name, Pairing::Proof::kCertificate)));
    for (const std::string& name : m_token_agents) RG_TRY(tell(pairing, name, pairing.addAgent(name, Pairing::Proof::kToken)));
    for (const std::string& name : m_readers) RG_TRY(tell(pairing, name, pairing.addReader(name, false)));
    for (const std::string& name : m_admins) RG_TRY(tell(pairing, name, pairing.addReader(name, true)));
    for (const std::string& name : m_senders) {
      RG_ASSIGN(const Pairing::Handed handed, pairing.addSender(name));
      std::printf("%s: hand over %s\n", name.c_str(), handed.folder.c_str());
    }
    for (const std::string& name : m_renew)
      if (name != "hub") RG_TRY(tell(pairing, name, pairing.renew(name, wallNow(), m_grace * kHour)));
    for (const std::string& name : m_revoke) {
      RG_TRY(pairing.revoke(name, wallNow()));
      std::printf("%s: may no longer connect\n", name.c_str());
    }
    if (m_list) list(pairing);
    return {};
  }

 private:
  Status certify(Pairing& pairing) {
    const bool renew = std::ranges::find(m_renew, "hub") != m_renew.end();
    if (pairing.hasHub() && m_hub.empty() && !renew) return {};
    std::vector<std::string> names = m_hub;
    if (names.empty()) names = pairing.hasHub() ? pairing.hubNames() : std::vector<std::string>{thisHost()};
    RG_TRY(pairing.certifyHub(names));
    std::string all;
    for (const std::string& name : pairing.hubNames()) all += (all.empty() ? "" : ", ") + name;
    std::printf("hub: certificate for %s\nstart it: runglassctl serve --store run.rgl --listen 0.0.0.0:%d --trust %s\n", all.c_str(),
                m_port, m_options.folder.c_str());
    return {};
  }
  Status tell(const Pairing& pairing, const std::string& name, const Result<Pairing::Handed>& handed) const {
    RG_TRY(handed.status());
    const std::string where = handed->agent ? ", to " + m_options.installed + " of that node" : "";
    std::printf("%s: hand over %s%s\n", name.c_str(), handed->folder.c_str(), where.c_str());
    if (!handed->agent && pairing.hasHub() && !pairing.hubNames().empty()) tellReader(pairing.hubNames().front(), handed->folder);
    return {};
  }
  void tellReader(const std::string& hub, const std::string& folder) const {
    const bool v6 = hub.find(':') != std::string::npos;
    std::string shown = (v6 ? "[" + hub + "]" : hub) + ":" + std::to_string(m_port);
    shown += " --tls-ca " + folder + "/ca.pem --token-file " + folder + "/token";
    std::printf("  look: runglass --connect %s\n  or: runglassctl follow --store here.rgl --from %s\n", shown.c_str(), shown.c_str());
  }
  static void list(const Pairing& pairing) {
    std::printf("%-24s %-12s %-12s %-21s %s\n", "name", "shows", "may", "until", "");
    for (const AccessEntry& entry : pairing.access().entries) {
      const bool over = entry.expires && *entry.expires <= wallNow();
      std::printf("%-24s %-12s %-12s %-21s %s\n", entry.pass.name.c_str(),
                  entry.kind == AccessEntry::Kind::kCertificate ? "certificate" : "token", scopeNames(entry.pass.scopes).c_str(),
                  entry.expires ? utcText(*entry.expires).c_str() : "",
                  entry.revoked ? "revoked"
                  : over        ? "expired"
                                : "");
    }
  }

  Pairing::Options m_options;
  std::vector<std::string> m_hub, m_agents, m_token_agents, m_readers, m_admins, m_senders, m_renew, m_revoke;
  int m_port = 7070;
  int m_grace = 24;
  bool m_list = false;
};

}  // namespace

std::unique_ptr<Command> makePair() { return std::make_unique<Pair>(); }

}  // namespace runglass::ctl
