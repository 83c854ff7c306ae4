// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. A handle is in `running` from its addition to the multi handle until its removal. 2. Callbacks run only when no handle is
// being removed, so that they may start others.
#include "net/http_transfers.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/transfer.h"

namespace runglass {
namespace {

constexpr long kMaxConnections = 1'024;  // kept open for reuse
constexpr std::size_t kMaxIdle = 64;     // handles, kept for their buffers

struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

struct Running {
  CurlHandle curl;
  std::unique_ptr<Transfer> transfer;
  HttpTransfers::OnDone on_done;
};

}  // namespace

struct HttpTransfers::Parts {
  std::unique_ptr<CURLM, FreeMulti> multi;
  std::unordered_map<CURL*, Running> running;
  std::vector<CurlHandle> idle;
};

HttpTransfers::HttpTransfers() : m_parts(std::make_unique<Parts>()) {
  if (CurlHandle first = makeCurl()) m_parts->idle.push_back(std::move(first));  // initializes the library
  m_parts->multi.reset(curl_multi_init());
  if (m_parts->multi) curl_multi_setopt(m_parts->multi.get(), CURLMOPT_MAXCONNECTS, kMaxConnections);
}

HttpTransfers::~HttpTransfers() {
  for (auto& [curl, running] : m_parts->running) curl_multi_remove_handle(m_parts->multi.get(), curl);
}

void HttpTransfers::start(HttpRequest request, OnBody on_body, OnDone on_done) {
  Running running;
  if (!m_parts->idle.empty()) {
    running.curl = std::move(m_parts->idle.back());
    m_parts->idle.pop_back();
  } else {
    running.curl = makeCurl();
  }
  CURL* const curl = running.curl.get();
  if (curl == nullptr || !m_parts->multi) return on_done(Status(Code::kResourceExhausted, "http: no memory for a client"));
  running.transfer = std::make_unique<Transfer>(curl, std::move(request), std::move(on_body));
  running.on_done = std::move(on_done);
  const CURLMcode added = curl_multi_add_handle(m_parts->multi.get(), curl);
  if (added != CURLM_OK) return running.on_done(Status(Code::kUnavailable, std::string("http: ") + curl_multi_strerror(added)));
  m_parts->running.emplace(curl, std::move(running));
}

void HttpTransfers::drive(DurNs patience) {
  CURLM* const multi = m_parts->multi.get();
  int count = 0;
  curl_multi_perform(multi, &count);
  bool done = false;
  while (const CURLMsg* const message = curl_multi_info_read(multi, &count)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    const auto it = m_parts->running.find(message->easy_handle);
    Result<HttpAnswer> answer = it->second.transfer->outcome(code);
    curl_multi_remove_handle(multi, it->first);
    Running ended = std::move(it->second);
    m_parts->running.erase(it);
    ended.transfer.reset();
    if (m_parts->idle.size() < kMaxIdle) m_parts->idle.push_back(std::move(ended.curl));
    done = true;
    ended.on_done(std::move(answer));
  }
  if (!done) curl_multi_poll(multi, nullptr, 0, static_cast<int>(std::clamp<DurNs>(patience / kNsPerMs, 0, 60'000)), nullptr);
}

void HttpTransfers::wake() { curl_multi_wakeup(m_parts->multi.get()); }

std::size_t HttpTransfers::running() const { return m_parts->running.size(); }

}  // namespace runglass
