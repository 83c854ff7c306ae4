// SPDX-License-Identifier: Apache-2.0
// LocalAgent: the client source on one directory of rings, as an agent would run it.
//
// Threading:  the test's thread.
// Ownership:  owns the source and its recorded data.
// Units:      ns.
// Errors:     gtest failures.
// Cost:       a poll every few milliseconds.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "collectors/sources/client/client_source.h"
#include "tests/collectors/client/trainer_process.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/wait_until.h"

namespace runglass::test {

class LocalAgent {
 public:
  explicit LocalAgent(const RingDirectory& dir) : m_config(toml::table{{"dirs", toml::array{dir.path()}}, {"poll_ms", 1}}) {
    m_context.node.uuid = "node-uuid";
    m_context.node.name = "n0";
    m_context.now = [] { return wallNow(); };
    m_context.config = &m_config;
    m_context.orders = &orders;
    EXPECT_TRUE(m_source->start(out, m_context).ok());
  }
  void pollUntil(const std::function<bool()>& done) {
    EXPECT_TRUE(waitUntil([&] {
      if (done()) return true;
      m_source->poll(out, m_now += 250 * kNsPerMs);
      return false;
    }));
  }
  void pollUntilEnd(std::size_t processes = 1) {
    pollUntil([&] {
      std::size_t ends = 0;
      for (const Event& event : out.events) ends += event.kind == "process_exit";
      return ends >= processes;
    });
  }
  MemoryRecorder out;
  OrderQueue orders;

 private:
  toml::table m_config;
  SourceContext m_context;
  std::unique_ptr<Source> m_source = makeClientSource();
  TimeNs m_now = wallNow();
};

inline std::string fact(const MemoryRecorder& out, std::string_view key) {
  for (const Fact& fact : out.facts)
    if (fact.key == key) return fact.value;
  return "(none)";
}

}  // namespace runglass::test
