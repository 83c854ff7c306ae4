// SPDX-License-Identifier: Apache-2.0
// One request to libcurl: the common part of HttpClient and HttpTransfers. For this room only.
//
// Threading:  one thread.
// Ownership:  borrows the handle; owns request and headers, whose addresses must not change while libcurl runs.
// Units:      ns; bytes of the decompressed body.
#pragma once

#include <curl/curl.h>

#include <array>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "net/http_client.h"

namespace runglass {

class Transfer {
 public:
  using OnBody = std::function<bool(const HttpAnswer& head, std::string_view piece)>;

  Transfer(CURL* curl, HttpRequest request, OnBody on_body, std::stop_token stop = {});
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // The result after libcurl has finished; its body is empty, since it went to OnBody in pieces.
  Result<HttpAnswer> outcome(CURLcode code);

 private:
  static std::size_t onBody(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t onHeader(char* data, std::size_t size, std::size_t count, void* self);
  static int onProgress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  void fillHead();

  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  CURL* const m_curl;
  const HttpRequest m_request;
  const OnBody m_on_body;
  const std::stop_token m_stop;
  std::unique_ptr<curl_slist, FreeList> m_headers;
  std::array<char, CURL_ERROR_SIZE> m_why{};
  HttpAnswer m_head;
  std::size_t m_body_bytes = 0, m_header_bytes = 0;
  bool m_too_much = false, m_unwanted = false;
};

struct FreeCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};
using CurlHandle = std::unique_ptr<CURL, FreeCurl>;
CurlHandle makeCurl();  // null: out of memory

}  // namespace runglass
