// SPDX-License-Identifier: Apache-2.0
// IngestThread: batches of receivers' senders.
// Invariants:
// 1. A session has one stream, whose batches are numbered here: what the sender sends again is recognised by the receiver, by its times.
// 2. After a refused batch its session is unknown: a later batch could refer to definitions that were refused with it.
#include "collectors/hub/server/ingest_thread.h"
#include "collectors/hub/server/received_link.h"

namespace runglass {

void IngestThread::handleReceived(ReceivedBatch& batch, DurNs received_mono) {
  const auto refuse = [&](const std::string& why) {
    m_received.erase(batch.sender);
    if (batch.done) batch.done(Status(Code::kUnavailable, "store: cannot take data now: " + why));
  };
  if (!m_withheld.empty()) return refuse(m_withheld);
  auto it = m_received.find(batch.sender);
  if (batch.begins) {
    auto session = std::make_shared<Inbound>(
        Inbound{.name = batch.session, .keys = {}, .next_seq = {}, .journaled = {{batch.sender, batch.session, 0}, batch.sender}});
    session->keys.push_back(session->journaled.key());
    session->next_seq.push_back(m_writer->resumeFrom(session->keys.front()));
    it = m_received.insert_or_assign(batch.sender, Received{std::make_shared<ReceivedLink>(batch.sender), std::move(session)}).first;
  } else if (it == m_received.end() || it->second.session->name != batch.session) {
    return refuse("an earlier batch of this session was refused");
  }
  const auto& [link, session] = it->second;
  std::uint64_t& next = session->next_seq.front();
  session->journaled.define(batch.definitions);
  if (batch.payload.empty()) {
    link->expect(next, std::move(batch.done));
    m_journaled.push_back({link, 0, 0, next});  // after those that are admitted and not journaled yet
    return;
  }
  std::string payload = session->journaled.inFront(*m_writer);
  payload += batch.payload;
  m_admitted_bytes += payload.size();
  m_admitted.push_back({link, session, 0, 0, next, std::move(payload), received_mono});
  link->expect(++next, std::move(batch.done));
}

}  // namespace runglass
