// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A frame's header is passed on as a whole, once the frame is judged; of a held frame nothing has been passed on.
// 2. A call is open from its HEADERS until the hub ended it or either side reset it: by then gRPC has answered it. A client counts an open
//    call at least as long, so that a client that observes MAX_CONCURRENT_STREAMS never reaches the limit here.
// 3. Frames that a client must send in response to the hub (acknowledgements, WINDOW_UPDATE for received data) refill the budget that they
//    use.
#include "collectors/hub/server/http2_guard.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace runglass {
namespace {

constexpr std::size_t kHead = 9;
enum Type : std::uint8_t { kData, kHeaders, kPriority, kReset, kSettings, kPushPromise, kPing, kGoaway, kWindowUpdate, kContinuation };
constexpr std::uint8_t kEndStream = 1, kEndHeaders = 4;
constexpr std::uint32_t kMaxControl = 1U << 10;  // length of a frame that carries neither headers nor data
constexpr double kAnswerBytes = 512;             // of data to the client, per frame in return: a client's WINDOW_UPDATE

std::uint32_t bytesAt(const char* at, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8U | static_cast<std::uint8_t>(at[i]);
  return value;
}

}  // namespace

bool Http2Guard::Budget::take(double cost, DurNs now) {
  if (since != 0) give(per_second * static_cast<double>(now - since) / 1e9);
  since = now;
  left -= cost;
  return left >= 0;
}

Http2Guard::Frame Http2Guard::frameAt(const char* head) {
  return {.length = bytesAt(head, 3),
          .stream = bytesAt(head + 5, 4) & 0x7fff'ffffU,
          .type = static_cast<std::uint8_t>(head[3]),
          .flags = static_cast<std::uint8_t>(head[4])};
}

void Http2Guard::admit() {
  if (m_admitted) return;
  m_admitted = true;
  m_resets = {200, 200, 50};
  m_control = {2'000, 2'000, 200};
}

std::size_t Http2Guard::pass(std::string_view bytes, std::size_t max_bytes, DurNs now) {
  if (m_verdict == Verdict::kBreak) return 0;
  m_verdict = Verdict::kPass;
  const std::size_t share = kBytesBefore - m_passed;
  const std::size_t limit = m_admitted ? bytes.size() : std::min({bytes.size(), max_bytes, share});
  const auto hold = [&] {
    m_verdict = Verdict::kHold;
    m_share_used = share <= max_bytes;
  };
  m_share_used = false;
  std::size_t done = 0;
  while (m_verdict == Verdict::kPass && done < bytes.size()) {
    const std::size_t room = limit - done;
    const std::string_view rest = bytes.substr(done);
    if (m_preface < kPreface.size()) {
      const std::size_t step = std::min(rest.size(), kPreface.size() - m_preface);
      if (rest.substr(0, step) != kPreface.substr(m_preface, step))
        breakOff("sent bytes that are not HTTP/2");
      else if (room < step)
        hold();
      if (m_verdict != Verdict::kPass) break;
      m_preface += step;
      done += step;
    } else if (m_frame_left > 0) {
      const std::size_t step = std::min({rest.size(), room, std::size_t{m_frame_left}});
      if (step == 0) hold();
      payload(rest.substr(0, step));
      m_frame_left -= static_cast<std::uint32_t>(step);
      done += step;
    } else {
      if (rest.size() < kHead) break;
      const Frame frame = frameAt(rest.data());
      // A partial header block would be an open call that nothing answers.
      const bool whole = !m_admitted && (frame.type == kHeaders || frame.type == kContinuation) && frame.length <= kMaxHeaderBlock;
      if ((whole ? std::min(max_bytes, share) - done : room) < kHead + (whole ? frame.length : 0))
        hold();
      else
        m_verdict = begin(frame, now);
      if (m_verdict != Verdict::kPass) break;
      m_frame = frame;
      m_frame_left = frame.length;
      done += kHead;
    }
  }
  if (m_verdict == Verdict::kBreak) return 0;
  if (!m_admitted) m_passed += done;
  return done;
}

Http2Guard::Verdict Http2Guard::breakOff(const char* problem) {
  m_problem = problem;
  return m_verdict = Verdict::kBreak;
}

Http2Guard::Verdict Http2Guard::control(double cost, DurNs now, const char* problem) {
  return m_control.take(cost, now) ? Verdict::kPass : breakOff(problem);
}

Http2Guard::Verdict Http2Guard::begin(const Frame& frame, DurNs now) {
  if (m_block != 0 || frame.type == kContinuation) return continueBlock(frame, now);
  if (frame.type == kHeaders) return beginCall(frame, now);
  if (frame.type == kData) {
    Call* const call = find(frame.stream);
    const bool ends = (frame.flags & kEndStream) != 0;
    if (call == nullptr || call->ended || (frame.length == 0 && !ends)) return control(1, now, "too many empty frames");
    call->ended = ends;
    if (frame.length == 0) return Verdict::kPass;
    call->unfinished += kFrameCost;
    count(kFrameCost);
    if (m_unfinished + frame.length > m_limits.unfinished) return breakOff("too many bytes of unfinished messages");
    if (m_limits.shared != nullptr && *m_limits.shared + frame.length > m_limits.max_shared)
      return breakOff("unfinished messages of all connections take the memory for them");
    return Verdict::kPass;
  }
  if (frame.type == kPushPromise) return breakOff("a client's PUSH_PROMISE");
  if (frame.length > kMaxControl) return breakOff("a control frame of more than 1 KiB");
  if (frame.type == kReset && find(frame.stream) != nullptr) {
    if (!m_resets.take(1, now)) return breakOff("too many calls reset");
    close(frame.stream);
  }
  return control(1, now, "too many control frames");
}

Http2Guard::Verdict Http2Guard::beginCall(const Frame& frame, DurNs now) {
  if (frame.stream % 2 == 0) return breakOff("a stream number that is not a client's");
  if (frame.length > kMaxHeaderBlock) return breakOff("headers of more than 16 KiB");
  if (frame.stream > m_last) {
    if (m_calls.size() >= kCalls) return breakOff("more than 64 calls at once");
    if (!m_admitted && m_calls.size() >= kCallsBefore) return Verdict::kHold;
    m_last = frame.stream;
    m_calls.push_back({.stream = frame.stream});
  } else if (control(1, now, "too many headers on ended calls") == Verdict::kBreak) {
    return Verdict::kBreak;
  }
  m_block_bytes = frame.length;
  if ((frame.flags & kEndHeaders) == 0) m_block = frame.stream;
  return Verdict::kPass;
}

Http2Guard::Verdict Http2Guard::continueBlock(const Frame& frame, DurNs now) {
  if (frame.type != kContinuation || frame.stream != m_block || m_block == 0) return breakOff("a header block that is not continued");
  m_block_bytes += frame.length;
  if (m_block_bytes > kMaxHeaderBlock) return breakOff("headers of more than 16 KiB");
  if ((frame.flags & kEndHeaders) != 0) m_block = 0;
  return control(1, now, "too many CONTINUATION frames");
}

// Follows the messages of a call: gRPC buffers an incomplete one without delivering it to the call.
void Http2Guard::payload(std::string_view bytes) {
  if (m_frame.type != kData) return;
  Call* const call = find(m_frame.stream);
  if (call == nullptr) return;
  while (!bytes.empty()) {
    const bool in_head = call->head_bytes < call->head.size();
    const std::size_t step = std::min(bytes.size(), in_head ? call->head.size() - call->head_bytes : std::size_t{call->message_left});
    if (in_head) {
      std::memcpy(call->head.data() + call->head_bytes, bytes.data(), step);
      call->head_bytes = static_cast<std::uint8_t>(call->head_bytes + step);
      if (call->head_bytes == call->head.size()) call->message_left = bytesAt(reinterpret_cast<const char*>(call->head.data()) + 1, 4);
    } else {
      call->message_left -= static_cast<std::uint32_t>(step);
    }
    call->unfinished += step;
    count(step);
    bytes.remove_prefix(step);
    if (call->head_bytes < call->head.size() || call->message_left > 0) continue;
    count(0 - std::exchange(call->unfinished, 0));
    call->head_bytes = 0;
  }
}

void Http2Guard::count(std::size_t bytes) {
  m_unfinished += bytes;
  if (m_limits.shared != nullptr) *m_limits.shared += bytes;
}

Http2Guard::Call* Http2Guard::find(std::uint32_t stream) {
  const auto found = std::ranges::find(m_calls, stream, &Call::stream);
  return found == m_calls.end() ? nullptr : &*found;
}

void Http2Guard::close(std::uint32_t stream) {
  const auto found = std::ranges::find(m_calls, stream, &Call::stream);
  if (found == m_calls.end()) return;
  count(0 - found->unfinished);
  *found = m_calls.back();
  m_calls.pop_back();
}

void Http2Guard::answered(std::string_view bytes) {
  while (!bytes.empty()) {
    if (m_answer_left > 0) {
      const std::size_t step = std::min(bytes.size(), std::size_t{m_answer_left});
      m_answer_left -= static_cast<std::uint32_t>(step);
      bytes.remove_prefix(step);
      continue;
    }
    const std::size_t step = std::min(bytes.size(), kHead - m_answer_head_bytes);
    std::memcpy(m_answer_head.data() + m_answer_head_bytes, bytes.data(), step);
    m_answer_head_bytes += step;
    bytes.remove_prefix(step);
    if (m_answer_head_bytes < kHead) return;
    m_answer_head_bytes = 0;
    const Frame frame = frameAt(m_answer_head.data());
    m_answer_left = frame.length;
    // A client answers a small message, such as an acknowledgement, with window updates of the call and of the connection.
    const double min_charge = m_admitted ? 2 : 0;
    m_control.give(frame.type == kData ? std::max(min_charge, static_cast<double>(frame.length) / kAnswerBytes) : 1);
    const bool ends = frame.type == kReset || ((frame.type == kHeaders || frame.type == kData) && (frame.flags & kEndStream) != 0);
    if (ends) close(frame.stream);
  }
}

}  // namespace runglass
