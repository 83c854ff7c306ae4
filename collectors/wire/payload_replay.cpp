// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. ids[k] of a kind is the Recorder's id for wire id k + 1; a definition either extends it by one or is already known and ignored.
// 2. No memory is allocated by a number that the bytes merely claim: columns are limited by the bytes they occupy.
// 3. The effect of a payload on the Recorder depends on its bytes and the session's earlier ones only, so that replaying a journal gives
//    the same result.
#include "collectors/wire/payload_replay.h"

#include <map>
#include <memory>
#include <utility>

#include "collectors/wire/payload_session.h"
#include "collectors/wire/wire_reader.h"

namespace runglass {

using Wire = v1::Payload;

void PayloadSession::issue(const char* code, std::string detail, std::int64_t count) {
  out->issue({.code = code,
              .source = agent,
              .count = count,
              .first = optionalOf(sealed > 0, sealed),
              .last = optionalOf(sealed > 0, sealed),
              .detail = std::move(detail)});
}

void PayloadSession::reportRefused() {
  for (const RunGuard::Refused& refused : guard.takeRefused()) {
    const std::string source = agent + ", run " + refused.run;
    if (budget != nullptr && !budget->takesIssue("wire.foreign_run", source, monotonicNow())) {
      ++beyond_issues;
      continue;
    }
    out->issue({.code = "wire.foreign_run",
                .source = source,
                .count = refused.count,
                .first = optionalOf(sealed > 0, sealed),
                .last = optionalOf(sealed > 0, sealed),
                .detail = "refused: " + refused.what});
  }
}

PayloadReplay::PayloadReplay(std::string agent, PayloadLimits limits, std::shared_ptr<PayloadBudget> budget)
    : m_budget(std::move(budget)), m_session(std::make_unique<PayloadSession>(std::move(agent), limits)) {
  m_session->budget = m_budget.get();
}
PayloadReplay::~PayloadReplay() = default;
PayloadReplay::PayloadReplay(PayloadReplay&&) noexcept = default;

PayloadCounts PayloadReplay::play(std::string_view payload, Recorder& out, RankPlaces* places) {
  m_session->out = &out;
  m_session->mirror = nullptr;
  m_session->guard.begin(places);
  return play(payload);
}

PayloadCounts PayloadReplay::playFeed(std::string_view payload, MirrorRecorder& out) {
  m_session->out = &out;
  m_session->mirror = &out;
  m_session->guard.begin(nullptr);
  return play(payload);
}

PayloadReplay::Defined PayloadReplay::defined() const {
  const PayloadSession& s = *m_session;
  return {.nodes = s.nodes, .runs = s.runs, .attempts = s.attempts, .series = s.series, .tracks = s.tracks};
}
SeriesId PayloadReplay::series(std::uint32_t wire_id) const {
  return wire_id == 0 || wire_id > m_session->series.size() ? SeriesId() : m_session->series[wire_id - 1];
}
std::size_t PayloadReplay::seriesCount() const { return m_session->series.size(); }

PayloadCounts PayloadReplay::play(std::string_view payload) {
  PayloadSession& s = *m_session;
  s.counts = {};
  s.sealed = 0;
  s.trusted_sealed = s.times_known = false;
  s.only_node.clear();
  s.absurd = s.unknown_ids = s.foreign_records = s.empty_records = s.beyond_records = s.beyond_issues = 0;
  std::size_t fields = 0;
  WireReader reader(payload);
  bool ok = true;
  while (ok && reader.next()) {
    if (reader.field() > Wire::kDefineTrackFieldNumber && ++fields > s.limits.records) {
      ++s.beyond_records;
      reader.skip();
    } else if (reader.wireType() == 1 && reader.field() == Wire::kReceivedNsFieldNumber) {
      s.sealed = reader.fixed64();
      s.trusted_sealed = true;
    } else if (reader.wireType() == 1 && reader.field() == Wire::kSealedNsFieldNumber) {
      const TimeNs sealed = reader.fixed64();
      if (!s.trusted_sealed) s.sealed = sealed;
      s.times_known = false;
    } else if (reader.wireType() == 0 && reader.field() == Wire::kFollowsFilesFieldNumber) {
      if (reader.varint() != 0) s.guard.follows();
    } else if (reader.wireType() == 2) {
      const std::string_view bytes = reader.bytes();
      ok = reader.ok() && s.entry(reader.field(), bytes);
    } else {
      reader.skip();
    }
  }
  s.counts.intact = ok && reader.ok();
  if (!s.counts.intact)
    s.issue("wire.bad_payload", "field " + std::to_string(reader.field()) + ", " + std::to_string(reader.left()) + " of " +
                                    std::to_string(payload.size()) + " bytes not read");
  if (s.unknown_ids > 0) s.issue("wire.unknown_id", "records refer to ids that were never defined", s.unknown_ids);
  if (s.foreign_records > 0) s.issue("wire.foreign_node", "records of other nodes than this agent's", s.foreign_records);
  s.reportRefused();
  if (s.absurd > 0) s.issue("wire.absurd_time", "replaced by the time of sending, or left out", s.absurd);
  if (s.empty_records > 0) s.issue("wire.empty_record", "events without kind and message", s.empty_records);
  if (s.beyond_records > 0)
    s.issue("wire.too_many_records", "a batch holds more than " + std::to_string(s.limits.records) + " records", s.beyond_records);
  if (s.beyond_issues > 0)
    s.issue("wire.too_many_issues", "more different ones than " + std::to_string(PayloadBudget::kMaxIssues), s.beyond_issues);
  return s.counts;
}

JournalReplay makeJournalReplay() {
  auto sessions = std::make_shared<std::map<std::pair<std::string, std::string>, PayloadReplay>>();
  return [sessions](const StreamKey& stream, std::uint64_t, std::string_view payload, Writer& writer) -> Status {
    auto it = sessions->try_emplace({stream.agent, stream.session}, stream.agent).first;
    if (writer.mirror())
      it->second.playFeed(payload, writer);
    else
      it->second.play(payload, writer, &writer);
    return {};
  };
}

}  // namespace runglass
