// SPDX-License-Identifier: Apache-2.0
// CaptureLog: receives the pieces of one capture, records them within the node's budget, and counts for the answer: captured, refused,
// absent.
//
// Threading:  one thread.
// Ownership:  borrows Recorder, context and budget.
// Units:      bytes; ns.
// Errors:     a piece beyond the budget is counted as refused and recorded as an issue.
// Cost:       a copy of each text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collectors/sources/source.h"
#include "model/captures.h"

namespace runglass {

// Bytes of captures that a node may record in an hour.
class CaptureBudget {
 public:
  explicit CaptureBudget(std::int64_t bytes) : m_bytes(bytes) {}
  bool take(std::int64_t bytes, DurNs now);

 private:
  std::int64_t m_bytes, m_used = 0;
  DurNs m_since = 0;
};

class CaptureLog {
 public:
  // Subject of a piece: a rank, or the node if `rank` is absent.
  struct Owner {
    AttemptId attempt;
    std::optional<std::int32_t> rank;
  };
  CaptureLog(Recorder& out, const SourceContext& context, NodeId node, CaptureReason reason, CaptureBudget& budget)
      : m_out(out), m_context(context), m_node(node), m_reason(reason), m_budget(budget) {}

  // `truncated`: bytes already left out before the text.
  void got(const Owner& owner, const char* kind, std::string source, std::string text, std::int64_t truncated = 0);
  void absent(const Owner& owner, const char* kind, const std::string& why) { say(m_absent, owner, kind, why); }
  void refused(const Owner& owner, const char* kind, const std::string& why) { say(m_refused, owner, kind, why); }

  bool anything() const { return !m_got.empty(); }
  bool anyRefused() const { return !m_refused.empty(); }
  // "stack 7, process 8; refused: ...; not there: nvml: no nvidia-smi".
  std::string words() const;
  Recorder& out() { return m_out; }
  TimeNs now() const { return m_context.now(); }
  CaptureReason reason() const { return m_reason; }

 private:
  using Said = std::map<std::string, std::vector<std::string>>;  // ranks by "kind: cause"
  static void say(Said& said, const Owner& owner, const char* kind, const std::string& why);
  static std::string wordsOf(const Said& said);

  Recorder& m_out;
  const SourceContext& m_context;
  NodeId m_node;
  CaptureReason m_reason;
  CaptureBudget& m_budget;
  std::map<std::string, int> m_got;
  Said m_absent, m_refused;
};

// One piece of a capture, polled until it is complete or its time limit. Its functions never block.
class CapturePiece {
 public:
  virtual ~CapturePiece() = default;
  // True: finished, and the result is in the log.
  virtual bool poll(CaptureLog& log, DurNs now) = 0;
  virtual void giveUp(CaptureLog& log) = 0;
  virtual const char* kind() const = 0;
};

}  // namespace runglass
