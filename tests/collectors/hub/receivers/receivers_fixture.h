// SPDX-License-Identifier: Apache-2.0
// Receivers over a hub that takes each batch at once, and answers as the test says.
//
// Threading:  the port's calls come from threads of the receivers.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <utility>

#include "collectors/hub/receivers/receivers.h"
#include "storage/open_store.h"
#include "tests/support/temp_folder.h"

namespace runglass {

class ReceiversFixture : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(openStore(m_folder.file("s.rgl")).writer().ok());
    m_port.deliver = [this](const ReceivedBatch& batch) {
      m_delivered += static_cast<int>(!batch.payload.empty());
      batch.done(m_status);
    };
    m_port.has_room = [this] { return m_room.load(); };
    m_port.settle = [] {};
    m_port.commit = [] { return Status(); };
    m_port.reader = [this] { return openStore(m_folder.file("s.rgl")).reader(); };
    m_port.stats = [] { return HubStats{.samples = 7}; };
    m_port.node_uuid = [](const std::string&) { return std::string(); };
    m_port.this_node = "here";
  }
  void start() {
    auto started = Receivers::start(m_options, m_port);
    ASSERT_TRUE(started.ok()) << started.status().message();
    m_receivers = std::move(*started);
  }

  test::TempFolder m_folder;
  ReceiverOptions m_options;
  ReceiverPort m_port;
  std::atomic<bool> m_room = true;
  std::atomic<int> m_delivered = 0;
  Status m_status;
  std::unique_ptr<Receivers> m_receivers;
};

}  // namespace runglass
