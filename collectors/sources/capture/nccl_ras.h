// SPDX-License-Identifier: Apache-2.0
// NcclRas: the verbose status of a job from NCCL's RAS subsystem (2.24 and later).
//
// Threading:  as CapturePiece.
// Ownership:  owns the connection.
// Units:      ns of the monotonic clock, bytes.
// Errors:     no listener, or no answer within kPatience: absent, with the cause.
// Cost:       one connection.
#pragma once

#include <string>

#include "collectors/sources/capture/capture_log.h"

namespace runglass {

class NcclRas : public CapturePiece {
 public:
  static constexpr DurNs kPatience = 6 * kNsPerSecond;  // RAS itself waits up to 5 s for unresponsive processes

  // "HOST:PORT", HOST a number or "localhost".
  NcclRas(CaptureLog::Owner owner, std::string address) : m_owner(owner), m_address(std::move(address)) {}
  ~NcclRas() override;
  bool poll(CaptureLog& log, DurNs now) override;
  void giveUp(CaptureLog& log) override;
  const char* kind() const override { return "nccl_ras"; }

  // Whether an address from a trainer's environment can only reach this machine.
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
