// SPDX-License-Identifier: GPL-3.0-or-later
// Object: something of a store that a user can point at, find by name, open in a view, copy, or make an incident of.
//
// Threading:  plain values.
// Units:      TimeNs.
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/events.h"
#include "widgets/core/selection.h"

namespace runglass {

enum class ObjectKind : std::uint8_t { kRun, kRank, kNode, kGpu, kCurve, kSpan, kEvent, kFinding };

struct Object {
  ObjectKind kind = ObjectKind::kRun;
  QString name = {};    // "rank 37", made safe with screenText()
  QString detail = {};  // where it is: "sim-0004 · GPU 5"
  QString value = {};   // what is copied of it; empty: its name
  Selection selection = {};
  std::optional<TimeRange> window = std::nullopt;
  // Of a finding its kind, of a node or GPU the node's name, of a curve its metric, of an event the relation that has it ("log_line").
  std::string key = {};
  std::int64_t id = 0;  // of its row in the store; of a GPU its number in the node
  bool scalar = false;  // a curve over steps
  std::shared_ptr<const Event> event = nullptr;
};

// The views that show something of such an object, the one that shows most of it first.
QStringList viewsOf(const Object& object);
inline QString mainView(const Object& object) { return viewsOf(object).front(); }

// A query that selects it, in the relations of `runglassctl query`. `attempt`: the number of its attempt, where that is known.
QString sqlOf(const Object& object, std::optional<std::int32_t> attempt);

}  // namespace runglass
