// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A frame is acknowledged once it is journaled, and recorded before the next one is journaled.
// 2. Frames of a session are in order without gaps; a connection that violates this is cut, and the session abandoned.
// 3. A journal epoch can be decoded alone: see JournaledSession. The file is marked as a replica before the first frame is journaled.
// 4. A session ends with its process: a new process reports its state instead.
#include "collectors/hub/replica/mirror.h"

#include <time.h>

#include <deque>
#include <thread>
#include <unordered_map>

#include "collectors/hub/replica/mirror_link.h"
#include "collectors/wire/feed_frame.h"
#include "collectors/wire/feed_names.h"
#include "collectors/wire/journaled_session.h"
#include "collectors/wire/judgement_message.h"
#include "collectors/wire/payload_replay.h"
#include "model/mutex.h"
#include "storage/open_store.h"
#include "storage/read/change_reader.h"

namespace runglass {
namespace {

constexpr DurNs kTick = 50 * kNsPerMs;
constexpr DurNs kAsleep = 5 * kNsPerSecond;  // a larger gap between ticks on the boot-time clock: the machine was suspended
constexpr std::uint64_t kCredit = 512U << 10;
constexpr std::uint32_t kVersion = 1;
// Frames are not taken while this many commits in a row have failed, or this much is journaled and not stored.
constexpr int kMaxFailedCommits = 3;
constexpr std::int64_t kMaxUnstored = std::int64_t{256} << 20;

DurNs bootNow() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<DurNs>(now.tv_sec) * kNsPerSecond + now.tv_nsec;
}

// An empty store can become a replica, a replica stays one; any other store is rejected.
Status mayBeMirror(const std::string& path, const Writer& writer) {
  if (writer.mirror()) return {};
  RG_ASSIGN(const auto reader, openStore(path).reader({.live = writer.liveTail()}));
  RG_ASSIGN(const auto runs, reader->runs());
  RG_ASSIGN(const auto nodes, reader->nodes());
  if (runs.empty() && nodes.empty()) return {};
  return {Code::kFailedPrecondition, "cannot follow into " + path + ": it is a store with data of its own; name a new file"};
}

}  // namespace

struct Mirror::Parts {
  explicit Parts(MirrorOptions o) : options(std::move(o)), questions(std::make_shared<HubQuestions>(options.hub.hub, options.hub.token)) {}

  MirrorOptions options;
  const std::shared_ptr<HubQuestions> questions;
  std::unique_ptr<Writer> writer;
  std::shared_ptr<const LiveTail> tail;
  std::string uuid;

  // Used by the store thread alone.
  std::string session;  // empty: none
  std::unique_ptr<JournaledSession> inbound;
  std::uint64_t next_seq = 0;
  std::size_t series_answered = 0;
  std::shared_ptr<FeedNames> names;  // id mapping of the session
  struct {
    std::size_t nodes = 0, runs = 0, attempts = 0, series = 0, tracks = 0;
  } named;
  bool had_any = false;  // whether the replica had series when the session began
  bool connection_good = false;
  int failed_commits = 0;  // since the last one that did not fail

  mutable Mutex mutex;
  ConditionVariable wake, completed;
  // In order of occurrence: the end of a connection comes before the messages of the next one.
  struct Incoming {
    v1::FeedMessage message;
    std::optional<Status> lost;
    std::string source;  // of the lost connection
  };
  std::deque<Incoming> inbox RG_GUARDED_BY(mutex);
  v1::Join join RG_GUARDED_BY(mutex);
  MirrorStatus status RG_GUARDED_BY(mutex);
  DurNs heard RG_GUARDED_BY(mutex) = 0;    // monotonic; start of the silence timeout
  DurNs brought RG_GUARDED_BY(mutex) = 0;  // monotonic; time of the last message; 0: none yet
  bool stopping RG_GUARDED_BY(mutex) = false;
  std::string said RG_GUARDED_BY(mutex);
  Status closed;  // result of stop(), once the thread has ended

  std::unique_ptr<MirrorLink> link;
  std::thread thread;

  void run();
  void take(const v1::FeedMessage& message);
  Status begin(const v1::Joined& joined);
  Status store(const v1::Frame& frame);
  Status answerFor();
  void nameDefined();
  void abandon(const Status& status);
  void tick();
  void noteJoin();
  Status inWords(const Status& why) const {
    return why.ok() || !options.words ? why : Status(why.code(), options.words(why.code(), why.message()));
  }
  void explain(const Status& status, const std::string& source);
};

Mirror::Mirror() = default;
Mirror::~Mirror() { (void)stop(); }

Result<std::unique_ptr<Mirror>> Mirror::start(MirrorOptions options) {
  std::unique_ptr<Mirror> mirror(new Mirror());
  mirror->m_parts = std::make_unique<Parts>(std::move(options));
  Parts& p = *mirror->m_parts;
  RG_ASSIGN(p.writer, openStore(p.options.store).writer({.replay = makeJournalReplay(), .contact = p.options.hub.hub}));
  RG_TRY(mayBeMirror(p.options.store, *p.writer));
  p.tail = p.writer->liveTail();
  {
    RG_ASSIGN(const auto reader, openStore(p.options.store).reader());
    RG_ASSIGN(StoreInfo info, reader->info());
    p.uuid = std::move(info.store_uuid);
  }
  p.noteJoin();
  if (const auto& mark = p.writer->mirror()) {
    const MutexLock lock(p.mutex);
    p.status.complete = mark->complete;
    p.status.summarised = mark->summarised;
    p.questions->grown(0, mark->complete);
  }
  p.link = std::make_unique<MirrorLink>(p.options, MirrorLink::User{.join =
                                                                        [&p] {
                                                                          const MutexLock lock(p.mutex);
                                                                          return p.join;
                                                                        },
                                                                    .take =
                                                                        [&p](v1::FeedMessage message) {
                                                                          const MutexLock lock(p.mutex);
                                                                          p.heard = p.brought = monotonicNow();
                                                                          p.status.bytes +=
                                                                              static_cast<std::int64_t>(message.ByteSizeLong());
                                                                          p.inbox.push_back({std::move(message), std::nullopt, {}});
                                                                          p.wake.notifyOne();
                                                                        },
                                                                    .lost =
                                                                        [&p](const Status& status, const std::string& source) {
                                                                          p.questions->disconnected(p.inWords(status));
                                                                          const MutexLock lock(p.mutex);
                                                                          p.inbox.push_back({{}, status, source});
                                                                          p.wake.notifyOne();
                                                                        }});
  p.thread = std::thread([&p] { p.run(); });
  p.link->start();
  return mirror;
}

MirrorStatus Mirror::status() const {
  const MutexLock lock(m_parts->mutex);
  MirrorStatus status = m_parts->status;
  if (m_parts->brought != 0 && status.connections > 0) status.silent = monotonicNow() - m_parts->brought;
  return status;
}

ReaderOptions Mirror::readerOptions() const { return {.live = m_parts->tail}; }
std::shared_ptr<HubQuestions> Mirror::questions() const { return m_parts->questions; }

bool Mirror::wait(std::optional<TimeNs> MirrorStatus::*mark, DurNs timeout) {
  Parts& p = *m_parts;
  MutexLock lock(p.mutex);
  const std::optional<TimeNs> before = p.status.*mark;
  p.completed.waitFor(lock, timeout, [&]() RG_REQUIRES(p.mutex) { return p.status.*mark != before || p.status.refused || p.stopping; });
  return p.status.*mark != before;
}

Status Mirror::stop() {
  if (!m_parts) return {};
  Parts& p = *m_parts;
  if (p.link) p.link->stop();
  {
    const MutexLock lock(p.mutex);
    p.stopping = true;
    p.wake.notifyOne();
    p.completed.notifyAll();
  }
  if (p.thread.joinable()) p.thread.join();
  p.questions->disconnected({Code::kUnavailable, "it is not followed any more"});
  return p.closed;
}

void Mirror::Parts::run() {
  DurNs next_tick = 0, boot = bootNow();
  while (true) {
    std::optional<Incoming> next;
    {
      MutexLock lock(mutex);
      // Unacknowledged frames are limited by the credit.
      const bool taking = failed_commits < kMaxFailedCommits && writer->journalBytes() <= kMaxUnstored;
      wake.waitFor(lock, kTick, [&]() RG_REQUIRES(mutex) { return (taking && !inbox.empty()) || stopping; });
      if (taking && !inbox.empty()) {
        next = std::move(inbox.front());
        inbox.pop_front();
      } else if (stopping) {
        break;
      }
    }
    if (next && next->lost) explain(*next->lost, next->source);
    if (next && !next->lost) take(next->message);
    if (monotonicNow() < next_tick) continue;
    next_tick = monotonicNow() + kTick;
    // After a suspend the connection can be dead without an error.
    const DurNs now = bootNow();
    if (now - boot > kAsleep) link->cut();
    boot = now;
    tick();
  }
  closed = writer->close();
}

void Mirror::Parts::tick() {
  const Status flushed = writer->flushIfDue();
  const bool again = flushed.ok() && failed_commits > 0;
  failed_commits = flushed.ok() ? 0 : failed_commits + 1;
  bool silent = false;
  {
    const MutexLock lock(mutex);
    if (!flushed.ok()) status.problem = flushed.message();
    if (again) status.problem.clear();
    silent = status.connected && monotonicNow() - heard > options.silence;
    if (silent) heard = monotonicNow();
  }
  if (silent) link->cut();
}

void Mirror::Parts::explain(const Status& why, const std::string& source) {
  questions->disconnected(inWords(why));
  connection_good = false;
  std::string text;
  {
    const MutexLock lock(mutex);
    status.connected = status.caught_up = false;
    status.refused = why.code() == Code::kFailedPrecondition || why.code() == Code::kUnauthenticated ||
                     why.code() == Code::kPermissionDenied || why.code() == Code::kInvalidArgument;
    status.code = why.ok() ? Code::kUnavailable : why.code();
    const bool other = why.code() == Code::kFailedPrecondition && writer->mirror() && writer->mirror()->source_uuid != source;
    status.other_source = other ? source : std::string();
    status.problem = why.ok() ? "the hub ended the connection" : why.message();
    if (status.refused) completed.notifyAll();
    if (status.problem == said) return;
    said = status.problem;
    text = said;
  }
  text = "hub " + options.hub.hub + ": " + inWords(Status(why.ok() ? Code::kUnavailable : why.code(), text)).message();
  options.say(text + (text.ends_with('.') || text.ends_with('?') ? " Trying again." : "; trying again"));
}

// The Join for the next connection.
void Mirror::Parts::noteJoin() {
  v1::Join next;
  next.set_proto_version(kVersion);
  next.set_follower_uuid(uuid);
  if (writer->mirror()) *next.mutable_mark() = messageOf(*writer->mirror());
  next.set_session(session);
  next.set_next_seq(next_seq);
  next.set_credit_bytes(kCredit);
  const MutexLock lock(mutex);
  join = std::move(next);
}

// The session cannot continue: the next connection begins another one.
void Mirror::Parts::abandon(const Status& why) {
  questions->disconnected(inWords(why));
  session.clear();
  inbound.reset();
  connection_good = false;
  noteJoin();
  {
    const MutexLock lock(mutex);
    status.code = why.code();
    status.problem = why.message();
  }
  options.say("hub " + options.hub.hub + ": " + why.message() + "; beginning again");
  link->cut();
}

void Mirror::Parts::take(const v1::FeedMessage& message) {
  Status done;
  if (message.has_joined()) {
    done = begin(message.joined());
  } else if (message.has_frame() && connection_good) {
    done = store(message.frame());
  }
  if (!done.ok()) abandon(done);
}

Status Mirror::Parts::begin(const v1::Joined& joined) {
  if (joined.proto_version() == 0 || joined.source_uuid().empty() || joined.session().empty())
    return {Code::kDataLoss, "the hub's first answer lacks its version, store or session"};
  const DurNs ahead = joined.hub_ns() - wallNow();  // before the work below takes time
  if (joined.source_uuid() == uuid) return {Code::kFailedPrecondition, "that hub writes this very store"};
  if (const auto& mirror = writer->mirror(); mirror && mirror->source_uuid != joined.source_uuid())
    return {Code::kFailedPrecondition, "this is a copy of store " + mirror->source_uuid + ", that hub writes " + joined.source_uuid()};
  const bool resumed = joined.resumed() && joined.session() == session && inbound;
  if (joined.resumed() && !resumed) return {Code::kAborted, "the hub continues another session"};
  if (!resumed) {
    MirrorMark mark = writer->mirror().value_or(MirrorMark{.source_uuid = joined.source_uuid(), .from = {}, .complete = {}});
    mark.from = options.hub.hub;
    writer->mark(mark);
    RG_TRY(writer->flush());
    session = joined.session();
    inbound = std::make_unique<JournaledSession>(StreamKey{"follow:" + joined.source_uuid(), session, 0}, "hub " + options.hub.hub);
    next_seq = 0;
    series_answered = 0;
    names = std::make_shared<FeedNames>();
    named = {};
    RG_ASSIGN(const auto reader, openStore(options.store).reader({.live = tail}));
    RG_ASSIGN(const auto series, reader->series({}));
    had_any = !series.empty();
  }
  connection_good = true;
  noteJoin();
  questions->connected(link->channel(), session, names, ahead);
  bool tell = false;
  {
    const MutexLock lock(mutex);
    status.connected = true;
    status.hub_ahead = ahead;
    ++status.connections;
    status.resumed += resumed ? 1 : 0;
    tell = !status.problem.empty();
    status.code = Code::kOk;
    status.problem.clear();
    status.other_source.clear();
    status.refused = status.caught_up = false;
    said.clear();
  }
  if (tell) options.say("hub " + options.hub.hub + ": connected");
  return {};
}

Status Mirror::Parts::store(const v1::Frame& frame) {
  v1::FollowerMessage answer;
  if (frame.seq() > next_seq) return {Code::kDataLoss, "frames are missing"};
  if (frame.seq() == next_seq) {
    RG_ASSIGN(std::string payload, unpackFrame(frame));
    if (frame.definitions()) {
      // Used twice: now, so that the replica can answer for them, and in front of the next journaled payload.
      (void)inbound->replay().playFeed(payload, *writer);
      nameDefined();
      inbound->define(payload);
    } else {
      const std::string journaled = inbound->inFront(*writer) + payload;
      RG_TRY(writer->journal(inbound->key(), frame.seq(), journaled).status());
      RG_TRY(writer->syncJournal());
      const PayloadCounts counts = inbound->replay().playFeed(journaled, *writer);
      if (const Status failed = writer->takeFailure(); !failed.ok()) writer->setAside(inbound->key(), frame.seq(), journaled, failed);
      if (!counts.intact) return {Code::kDataLoss, "a frame cannot be read"};
    }
    ++next_seq;
    noteJoin();
    const MutexLock lock(mutex);
    ++status.frames;
    if (const auto& mark = writer->mirror()) {
      if (mark->complete != status.complete) status.caught_up = true;
      status.complete = mark->complete;
      status.summarised = mark->summarised;
      completed.notifyAll();
    }
  }
  questions->grown(frame.source_generation(), writer->mirror() ? writer->mirror()->complete : std::nullopt);
  if (frame.definitions()) RG_TRY(answerFor());
  answer.mutable_ack()->set_next_seq(next_seq);
  (void)link->send(answer);
  return {};
}

// For Readers that send questions.
void Mirror::Parts::nameDefined() {
  const PayloadReplay::Defined defined = inbound->replay().defined();
  const auto pair = [this]<class Id>(std::span<const Id> ids, std::size_t& done) {
    for (; done < ids.size(); ++done) names->pair(ids[done], Id{done + 1});
  };
  pair(defined.nodes, named.nodes);
  pair(defined.runs, named.runs);
  pair(defined.attempts, named.attempts);
  pair(defined.series, named.series);
  pair(defined.tracks, named.tracks);
}

// Reports the points present of the series defined since the last answer.
Status Mirror::Parts::answerFor() {
  const std::size_t defined = inbound->replay().seriesCount();
  v1::FollowerMessage message;
  v1::SeriesHad& had = *message.mutable_had();
  had.set_through(static_cast<std::uint32_t>(defined));
  if (had_any && defined > series_answered) {
    std::unordered_map<std::uint64_t, std::uint32_t> ids;
    for (std::size_t id = series_answered + 1; id <= defined; ++id) {
      const auto wire = static_cast<std::uint32_t>(id);
      ids.emplace(inbound->replay().series(wire).value, wire);
    }
    RG_ASSIGN(const auto changes, openStore(options.store).changes());
    RG_ASSIGN(const auto copied, changes->copied());
    for (const auto& [series, position] : copied) {
      const auto asked = ids.find(series.value);
      if (asked == ids.end()) continue;
      had.add_summary(asked->second);
      *had.add_summary_mark() = messageOf(position);
    }
    RG_ASSIGN(const auto reader, openStore(options.store).reader({.live = tail}));
    RG_ASSIGN(const auto series, reader->series({.kind = SeriesKind::kScalar}));
    for (const Series& one : series) {
      const auto asked = ids.find(one.id.value);
      if (asked == ids.end() || one.sample_count == 0) continue;
      had.add_series(asked->second);
      had.add_count(one.sample_count);
      had.add_last_step(one.last_x);
    }
  }
  series_answered = defined;
  (void)link->send(message);
  return {};
}

}  // namespace runglass
