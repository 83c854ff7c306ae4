// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A question is sent on one connection; a partial answer is dropped when that connection ends.
// 2. m_running has every context that must be cancelled when the connection ends.
#include "collectors/hub/replica/hub_questions.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <set>
#include <thread>
#include <unordered_map>

#include "collectors/hub/replica/known_series.h"
#include "collectors/wire/answer_message.h"
#include "model/mutex.h"
#include "runglass/v1/ask.grpc.pb.h"

namespace runglass {
namespace {

constexpr auto kLook = std::chrono::milliseconds(50);  // for names that have not arrived yet
constexpr int kTries = 3;

// Answers about the past, which rarely change. A disconnected agent may still send spooled data, so no answer is used for longer than
// kGood. At most kMaxBytes; least recently used first out.
class AnswerCache {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  static constexpr DurNs kGood = 120 * kNsPerSecond;

  std::shared_ptr<const v1::Answer> find(const std::string& question, DurNs now) {
    const auto known = m_index.find(question);
    if (known == m_index.end()) return nullptr;
    if (now - known->second->asked > kGood) return drop(known->second), nullptr;
    m_entries.splice(m_entries.begin(), m_entries, known->second);
    return known->second->answer;
  }
  void keep(const std::string& question, std::shared_ptr<const v1::Answer> answer, DurNs now) {
    if (const auto known = m_index.find(question); known != m_index.end()) drop(known->second);
    const std::size_t bytes = kEntry + 2 * question.size() + answer->ByteSizeLong();
    m_entries.push_front({question, std::move(answer), now, bytes});
    m_index.emplace(question, m_entries.begin());
    m_bytes += bytes;
    while (m_bytes > kMaxBytes) drop(std::prev(m_entries.end()));
  }
  std::size_t bytes() const { return m_bytes; }

 private:
  static constexpr std::size_t kEntry = 256;
  struct Entry {
    std::string question;
    std::shared_ptr<const v1::Answer> answer;
    DurNs asked = 0;
    std::size_t bytes = 0;
  };
  void drop(std::list<Entry>::iterator entry) {
    m_bytes -= entry->bytes;
    m_index.erase(entry->question);
    m_entries.erase(entry);
  }

  std::list<Entry> m_entries;  // most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> m_index;
  std::size_t m_bytes = 0;
};

Status cancelled() { return {Code::kCancelled, "cancelled"}; }

}  // namespace

struct HubQuestions::Parts {
  struct Link {
    std::shared_ptr<grpc::Channel> channel;
    std::string session;
    std::shared_ptr<const FeedNames> names;
  };

  Parts(std::string h, std::string t) : hub(std::move(h)), token(std::move(t)) {}
  const std::string hub, token;

  mutable Mutex mutex;
  StoppableCondition wake;
  std::shared_ptr<const Link> link RG_GUARDED_BY(mutex);
  Status why RG_GUARDED_BY(mutex){Code::kUnavailable, "there was no connection yet"};
  DurNs lost_at RG_GUARDED_BY(mutex) = monotonicNow();
  DurNs hub_ahead RG_GUARDED_BY(mutex) = 0;
  int slots RG_GUARDED_BY(mutex) = kMaxRunning;
  std::set<grpc::ClientContext*> running RG_GUARDED_BY(mutex);
  AnswerCache cache RG_GUARDED_BY(mutex);
  std::uint64_t source RG_GUARDED_BY(mutex) = 0;
  std::uint64_t reported_source RG_GUARDED_BY(mutex) = 0;
  std::uint64_t generation RG_GUARDED_BY(mutex) = 0;
  DurNs reported_at RG_GUARDED_BY(mutex) = 0;
  std::optional<TimeNs> complete RG_GUARDED_BY(mutex);

  Status cannot(const std::string& reason) const { return {Code::kUnavailable, "hub " + hub + " cannot be asked: " + reason}; }

  // The current connection, or the next one if it was lost a moment ago.
  Result<std::shared_ptr<const Link>> connection(const std::stop_token& stop, const std::shared_ptr<const Link>& but) {
    MutexLock lock(mutex);
    const auto is = [&]() RG_REQUIRES(mutex) { return link && link != but; };
    const DurNs left = (but ? monotonicNow() : lost_at) + kPatience - monotonicNow();
    if (left > 0) wake.waitFor(lock, stop, left, is);
    if (stop.stop_requested()) return cancelled();
    if (!is()) return cannot(link ? "it broke off" : why.message());
    return link;
  }

  Result<v1::Question> question(const Fill& fill, const Link& to, const std::stop_token& stop) {
    for (const DurNs begin = monotonicNow();;) {
      v1::Question question;
      Crossing crossing{*to.names};
      RG_TRY(fill(question, crossing));
      question.set_session(to.session);
      if (!crossing.missing) return question;
      if (stop.stop_requested()) return cancelled();
      if (monotonicNow() - begin > kPatience) return cannot("it has not sent its id of this object yet");
      std::this_thread::sleep_for(kLook);
    }
  }

  Status take(const Take& take, const v1::Answer& answer, const Link& from, const std::stop_token& stop) {
    for (const DurNs begin = monotonicNow();;) {
      Crossing crossing{*from.names};
      RG_TRY(take(answer, crossing));
      // Ids still without a name are left out, as in the feed.
      if (!crossing.missing || monotonicNow() - begin > kPatience) return {};
      if (stop.stop_requested()) return cancelled();
      std::this_thread::sleep_for(kLook);
    }
  }

  // `ended`: the connection or the session ended; a retry on the next one can succeed.
  Result<std::shared_ptr<const v1::Answer>> call(const v1::Question& question, const std::shared_ptr<const Link>& to,
                                                 const std::stop_token& stop, DurNs deadline, bool& ended) {
    grpc::ClientContext context;
    {
      MutexLock lock(mutex);
      if (!wake.wait(lock, stop, [&]() RG_REQUIRES(mutex) { return slots > 0 || link != to; })) return cancelled();
      ended = link != to;
      if (ended) return cannot("it broke off");
      --slots;
      running.insert(&context);
    }
    if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::nanoseconds(deadline));
    AnswerAssembly assembly;
    Status damage;
    grpc::Status status;
    {
      const std::stop_callback on_stop(stop, [&context] { context.TryCancel(); });
      const auto stub = v1::Ask::NewStub(to->channel);
      const auto stream = stub->Ask(&context, question);
      v1::AnswerPart part;
      while (damage.ok() && stream->Read(&part)) damage = assembly.add(part);
      if (!damage.ok()) context.TryCancel();
      status = stream->Finish();
    }
    {
      const MutexLock lock(mutex);
      ++slots;
      running.erase(&context);
      wake.notifyAll();
    }
    if (stop.stop_requested()) return cancelled();
    RG_TRY(damage);
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) return cannot("it did not answer in time");
    const auto code = static_cast<Code>(status.error_code());
    switch (code) {
      case Code::kOk:
        break;
      case Code::kUnavailable:
      case Code::kCancelled:
      case Code::kAborted:
        ended = true;
        return cannot(status.error_message());
      case Code::kUnimplemented:
      case Code::kResourceExhausted:
        return cannot(status.error_message());
      default:
        return Status(code, status.error_message());
    }
    RG_ASSIGN(v1::Answer answer, assembly.take());
    return std::make_shared<const v1::Answer>(std::move(answer));
  }
};

HubQuestions::HubQuestions(std::string hub, std::string token)
    : m_parts(std::make_unique<Parts>(std::move(hub), std::move(token))), m_known(std::make_unique<Known>()) {}
HubQuestions::~HubQuestions() = default;

Status HubQuestions::ask(const Fill& fill, const Take& take, const std::stop_token& stop, Of of, DurNs deadline) {
  Parts& p = *m_parts;
  std::shared_ptr<const Parts::Link> link;
  for (int i = 1;; ++i) {
    RG_ASSIGN(link, p.connection(stop, link));
    RG_ASSIGN(const v1::Question question, p.question(fill, *link, stop));
    const std::string key = of == Of::kPast ? question.SerializeAsString() : std::string();
    std::shared_ptr<const v1::Answer> answer;
    if (of == Of::kPast) {
      const MutexLock lock(p.mutex);
      answer = p.cache.find(key, monotonicNow());
    }
    if (!answer) {
      bool ended = false;
      Result<std::shared_ptr<const v1::Answer>> came = p.call(question, link, stop, deadline, ended);
      if (ended && i < kTries) continue;
      RG_TRY(came.status());
      answer = std::move(came).value();
      if (of == Of::kPast) {
        const MutexLock lock(p.mutex);
        p.cache.keep(key, answer, monotonicNow());
      }
    }
    return p.take(take, *answer, *link, stop);
  }
}

std::uint64_t HubQuestions::generation() const {
  Parts& p = *m_parts;
  const MutexLock lock(p.mutex);
  if (const DurNs now = monotonicNow(); p.source != p.reported_source && now - p.reported_at >= kNsPerSecond) {
    p.reported_source = p.source;
    p.reported_at = now;
    ++p.generation;
  }
  return p.generation;
}

std::optional<TimeNs> HubQuestions::complete() const {
  const MutexLock lock(m_parts->mutex);
  return m_parts->complete;
}

std::optional<DurNs> HubQuestions::age() const {
  const MutexLock lock(m_parts->mutex);
  if (!m_parts->complete) return std::nullopt;
  return wallNow() + m_parts->hub_ahead - *m_parts->complete;
}

void HubQuestions::connected(std::shared_ptr<grpc::Channel> channel, std::string session, std::shared_ptr<const FeedNames> names,
                             DurNs hub_ahead) {
  if (!channel) return;
  const MutexLock lock(m_parts->mutex);
  m_parts->link = std::make_shared<Parts::Link>(Parts::Link{std::move(channel), std::move(session), std::move(names)});
  m_parts->hub_ahead = hub_ahead;
  ++m_parts->generation;  // Readers that used incomplete data ask again
  m_parts->wake.notifyAll();
}

void HubQuestions::disconnected(const Status& why) {
  Parts& p = *m_parts;
  const MutexLock lock(p.mutex);
  p.why = {Code::kUnavailable, why.message().empty() ? "the hub ended the connection" : why.message()};
  if (!p.link) return;
  p.link.reset();
  p.lost_at = monotonicNow();
  for (grpc::ClientContext* const context : p.running) context->TryCancel();
  p.wake.notifyAll();
}

void HubQuestions::grown(std::uint64_t source_generation, std::optional<TimeNs> complete) {
  const MutexLock lock(m_parts->mutex);
  m_parts->source = source_generation;
  m_parts->complete = complete;
}

}  // namespace runglass
