// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. A resource has at most one request running, and a time for its next one exactly while none is running. 2. Posted actions
// hold no reference to the KubeWatch.
#include "collectors/services/kubernetes/kube_watch.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "collectors/services/kubernetes/resource_watch.h"
#include "net/http_transfers.h"

namespace runglass {
namespace {

constexpr DurNs kPostEvery = 200 * kNsPerMs, kLongestWait = kNsPerSecond;
constexpr DurNs kSettle = 2 * ClusterRecord::kOwnerPatience;     // pods that wait for their owner are recorded by then
constexpr DurNs kCompleteIn = 2 * ResourceWatch::kLongestPause;  // from the first answer: each was asked again by then
constexpr std::size_t kChangesPerPost = 4'096, kMaxToken = 64U << 10, kMaxAnswer = std::size_t{1} << 40U;

struct Posted {
  struct Listed {
    std::string api, kind, space;
    std::set<std::string> uids;
  };
  std::vector<std::variant<std::pair<KubeChange, TimeNs>, Listed>> changes;  // in order
};

struct Watched {
  ResourceWatch watch;
  DurNs due = 0, begun = 0;
  bool running = false;
};

}  // namespace

struct KubeWatch::Parts {
  Parts(KubeWatchOptions said, Post to)
      : options(std::move(said)), post(std::move(to)), record(std::make_shared<ClusterRecord>(options.record)) {
    std::vector<std::string> spaces = options.namespaces;
    if (spaces.empty()) spaces.emplace_back();
    for (const std::string& space : spaces)
      for (const KubeResource& resource : kubeResources())
        watched.push_back(std::make_unique<Watched>(Watched{.watch = ResourceWatch(resource, space, options.selector)}));
    sink = {.change =
                [this](KubeChange change) {
                  if (const std::string& node = change.object.nodeName(); options.node_uuid && !node.empty())
                    change.object.node_uuid = options.node_uuid(node);
                  waiting.changes.emplace_back(std::pair(std::move(change), wallNow()));
                  if (waiting.changes.size() >= kChangesPerPost) send();
                },
            .listed =
                [this](std::string_view api, std::string_view kind, const std::string& space, const std::set<std::string>& uids) {
                  waiting.changes.emplace_back(Posted::Listed{std::string(api), std::string(kind), space, uids});
                },
            .trouble =
                [this](const std::string& words) {
                  if (options.report && !words.empty()) options.report("kubernetes: " + words);
                }};
    thread = std::thread([this] { run(); });
  }

  void run();
  void begin(Watched& of);
  void send();

  const KubeWatchOptions options;
  const Post post;
  const std::shared_ptr<ClusterRecord> record;
  std::vector<std::unique_ptr<Watched>> watched;
  ResourceWatch::Sink sink;
  HttpTransfers http;
  Posted waiting;
  bool complete = false;  // every resource was listed or refused once, or has had the time for it
  DurNs sent_at = 0, changed_at = 0;
  std::optional<DurNs> first_answer;
  std::atomic<bool> stopping = false;
  std::thread thread;
};

void KubeWatch::Parts::run() {
  while (!stopping) {
    const DurNs now = monotonicNow();
    DurNs patience = kLongestWait;
    for (const auto& one : watched) {
      if (one->running) continue;
      if (one->due <= now)
        begin(*one);
      else
        patience = std::min(patience, one->due - now);
    }
    const auto isTried = [](const auto& one) { return one->watch.tried(); };
    if (!first_answer && std::ranges::any_of(watched, isTried)) first_answer = now;
    // While the API server is away nothing is tried; one resource that never answers does not hold up the others.
    const bool completes = !complete && first_answer && (std::ranges::all_of(watched, isTried) || now - *first_answer >= kCompleteIn);
    complete = complete || completes;
    if (completes || !waiting.changes.empty()) changed_at = now;
    if (now - sent_at >= (waiting.changes.empty() ? kLongestWait : kPostEvery) && now - changed_at < kSettle) send();
    if (!waiting.changes.empty()) patience = std::min(patience, kPostEvery);
    http.drive(patience + kNsPerMs);
  }
}

void KubeWatch::Parts::begin(Watched& of) {
  of.running = true;
  of.begun = monotonicNow();
  HttpRequest request{.url = options.access.url + of.watch.path(), .headers = {"Accept: application/json"}};
  request.timeout = of.watch.watching() ? ResourceWatch::kWatchFor + 30 * kNsPerSecond : 60 * kNsPerSecond;
  request.most_bytes = kMaxAnswer;  // objects are bounded one by one
  request.ca_file = options.access.ca_file;
  if (!options.access.token_file.empty()) {
    std::string token(kMaxToken, '\0');
    std::ifstream file(options.access.token_file, std::ios::binary);
    file.read(token.data(), static_cast<std::streamsize>(token.size()));
    token.resize(static_cast<std::size_t>(file.gcount()));
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.pop_back();
    request.headers.push_back("Authorization: Bearer " + token);
  }
  const auto head = std::make_shared<int>(0);
  http.start(
      std::move(request),
      [this, &of, head](const HttpAnswer& answer, std::string_view piece) {
        *head = answer.status;
        of.watch.body(answer.status, piece, sink);
        return true;
      },
      [this, &of, head](const Result<HttpAnswer>& answer) {
        of.running = false;
        const DurNs now = monotonicNow();
        // A stream that was cut has a status and a reason.
        of.due =
            now + of.watch.ended(answer.ok() ? answer->status : *head, answer.ok() ? "" : answer.status().message(), now - of.begun, sink);
      });
}

void KubeWatch::Parts::send() {
  sent_at = monotonicNow();
  auto posted = std::make_shared<Posted>(std::exchange(waiting, {}));
  post([posted, record = record, complete = complete](Recorder& out) {
    for (auto& one : posted->changes) {
      if (auto* change = std::get_if<std::pair<KubeChange, TimeNs>>(&one))
        record->take(std::move(change->first), change->second);
      else if (const auto* listed = std::get_if<Posted::Listed>(&one))
        record->listed(listed->api, listed->kind, listed->space, listed->uids);
    }
    // Before that, owners of pods and pods of events may be missing only because they are listed later.
    if (complete) record->record(out, wallNow());
  });
}

KubeWatch::KubeWatch(KubeWatchOptions options, Post post) : m_parts(std::make_unique<Parts>(std::move(options), std::move(post))) {}

KubeWatch::~KubeWatch() { stop(); }

void KubeWatch::stop() {
  m_parts->stopping = true;
  m_parts->http.wake();
  if (m_parts->thread.joinable()) m_parts->thread.join();
}

}  // namespace runglass
