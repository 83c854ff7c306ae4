// SPDX-License-Identifier: Apache-2.0
// MirrorLink: maintains one connection to a hub's feed.
//
// Threading:  one thread connects and reads; send() from one other thread; cut() from any.
// Ownership:  borrows its user, which must outlive it.
// Units:      ns.
// Errors:     none reach the caller; it retries with growing, jittered backoff.
// Cost:       one copy of each frame.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "collectors/hub/replica/mirror.h"
#include "collectors/wire/control_client.h"
#include "model/mutex.h"
#include "runglass/v1/follow.pb.h"

namespace runglass {

class MirrorLink {
 public:
  // Called on the link's thread.
  struct User {
    std::function<v1::Join()> join;
    std::function<void(v1::FeedMessage)> take;
    // A connection ended or failed; `source`: the uuid of the hub's store, where the hub reported it.
    std::function<void(const Status&, const std::string& source)> lost;
  };
  MirrorLink(const MirrorOptions& options, User user) : m_options(options), m_user(std::move(user)) {}
  ~MirrorLink() { stop(); }

  void start();
  void stop();
  // False: there is no connection, or it has just ended.
  bool send(const v1::FollowerMessage& message);
  // Channel of the current connection, for other calls; null: none.
  std::shared_ptr<grpc::Channel> channel();
  // Ends the current connection, if any; the link then reconnects.
  void cut();

 private:
  struct Call;
  void run();
  Status follow(std::string& source);

  const MirrorOptions& m_options;
  const User m_user;
  Mutex m_mutex;
  ConditionVariable m_wake;
  std::shared_ptr<Call> m_call RG_GUARDED_BY(m_mutex);
  bool m_stop RG_GUARDED_BY(m_mutex) = false;
  std::thread m_thread;
};

}  // namespace runglass
