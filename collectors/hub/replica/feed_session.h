// SPDX-License-Identifier: Apache-2.0
// FeedSession: one replica of a store: its feed, and the frames that it has not acknowledged. It outlives connections, so that after a lost
// connection only unacknowledged frames are sent again.
//
// Threading:  one thread at low priority; all calls from any thread, only stop() and the destructor block.
// Ownership:  owns the feed; shares links.
// Units:      bytes on the wire.
// Errors:     an unreadable store ends the link with that Status; the session is broken() then.
// Cost:       memory: the feed's, and at most kMaxWindow of frames.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "collectors/hub/replica/feed.h"
#include "collectors/wire/feed_encoder.h"
#include "model/mutex.h"
#include "runglass/v1/follow.pb.h"

namespace runglass {

// A connection of a replica; the gRPC reactor implements it.
class FeedLink {
 public:
  virtual ~FeedLink() = default;
  virtual void send(v1::FeedMessage message) = 0;
  virtual void finish(const Status& status) = 0;
};

class FeedSession {
 public:
  static constexpr std::size_t kMinWindow = std::size_t{16} << 10, kMaxWindow = std::size_t{512} << 10;

  // `mark`: state of the replica.
  FeedSession(std::string name, std::string store, ReaderOptions reader, FeedOptions options, MirrorMark mark);
  ~FeedSession();

  const std::string& name() const { return m_name; }
  std::shared_ptr<const FeedNames> names() const { return m_options.names; }
  // A connection takes the session over; frames below `next_seq` are stored there. The others are sent again.
  void attach(std::shared_ptr<FeedLink> link, std::uint64_t next_seq, std::size_t credit);
  void detach(const FeedLink* link);
  void acked(std::uint64_t next_seq);
  void had(const v1::SeriesHad& had);
  // Time without a connection; 0: connected.
  DurNs idle() const;
  bool broken() const;
  void finish(const Status& status);  // ends the connection
  void requestStop();
  void stop();  // waits for a running read of the store

 private:
  struct Unacked {
    v1::Frame frame;
    std::size_t bytes = 0;
    DurNs sent = 0;
  };
  void run();
  Status tell();
  void emit(std::string payload, bool definitions);
  void send(Unacked& one) RG_REQUIRES(m_mutex);
  bool hasRoom() const RG_REQUIRES(m_mutex) { return m_in_flight < m_window; }
  // For low-priority data: it must not delay new data, and little of it may be lost with the connection.
  bool hasSpareRoom() const RG_REQUIRES(m_mutex) { return m_in_flight < m_window / 4; }

  const std::string m_name, m_store;
  const ReaderOptions m_reader;
  const FeedOptions m_options;  // names are set
  const MirrorMark m_begin;
  // Used by the session's thread alone.
  FeedEncoder m_encoder;
  std::unique_ptr<Feed> m_feed;
  std::uint64_t m_next_seq = 0, m_generation = 0;
  bool m_more = false, m_has_time = false;  // there is more to send; it can wait for spare room

  mutable Mutex m_mutex;
  ConditionVariable m_wake;
  std::shared_ptr<FeedLink> m_link RG_GUARDED_BY(m_mutex);
  DurNs m_detached_since RG_GUARDED_BY(m_mutex) = monotonicNow();
  std::deque<Unacked> m_unacked RG_GUARDED_BY(m_mutex);
  std::size_t m_in_flight RG_GUARDED_BY(m_mutex) = 0;
  std::size_t m_window RG_GUARDED_BY(m_mutex) = kMinWindow * 4;
  std::size_t m_credit RG_GUARDED_BY(m_mutex) = kMaxWindow;
  std::uint64_t m_narrowed_at RG_GUARDED_BY(m_mutex) = 0;  // seq after which the window may shrink again
  std::deque<v1::SeriesHad> m_had RG_GUARDED_BY(m_mutex);
  std::atomic<bool> m_stop = false;  // set under the mutex with which m_wake waits
  bool m_broken RG_GUARDED_BY(m_mutex) = false;

  std::thread m_thread;
};

}  // namespace runglass
