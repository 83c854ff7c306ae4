// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "widgets/core/edit_port.h"

namespace runglass {

// Accepts edits as a store would, or refuses them.
class FakeEdits : public EditPort {
 public:
  QString refusal() const override { return why; }
  void submit(Edit edit, QObject*, std::function<void(const Status&)> done) override {
    edits.push_back(std::move(edit));
    done(answer);
  }
  QString why;
  Status answer;
  std::vector<Edit> edits;
};

}  // namespace runglass
