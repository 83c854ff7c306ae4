// SPDX-License-Identifier: Apache-2.0
// HttpTransfers: many bounded HTTP requests at a time on one thread; each answer is passed on in pieces as it arrives.
//
// Threading:  one thread, whose drive() makes all callbacks; wake() from any thread.
// Ownership:  owns the connections, which are reused for requests to the same hosts. The destructor drops running requests without a
//             callback.
// Units:      ns; bytes of the decompressed body.
// Errors:     as HttpClient::request(); CANCELLED also where OnBody returned false.
// Cost:       one socket and about 32 KiB per running request; no redirects, no cookies, no proxies.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "net/http_client.h"

namespace runglass {

class HttpTransfers {
 public:
  // A piece of the body, with status and content type. Return false to cancel the rest.
  using OnBody = std::function<bool(const HttpAnswer& head, std::string_view piece)>;
  // Called at the end, with an empty body. May call start().
  using OnDone = std::function<void(Result<HttpAnswer>)>;

  HttpTransfers();
  ~HttpTransfers();

  void start(HttpRequest request, OnBody on_body, OnDone on_done);
  // Drives running requests until one makes progress, wake() is called or `patience` has passed.
  void drive(DurNs patience);
  void wake();
  std::size_t running() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
