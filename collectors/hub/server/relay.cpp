// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. gRPC's name of a connection is never used again, so that a call never gets the identity of another connection.
#include "collectors/hub/server/relay.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "collectors/hub/server/relay_loop.h"
#include "collectors/hub/server/stranger_loop.h"
#include "model/random_uuid.h"

namespace runglass {
namespace {

constexpr std::string_view kAbstract = "unix-abstract:";  // gRPC's prefix for such a socket
constexpr DurNs kFlush = kNsPerSecond / 2;

class AdmittedLoop final : public RelayLoop {
 public:
  AdmittedLoop(Relay& relay, Closed closed) : RelayLoop(std::move(closed)), m_relay(relay) {}

 private:
  void serve(RelayConnection& connection, DurNs now) override {
    (void)pump(connection, now, std::numeric_limits<std::size_t>::max());
    if (!connection.isBroken() || !connection.hasPeer()) return;
    m_relay.cutOff(connection, connection.guard().problem());
    connection.drop();
  }
  Relay& m_relay;
};

}  // namespace

bool isOwnSocket(const std::string& name) { return name.starts_with("unix:"); }

Relay::Relay(const Limits& limits) : m_limits(limits), m_prefix("runglass-" + randomUuid() + "-") {}
Relay::~Relay() { stop(); }

Result<std::unique_ptr<Relay>> Relay::open(Listener& listener, std::unique_ptr<TlsServer> tls, Limits limits) {
  std::unique_ptr<Relay> relay(new Relay(limits));
  relay->m_admitted =
      std::make_unique<AdmittedLoop>(*relay, [self = relay.get()](const RelayConnection& connection) { self->closed(connection); });
  relay->m_strangers = std::make_unique<StrangerLoop>(*relay, *relay->m_admitted, listener, std::move(tls), limits);
  RG_TRY(relay->m_admitted->open());
  RG_TRY(relay->m_strangers->open());
  return relay;
}

Status Relay::start(Serve serve) {
  RG_TRY(m_strangers->listen(std::move(serve)));
  m_admitted->start();
  m_strangers->start();
  return {};
}

std::string Relay::name(std::uint64_t id) const { return m_prefix + std::to_string(id); }

void Relay::opened(const std::shared_ptr<RelayPeer>& peer) {
  const MutexLock lock(m_mutex);
  m_peers.emplace(peer->id, peer);
}

void Relay::closed(const RelayConnection& connection) {
  const MutexLock lock(m_mutex);
  m_peers.erase(connection.peer()->id);
}

std::shared_ptr<RelayPeer> Relay::find(const std::string& name) const {
  std::string_view rest = name;
  if (!rest.starts_with(kAbstract)) return nullptr;
  rest.remove_prefix(kAbstract.size());
  if (!rest.starts_with(m_prefix)) return nullptr;
  rest.remove_prefix(m_prefix.size());
  std::uint64_t id = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), id).ptr != rest.data() + rest.size()) return nullptr;
  const MutexLock lock(m_mutex);
  const auto found = m_peers.find(id);
  return found == m_peers.end() ? nullptr : found->second;
}

bool Relay::admit(RelayPeer& peer) {
  {
    const MutexLock lock(m_mutex);
    if (peer.admitted) return true;
    std::size_t all = 0, of_address = 0;
    for (const auto& [id, other] : m_peers) {
      if (!other->admitted) continue;
      ++all;
      of_address += other->address == peer.address ? 1 : 0;
    }
    if (all >= m_limits.admitted || of_address >= m_limits.admitted_per_address) return false;
    peer.admitted = true;
  }
  m_strangers->promote(peer.id);
  return true;
}

void Relay::cutOff(const RelayConnection& connection, const char* why) {
  const MutexLock lock(m_mutex);
  ++m_cut.count;
  m_cut.newest = connection.peer()->name + " " + why;
}

Relay::Cut Relay::cut() const {
  const MutexLock lock(m_mutex);
  return m_cut;
}

void Relay::stopListening() { m_strangers->stopListening(); }

void Relay::stop() {
  const DurNs deadline = monotonicNow() + kFlush;
  if (m_strangers) m_strangers->stop(deadline);
  if (m_admitted) m_admitted->stop(deadline);
}

}  // namespace runglass
