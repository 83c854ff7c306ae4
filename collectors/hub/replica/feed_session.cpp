// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_unacked holds frames in order of seq; if there is a link, all of them are on its wire.
// 2. Nothing is sent without a connection or while the window is full: queued data would only become stale.
// 3. The window adapts to the line: the amount acknowledged within about half a second, so that new data waits no longer than that.
#include "collectors/hub/replica/feed_session.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/wire/feed_frame.h"
#include "collectors/wire/judgement_message.h"

namespace runglass {
namespace {

constexpr DurNs kTick = 50 * kNsPerMs;
constexpr DurNs kQuick = 250 * kNsPerMs, kSlow = 600 * kNsPerMs;
constexpr std::size_t kMaxAnswers = 64;
constexpr int kNice = 10;  // agents' batches come first

FeedOptions named(FeedOptions options) {
  if (!options.names) options.names = std::make_shared<FeedNames>();
  return options;
}

}  // namespace

FeedSession::FeedSession(std::string name, std::string store, ReaderOptions reader, FeedOptions options, MirrorMark mark)
    : m_name(std::move(name)),
      m_store(std::move(store)),
      m_reader(std::move(reader)),
      m_options(named(std::move(options))),
      m_begin(std::move(mark)) {
  m_thread = std::thread([this] { run(); });
}

FeedSession::~FeedSession() { stop(); }

void FeedSession::requestStop() {
  const MutexLock lock(m_mutex);
  m_stop = true;
  m_wake.notifyAll();
}

void FeedSession::stop() {
  requestStop();
  if (m_thread.joinable()) m_thread.join();
}

void FeedSession::attach(std::shared_ptr<FeedLink> link, std::uint64_t next_seq, std::size_t credit) {
  acked(next_seq);
  const MutexLock lock(m_mutex);
  if (m_link && m_link != link) m_link->finish(Status(Code::kAborted, "follow: replaced by a newer connection of the same follower"));
  m_link = std::move(link);
  m_credit = std::clamp(credit, kMinWindow, kMaxWindow);
  for (Unacked& one : m_unacked) send(one);
  m_wake.notifyAll();
}

void FeedSession::finish(const Status& status) {
  const MutexLock lock(m_mutex);
  if (m_link) m_link->finish(status);
}

void FeedSession::detach(const FeedLink* link) {
  const MutexLock lock(m_mutex);
  if (m_link.get() != link) return;
  m_link.reset();
  m_detached_since = monotonicNow();
}

DurNs FeedSession::idle() const {
  const MutexLock lock(m_mutex);
  return m_link ? 0 : monotonicNow() - m_detached_since;
}

bool FeedSession::broken() const {
  const MutexLock lock(m_mutex);
  return m_broken;
}

void FeedSession::acked(std::uint64_t next_seq) {
  const MutexLock lock(m_mutex);
  const DurNs now = monotonicNow();
  while (!m_unacked.empty() && m_unacked.front().frame.seq() < next_seq) {
    const Unacked& one = m_unacked.front();
    const DurNs took = now - one.sent;
    const bool limited = m_in_flight >= m_window / 2;
    if (took < kQuick && limited) m_window = std::min(m_credit, m_window + one.bytes);
    if (took > kSlow && one.frame.seq() >= m_narrowed_at) {
      m_window = std::max(kMinWindow, m_window / 4 * 3);
      m_narrowed_at = m_unacked.back().frame.seq() + 1;
    }
    m_in_flight -= one.bytes;
    m_unacked.pop_front();
  }
  m_wake.notifyAll();
}

void FeedSession::had(const v1::SeriesHad& had) {
  const MutexLock lock(m_mutex);
  // There is one answer per frame of definitions; more are invalid.
  if (m_had.size() < kMaxAnswers) m_had.push_back(had);
  m_wake.notifyAll();
}

void FeedSession::run() {
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
  while (true) {
    std::deque<v1::SeriesHad> had;
    {
      MutexLock lock(m_mutex);
      const auto ready = [this]() RG_REQUIRES(m_mutex) {
        return m_stop || (m_link && hasRoom() && ((m_more && (!m_has_time || hasSpareRoom())) || !m_had.empty()));
      };
      m_wake.waitFor(lock, kTick, ready);
      if (m_stop) return;
      if (!m_link || !hasRoom()) continue;
      had.swap(m_had);
    }
    for (const v1::SeriesHad& answer : had) {
      std::vector<Feed::Have> have;
      const int rows = std::min({answer.series_size(), answer.count_size(), answer.last_step_size()});
      for (int i = 0; i < rows; ++i) have.push_back({SeriesId{answer.series(i)}, answer.count(i), answer.last_step(i)});
      const int summaries = std::min(answer.summary_size(), answer.summary_mark_size());
      for (int i = 0; i < summaries; ++i) have.push_back({SeriesId{answer.summary(i)}, 0, 0, positionOf(answer.summary_mark(i))});
      if (m_feed) m_feed->answer(have, SeriesId{answer.through()});
    }
    const Status status = tell();
    if (status.ok()) continue;
    const MutexLock lock(m_mutex);
    m_broken = true;
    if (m_link) m_link->finish(status);
    m_link.reset();
    m_detached_since = monotonicNow();
    return;
  }
}

Status FeedSession::tell() {
  if (!m_feed) {
    FeedOptions options = m_options;
    options.spare = [this] {
      const MutexLock lock(m_mutex);
      return hasSpareRoom() && !m_encoder.busy();
    };
    RG_ASSIGN(m_feed, Feed::open(
                          m_store, m_reader, m_encoder, [this] { return m_encoder.full() || m_stop; }, std::move(options)));
    if (m_begin.source_uuid == m_feed->sourceUuid()) m_feed->resume(m_begin);
  }
  m_generation = m_feed->generation();
  RG_ASSIGN(m_more, m_feed->step(wallNow(), monotonicNow()));
  m_has_time = m_feed->hasTime();
  std::string definitions = m_encoder.takeDefinitions();
  if (!definitions.empty()) emit(std::move(definitions), true);
  if (std::string payload = m_encoder.takePayload(); !payload.empty()) emit(std::move(payload), false);
  return {};
}

void FeedSession::emit(std::string payload, bool definitions) {
  Unacked one{.frame = packFrame(payload)};
  one.frame.set_seq(m_next_seq++);
  one.frame.set_definitions(definitions);
  one.frame.set_source_generation(m_generation);
  one.bytes = one.frame.packed().size() + 32;
  const MutexLock lock(m_mutex);
  m_in_flight += one.bytes;
  m_unacked.push_back(std::move(one));
  send(m_unacked.back());
}

void FeedSession::send(Unacked& one) {
  if (!m_link) return;
  one.sent = monotonicNow();
  v1::FeedMessage message;
  *message.mutable_frame() = one.frame;
  m_link->send(std::move(message));
}

}  // namespace runglass
