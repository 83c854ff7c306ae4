// SPDX-License-Identifier: Apache-2.0
// Status and Result<T>: the result of a call that may fail. The code determines the action; the message is "what failed: which object:
// why".
//
// Ownership:  Result owns its value.
// Errors:     odd data is not an error but an ingest issue (events.h); a bug of Runglass is RG_CHECK.
// Cost:       Status is a code and a string, empty when ok.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace runglass {

// gRPC's codes, so that a Status is the same on the wire.
enum class Code : std::uint8_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : m_code(code), m_message(std::move(message)) {}
  bool ok() const { return m_code == Code::kOk; }
  Code code() const { return m_code; }
  const std::string& message() const { return m_message; }

 private:
  Code m_code = Code::kOk;
  std::string m_message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : m_value(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : m_status(std::move(status)) {  // NOLINT(google-explicit-constructor)
    if (m_status.ok()) m_status = Status(Code::kInternal, "Result made from an ok Status without a value");
  }
  bool ok() const { return m_value.has_value(); }
  const Status& status() const { return m_status; }
  T& value() & { return check(), *m_value; }
  const T& value() const& { return check(), *m_value; }
  T value() && { return check(), std::move(*m_value); }  // by value: `for (x : *call())` keeps the container alive
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void check() const {
    if (m_value.has_value()) return;
    std::fprintf(stderr, "Result::value() of a failure: %s\n", m_status.message().c_str());
    std::abort();
  }
  std::optional<T> m_value;
  Status m_status;
};

namespace detail {
[[noreturn]] inline void checkFailed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: RG_CHECK failed: %s\n", file, line, what);
  std::abort();
}
}  // namespace detail

}  // namespace runglass

// An invariant of the code. Never for data from outside.
#define RG_CHECK(cond) ((cond) ? void() : ::runglass::detail::checkFailed(#cond, __FILE__, __LINE__))
#define RG_JOIN_(a, b) a##b
#define RG_JOIN(a, b) RG_JOIN_(a, b)
// Returns the Status of `expr` from the calling function if it failed.
#define RG_TRY(expr)                                                              \
  do {                                                                            \
    if (::runglass::Status rg_status = (expr); !rg_status.ok()) return rg_status; \
  } while (false)
// `RG_ASSIGN(auto x, call());` declares x or returns the call's Status.
#define RG_ASSIGN(decl, expr)                                                             \
  auto RG_JOIN(rg_result_, __LINE__) = (expr);                                            \
  if (!RG_JOIN(rg_result_, __LINE__).ok()) return RG_JOIN(rg_result_, __LINE__).status(); \
  decl = std::move(RG_JOIN(rg_result_, __LINE__)).value()
