// SPDX-License-Identifier: Apache-2.0
#include "collectors/http/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace runglass {
namespace {

constexpr std::size_t kMostHeaderBytes = 64U << 10;

struct Transfer {
  std::size_t most_bytes = 0, header_bytes = 0;
  std::stop_token stop;
  std::string body;
  bool too_much = false;
};

std::size_t onBody(char* data, std::size_t size, std::size_t count, void* to) {
  auto& t = *static_cast<Transfer*>(to);
  const std::size_t bytes = size * count;
  if (t.body.size() + bytes > t.most_bytes) {
    t.too_much = true;
    return 0;
  }
  t.body.append(data, bytes);
  return bytes;
}

std::size_t onHeader(char*, std::size_t size, std::size_t count, void* to) {
  auto& t = *static_cast<Transfer*>(to);
  t.header_bytes += size * count;
  t.too_much = t.header_bytes > kMostHeaderBytes;
  return t.too_much ? 0 : size * count;
}

int onProgress(void* to, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(to)->stop.stop_requested() ? 1 : 0;
}

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

void startLibraryOnce() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

Status statusOf(CURLcode code, const Transfer& transfer, const HttpRequest& request, const char* why) {
  const std::string what = request.method + " " + shownUrl(request.url) + ": ";
  if (transfer.too_much)
    return {Code::kResourceExhausted, what + "the answer is larger than " + std::to_string(request.most_bytes) + " bytes"};
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return {Code::kInvalidArgument, what + "not an http or https address"};
    case CURLE_OPERATION_TIMEDOUT:
      return {Code::kUnavailable, what + "no answer within " + std::to_string(request.timeout / kNsPerMs) + " ms"};
    case CURLE_ABORTED_BY_CALLBACK:
      return {Code::kCancelled, what + "stopped"};
    default:
      return {Code::kUnavailable, what + (*why ? why : curl_easy_strerror(code))};
  }
}

}  // namespace

struct HttpClient::Handle {
  CURL* curl = nullptr;
};

HttpClient::HttpClient() : m_handle(std::make_unique<Handle>()) {
  startLibraryOnce();
  m_handle->curl = curl_easy_init();
}

HttpClient::~HttpClient() { curl_easy_cleanup(m_handle->curl); }

Result<HttpAnswer> HttpClient::request(const HttpRequest& request, std::stop_token stop) {
  CURL* curl = m_handle->curl;
  if (curl == nullptr) return Status(Code::kResourceExhausted, "http: no memory for a client");
  Transfer transfer;
  transfer.most_bytes = request.most_bytes;
  transfer.stop = std::move(stop);
  std::unique_ptr<curl_slist, FreeList> headers;
  for (const std::string& header : request.headers) {
    if (curl_slist* longer = curl_slist_append(headers.get(), header.c_str())) {
      [[maybe_unused]] auto* same = headers.release();
      headers.reset(longer);
    }
  }
  char why[CURL_ERROR_SIZE] = "";
  curl_easy_reset(curl);  // keeps the connections
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");  // the limits below count what comes out
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout / kNsPerMs));
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "runglass");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, onBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, onHeader);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, onProgress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  if (!request.ca_file.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, request.ca_file.c_str());
  if (request.method != "GET") {
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) return statusOf(code, transfer, request, why);
  HttpAnswer answer;
  answer.body = std::move(transfer.body);
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  answer.status = static_cast<int>(status);
  const char* type = nullptr;
  curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr) answer.content_type = type;
  return answer;
}

std::string shownUrl(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t path = std::min(url.find_first_of("/?#", host), url.size());
  const std::size_t at = url.rfind('@', path);
  const std::size_t begin = at != std::string::npos && at >= host ? at + 1 : host;
  return url.substr(0, host) + url.substr(begin, std::min(url.find_first_of("?#", begin), url.size()) - begin);
}

}  // namespace runglass
