// SPDX-License-Identifier: Apache-2.0
// MirrorLink: keeps one connection to a hub's feed alive.
//
// Threading:  a thread of its own dials and reads; send() from one other thread; cut() from any.
// Ownership:  borrows its user, which outlives it.
// Units:      ns.
// Errors:     none reach the caller; it tries again after growing, jittered pauses.
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
    // A connection ended or could not be had; `source`: the uuid of the hub's store, where it said so.
    std::function<void(const Status&, const std::string& source)> lost;
  };
  MirrorLink(const MirrorOptions& options, User user) : m_options(options), m_user(std::move(user)) {}
  ~MirrorLink() { stop(); }

  void start();
  void stop();
  // False: there is no connection, or it has just ended.
  bool send(const v1::FollowerMessage& message);
  // Of the connection there is, for other calls over it; null: none.
  std::shared_ptr<grpc::Channel> channel();
  // Ends the connection, if there is one; another one is tried.
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
