// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Every reactor reaches Finish exactly once; at most one write is outstanding.
// 2. A reactor lives until OnDone and until the pool has released it; m_self holds it for gRPC.
#include "collectors/hub/server/ask_service.h"

#include <deque>
#include <stop_token>

#include "collectors/hub/replica/answerer.h"

namespace runglass {

class AskReactor final : public grpc::ServerWriteReactor<v1::AnswerPart>, public std::enable_shared_from_this<AskReactor> {
 public:
  AskReactor(AskService& service, Admission& admission, Pass pass, v1::Question question)
      : m_service(service), m_standing(admission, std::move(pass)), m_question(std::move(question)) {}

  void begin(std::shared_ptr<const FeedNames> names) {
    m_self = shared_from_this();
    if (Status status = m_service.begin(*this, m_question.session()); !status.ok()) return finish(status);
    m_begun = true;
    const bool posted = m_service.m_pool.post([self = m_self, names = std::move(names)](const Result<Reader*>& reader) {
      self->answer(reader.ok() ? answerQuestion(self->m_question, **reader, *names, self->m_stop.get_token()) : reader.status());
    });
    if (!posted) finish(Status(Code::kUnavailable, "hub: is stopping"));
  }
  void finish(const Status& status) {
    m_stop.request_stop();
    const MutexLock lock(m_mutex);
    if (!m_finished) end(wireStatus(status));
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return;
    if (!m_standing.holds())
      return finish(Status(Code::kUnauthenticated, "ask: what '" + m_standing.pass().name + "' showed no longer counts"));
    next();
  }
  void OnCancel() override { finish(Status(Code::kCancelled, "ask: cancelled")); }
  void OnDone() override {
    m_service.remove(*this);
    {
      const MutexLock lock(m_mutex);
      m_service.release(m_reserved);
    }
    m_self.reset();
  }

 private:
  void answer(const Result<std::string>& answer) {
    if (!answer.ok()) return finish(answer.status());
    auto parts = partsOf(*answer);
    std::size_t bytes = 0;
    for (const v1::AnswerPart& part : parts) bytes += part.ByteSizeLong();
    {
      // If gRPC has finished the call already, nothing would release the reservation.
      const MutexLock lock(m_mutex);
      if (m_finished) return;
      if (!m_service.reserve(bytes))
        return end(wireStatus(Status(Code::kResourceExhausted, "ask: too many answers are on their way; try again")));
      m_reserved = bytes;
      m_parts.assign(std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
    }
    next();
  }
  // Released before its sender can receive the end of the answer and send the next question.
  void end(const grpc::Status& status) RG_REQUIRES(m_mutex) {
    m_finished = true;
    if (m_begun) m_service.answered(m_question.session());
    Finish(status);
  }
  void next() {
    const MutexLock lock(m_mutex);
    if (m_finished) return;
    if (m_parts.empty()) return end(grpc::Status::OK);
    m_write = std::move(m_parts.front());
    m_parts.pop_front();
    StartWrite(&m_write);
  }

  AskService& m_service;
  Standing m_standing;  // checked between writes
  const v1::Question m_question;
  std::stop_source m_stop;
  std::shared_ptr<AskReactor> m_self;
  bool m_begun = false;
  Mutex m_mutex;
  v1::AnswerPart m_write RG_GUARDED_BY(m_mutex);
  bool m_finished RG_GUARDED_BY(m_mutex) = false;
  std::size_t m_reserved RG_GUARDED_BY(m_mutex) = 0;
  std::deque<v1::AnswerPart> m_parts RG_GUARDED_BY(m_mutex);
};

namespace {

// Ends a rejected call.
class RefusedQuestion final : public grpc::ServerWriteReactor<v1::AnswerPart> {
 public:
  explicit RefusedQuestion(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

Status AskService::begin(AskReactor& reactor, const std::string& session) {
  const MutexLock lock(m_mutex);
  if (m_draining) return {Code::kUnavailable, "hub: is stopping"};
  const auto running = m_running.find(session);
  if (running != m_running.end() && running->second >= kMaxRunning)
    return {Code::kResourceExhausted, "ask: " + std::to_string(kMaxRunning) + " questions of this follower are being answered already"};
  ++m_running[session];
  m_reactors.insert(&reactor);
  return {};
}

void AskService::remove(AskReactor& reactor) {
  const MutexLock lock(m_mutex);
  m_reactors.erase(&reactor);
}

void AskService::answered(const std::string& session) {
  const MutexLock lock(m_mutex);
  const auto running = m_running.find(session);
  if (--running->second == 0) m_running.erase(running);
}

bool AskService::reserve(std::size_t bytes) {
  if (m_waiting.fetch_add(bytes) + bytes <= kMaxWaiting) return true;
  m_waiting -= bytes;
  return false;
}

void AskService::drain() {
  std::vector<std::shared_ptr<AskReactor>> all;
  {
    const MutexLock lock(m_mutex);
    m_draining = true;
    for (AskReactor* const one : m_reactors) all.push_back(one->shared_from_this());
  }
  for (const auto& one : all) one->finish(Status(Code::kUnavailable, "hub: is stopping"));
  m_pool.stop();
}

grpc::ServerWriteReactor<v1::AnswerPart>* AskService::Ask(grpc::CallbackServerContext* context, const v1::Question* question) {
  Result<Pass> pass = m_admission.admit(*context, Scope::kRead);
  if (!pass.ok()) return new RefusedQuestion(wireStatus(pass.status()));
  std::shared_ptr<const FeedNames> names = m_follow.names(question->session());
  if (!names) return new RefusedQuestion({grpc::StatusCode::ABORTED, "ask: this hub knows no such session"});
  auto reactor = std::make_shared<AskReactor>(*this, m_admission, std::move(pass).value(), *question);
  reactor->begin(std::move(names));
  return reactor.get();
}

}  // namespace runglass
