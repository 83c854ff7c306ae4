// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A call ends by cancelling its context, which makes every blocked operation on it return.
#include "collectors/hub/replica/mirror_link.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <random>

#include "collectors/wire/feed_frame.h"
#include "runglass/v1/follow.grpc.pb.h"

namespace runglass {
namespace {
constexpr DurNs kRefusedPause = 10 * kNsPerSecond;
}

struct MirrorLink::Call {
  std::shared_ptr<grpc::Channel> channel;
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReaderWriter<v1::FollowerMessage, v1::FeedMessage>> stream;
  std::atomic<bool> up = false;  // the Join was sent; until then only the link's thread uses the stream
};

void MirrorLink::start() {
  m_thread = std::thread([this] { run(); });
}

void MirrorLink::stop() {
  {
    const MutexLock lock(m_mutex);
    m_stop = true;
    if (m_call) m_call->context.TryCancel();
    m_wake.notifyAll();
  }
  if (m_thread.joinable()) m_thread.join();
}

std::shared_ptr<grpc::Channel> MirrorLink::channel() {
  const MutexLock lock(m_mutex);
  return m_call ? m_call->channel : nullptr;
}

void MirrorLink::cut() {
  const MutexLock lock(m_mutex);
  if (m_call) m_call->context.TryCancel();
}

bool MirrorLink::send(const v1::FollowerMessage& message) {
  std::shared_ptr<Call> call;
  {
    const MutexLock lock(m_mutex);
    call = m_call;
  }
  return call && call->up && call->stream->Write(message);
}

void MirrorLink::run() {
  std::minstd_rand random(static_cast<unsigned>(monotonicNow()));
  DurNs wait = m_options.first_pause;
  while (true) {
    const DurNs began = monotonicNow();
    std::string source;
    const Status status = follow(source);
    {
      const MutexLock lock(m_mutex);
      if (m_stop) return;
    }
    m_user.lost(status, source);
    if (monotonicNow() - began > 2 * kNsPerSecond) wait = m_options.first_pause;
    // After ten wrong tokens within a minute the hub checks none from this address for a while.
    if (status.code() == Code::kUnauthenticated) wait = std::max(wait, kRefusedPause);
    MutexLock lock(m_mutex);
    const auto pause = static_cast<DurNs>(static_cast<double>(wait) * std::uniform_real_distribution<double>(0.8, 1.2)(random));
    if (m_wake.waitFor(lock, pause, [this]() RG_REQUIRES(m_mutex) { return m_stop; })) return;
    wait = std::min(wait * 2, m_options.longest_pause);
  }
}

Status MirrorLink::follow(std::string& source) {
  RG_ASSIGN(const auto channel, hubChannel(m_options.hub));
  const auto stub = v1::Follow::NewStub(channel);
  auto call = std::make_shared<Call>();
  call->channel = channel;
  if (!m_options.hub.token.empty()) call->context.AddMetadata("authorization", "Bearer " + m_options.hub.token);
  v1::FollowerMessage message;
  *message.mutable_join() = m_user.join();
  call->stream = stub->Follow(&call->context);
  {
    // Before the first network wait, so that stop() can cancel it.
    const MutexLock lock(m_mutex);
    if (m_stop) call->context.TryCancel();
    m_call = call;
  }
  const bool asked = call->stream->Write(message);
  call->up = asked;
  v1::FeedMessage answer;
  while (asked && call->stream->Read(&answer)) m_user.take(std::move(answer));
  {
    // A concurrent writer holds its own reference; its write fails.
    const MutexLock lock(m_mutex);
    m_call.reset();
  }
  const grpc::Status status = call->stream->Finish();
  if (const auto& last = call->context.GetServerTrailingMetadata(); last.contains(kStoreKey)) {
    const grpc::string_ref uuid = last.find(kStoreKey)->second;
    source.assign(uuid.data(), uuid.size());
  }
  return {static_cast<Code>(status.error_code()), status.error_message()};
}

}  // namespace runglass
