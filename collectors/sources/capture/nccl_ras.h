// SPDX-License-Identifier: Apache-2.0
// NcclRas: what NCCL's RAS subsystem (2.24 and later) says of a job when it is asked for its verbose status.
//
// Threading:  as CapturePiece.
// Ownership:  owns the connection.
// Units:      ns of the monotonic clock, bytes.
// Errors:     nobody listens, or says nothing within kPatience: not there, with the reason.
// Cost:       one connection.
#pragma once

#include <string>

#include "collectors/sources/capture/capture_log.h"

namespace runglass {

class NcclRas : public CapturePiece {
 public:
  static constexpr DurNs kPatience = 6 * kNsPerSecond;  // RAS itself waits up to 5 s for processes that do not answer

  // "HOST:PORT", a number or "localhost".
  NcclRas(CaptureLog::Owner owner, std::string address) : m_owner(owner), m_address(std::move(address)) {}
  ~NcclRas() override;
  bool poll(CaptureLog& log, DurNs now) override;
  void giveUp(CaptureLog& log) override;
  const char* kind() const override { return "nccl_ras"; }

  // Whether an address from a trainer's environment leads nowhere but to this machine.
  static bool isLocal(const std::string& address);

 private:
  Status begin();

  CaptureLog::Owner m_owner;
  std::string m_address;
  int m_fd = -1;
  bool m_asked = false;
  DurNs m_until = 0;
  std::string m_text;
};

}  // namespace runglass
