// SPDX-License-Identifier: Apache-2.0
// Http2Guard: parses the frame headers of one HTTP/2 connection in both directions and decides which of the client's bytes are passed on to
// gRPC. gRPC 1.51 limits neither calls before its SETTINGS are acknowledged, nor resets, nor CONTINUATION frames (RFC 9113, sections 6 and
// 10.5).
//
// Threading:  one thread at a time.
// Units:      bytes, frames, DurNs of the monotonic clock.
// Errors:     verdict(): kHold while the client must wait, kBreak with problem() when the connection must be closed.
// Cost:       per frame, not per byte; at most 64 open calls.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "model/time.h"

namespace runglass {

class Http2Guard {
 public:
  enum class Verdict : std::uint8_t { kPass, kHold, kBreak };

  static constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  static constexpr std::size_t kBytesBefore = 32U << 10;  // per connection without an admitted call
  static constexpr std::size_t kCallsBefore = 16, kCalls = 64;
  static constexpr std::size_t kMaxHeaderBlock = 16U << 10;
  static constexpr std::size_t kMaxUnfinished = 1U << 20, kFrameCost = 64;
  // For incomplete messages; each frame adds kFrameCost for gRPC's overhead.
  struct Limits {
    std::size_t unfinished = kMaxUnfinished;     // all calls of a connection together
    std::atomic<std::size_t>* shared = nullptr;  // also counts those of other connections and messages of calls; null: no counter
    std::size_t max_shared = std::numeric_limits<std::size_t>::max();
  };

  Http2Guard() = default;
  explicit Http2Guard(Limits limits) : m_limits(limits) {}
  Http2Guard(const Http2Guard&) = delete;
  Http2Guard& operator=(const Http2Guard&) = delete;
  ~Http2Guard() { count(0 - m_unfinished); }

  // Number of bytes at the front of `bytes` to pass on. The rest must be given again at the next call, followed by new bytes. `max_bytes`:
  // a further limit, of all connections without an admitted call.
  std::size_t pass(std::string_view bytes, std::size_t max_bytes, DurNs now);
  // All bytes to the client.
  void answered(std::string_view bytes);
  // A call was admitted.
  void admit();

  Verdict verdict() const { return m_verdict; }
  const char* problem() const { return m_problem; }
  bool admitted() const { return m_admitted; }
  std::size_t passed() const { return m_passed; }  // until a call was admitted
  bool shareUsed() const { return m_share_used; }  // it holds because of kBytesBefore
  std::size_t openCalls() const { return m_calls.size(); }

 private:
  // Refills with time.
  struct Budget {
    double left, size, per_second;
    DurNs since = 0;
    bool take(double cost, DurNs now);
    void give(double more) { left = left + more < size ? left + more : size; }
  };
  struct Call {
    std::uint32_t stream = 0;
    bool ended = false;                  // by the client
    std::array<std::uint8_t, 5> head{};  // of a message: compressed, length
    std::uint8_t head_bytes = 0;
    std::uint32_t message_left = 0;
    std::size_t unfinished = 0;  // received bytes of the message, with the cost of its frames
  };
  struct Frame {
    std::uint32_t length = 0, stream = 0;
    std::uint8_t type = 0, flags = 0;
  };
  static Frame frameAt(const char* head);
  Verdict begin(const Frame& frame, DurNs now);
  Verdict beginCall(const Frame& frame, DurNs now);
  Verdict continueBlock(const Frame& frame, DurNs now);
  Verdict control(double cost, DurNs now, const char* problem);
  Verdict breakOff(const char* problem);
  void payload(std::string_view bytes);
  // Adds to the bytes of incomplete messages; modulo 2^64.
  void count(std::size_t bytes);
  Call* find(std::uint32_t stream);
  void close(std::uint32_t stream);

  const Limits m_limits;
  bool m_admitted = false, m_share_used = false;
  Verdict m_verdict = Verdict::kPass;
  const char* m_problem = "";
  std::size_t m_preface = 0;  // received bytes of it
  std::size_t m_passed = 0;
  Frame m_frame;  // frame whose payload is being passed on
  std::uint32_t m_frame_left = 0;
  std::uint32_t m_block = 0;  // stream with an incomplete header block; 0: none
  std::size_t m_block_bytes = 0;
  std::uint32_t m_last = 0;      // stream of the newest call
  std::vector<Call> m_calls;     // open calls
  std::size_t m_unfinished = 0;  // sum over m_calls
  Budget m_resets{16, 16, 2}, m_control{64, 64, 5};
  // State of the other direction.
  std::array<char, 9> m_answer_head{};
  std::size_t m_answer_head_bytes = 0;
  std::uint32_t m_answer_left = 0;
};

}  // namespace runglass
