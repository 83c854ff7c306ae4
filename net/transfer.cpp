// SPDX-License-Identifier: Apache-2.0
#include "net/transfer.h"

#include <algorithm>
#include <utility>

#include "net/ca_file.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxHeaderBytes = 64U << 10;

bool isLoopback(const std::string& url) {
  const std::unique_ptr<CURLU, void (*)(CURLU*)> parsed(curl_url(), curl_url_cleanup);
  char* text = nullptr;
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK ||
      curl_url_get(parsed.get(), CURLUPART_HOST, &text, 0) != CURLUE_OK)
    return false;
  const std::string host(text);
  curl_free(text);
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

}  // namespace

CurlHandle makeCurl() {
  [[maybe_unused]] static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
  return CurlHandle(curl_easy_init());
}

Transfer::Transfer(CURL* curl, HttpRequest request, OnBody on_body, std::stop_token stop)
    : m_curl(curl), m_request(std::move(request)), m_on_body(std::move(on_body)), m_stop(std::move(stop)) {
  for (const std::string& header : m_request.headers) {
    if (curl_slist* longer = curl_slist_append(m_headers.get(), header.c_str())) {
      [[maybe_unused]] auto* same = m_headers.release();
      m_headers.reset(longer);
    }
  }
  curl_easy_reset(curl);  // keeps the connections
  curl_easy_setopt(curl, CURLOPT_URL, m_request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  if (!m_request.environment_proxy || isLoopback(m_request.url)) curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  // Without this, a name server that hangs delays the transfer beyond its timeout; the resolver's thread ends by itself.
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");  // the limits below count decompressed bytes
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<DurNs>(1, m_request.timeout / kNsPerMs)));
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "runglass");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, m_headers.get());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, m_why.data());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Transfer::onBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &Transfer::onHeader);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
  if (m_stop.stop_possible()) {
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &Transfer::onProgress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, this);
  }
  const std::string ca_file = m_request.ca_file.empty() ? systemCaFile() : m_request.ca_file;
  if (!ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, ca_file.c_str());
  if (!m_request.user.empty()) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(curl, CURLOPT_USERNAME, m_request.user.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, m_request.password.c_str());
  }
  if (m_request.method != "GET") {
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, m_request.method.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, m_request.body.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(m_request.body.size()));
  }
}

void Transfer::fillHead() {
  long status = 0;
  curl_easy_getinfo(m_curl, CURLINFO_RESPONSE_CODE, &status);
  m_head.status = static_cast<int>(status);
  const char* type = nullptr;
  curl_easy_getinfo(m_curl, CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr) m_head.content_type = type;
}

std::size_t Transfer::onBody(char* data, std::size_t size, std::size_t count, void* self) {
  auto& t = *static_cast<Transfer*>(self);
  const std::size_t bytes = size * count;
  if (t.m_body_bytes == 0) t.fillHead();
  t.m_body_bytes += bytes;
  t.m_too_much = t.m_body_bytes > t.m_request.most_bytes;
  t.m_unwanted = !t.m_too_much && !t.m_on_body(t.m_head, {data, bytes});
  return t.m_too_much || t.m_unwanted ? 0 : bytes;
}

std::size_t Transfer::onHeader(char*, std::size_t size, std::size_t count, void* self) {
  auto& t = *static_cast<Transfer*>(self);
  t.m_header_bytes += size * count;
  t.m_too_much = t.m_header_bytes > kMaxHeaderBytes;
  return t.m_too_much ? 0 : size * count;
}

int Transfer::onProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(self)->m_stop.stop_requested() ? 1 : 0;
}

Result<HttpAnswer> Transfer::outcome(CURLcode code) {
  const std::string what = m_request.method + " " + (m_request.secret_path ? shownHost(m_request.url) : shownUrl(m_request.url)) + ": ";
  if (m_too_much && m_header_bytes > kMaxHeaderBytes)
    return Status(Code::kResourceExhausted, what + "the headers are larger than " + std::to_string(kMaxHeaderBytes) + " bytes");
  if (m_too_much)
    return Status(Code::kResourceExhausted, what + "the answer is larger than " + std::to_string(m_request.most_bytes) + " bytes");
  if (m_unwanted) return Status(Code::kCancelled, what + "the rest of the answer was not wanted");
  switch (code) {
    case CURLE_OK:
      fillHead();
      return std::move(m_head);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return Status(Code::kInvalidArgument, what + "not an http or https address");
    case CURLE_OPERATION_TIMEDOUT:
      return Status(Code::kUnavailable, what + "no answer within " + std::to_string(m_request.timeout / kNsPerMs) + " ms");
    case CURLE_SSL_CACERT_BADFILE:
      return Status(Code::kUnavailable,
                    what + (m_request.ca_file.empty() ? "this host has no file of certificate authorities; name one (ca_file)"
                                                      : m_request.ca_file + ": no certificates can be read from it"));
    case CURLE_ABORTED_BY_CALLBACK:
      return Status(Code::kCancelled, what + "stopped");
    default:
      return Status(Code::kUnavailable, what + (m_why.front() != '\0' ? m_why.data() : curl_easy_strerror(code)));
  }
}

}  // namespace runglass
