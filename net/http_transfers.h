// SPDX-License-Identifier: Apache-2.0
// HttpTransfers: many bounded HTTP requests at a time on one thread, each answer handed on piece by piece as it arrives.
//
// Threading:  one thread, in whose drive() all callbacks happen; wake() from any.
// Ownership:  owns the connections, which are kept for later requests to the same hosts. The destructor drops what runs, without a call.
// Units:      ns, bytes (of the body as it is after unpacking).
// Errors:     as HttpClient::request(); CANCELLED also where the receiver wanted no more.
// Cost:       one socket and some 32 KiB per running request; no redirects, no cookies, no proxies.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "net/http_client.h"

namespace runglass {

class HttpTransfers {
 public:
  // A piece of the body, with status and content type. False: no more of it is wanted.
  using OnBody = std::function<bool(const HttpAnswer& head, std::string_view piece)>;
  // The end; the answer's body is empty. May start() another.
  using OnDone = std::function<void(Result<HttpAnswer>)>;

  HttpTransfers();
  ~HttpTransfers();

  void start(HttpRequest request, OnBody on_body, OnDone on_done);
  // Works on what runs until something was done, wake() is called or `patience` has passed.
  void drive(DurNs patience);
  void wake();
  std::size_t running() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
