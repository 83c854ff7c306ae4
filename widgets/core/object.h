// SPDX-License-Identifier: GPL-3.0-or-later
// Object: an item of a store that a user can point at, find by name, open in a view, copy, or make an incident from.
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
  QString detail = {};  // its place: "sim-0004 · GPU 5"
  QString value = {};   // text to copy; empty: its name
  Selection selection = {};
  std::optional<TimeRange> window = std::nullopt;
  // Finding: its kind; node or GPU: the node's name; curve: its metric; event: the relation that contains it ("log_line").
  std::string key = {};
  std::int64_t id = 0;  // its row in the store; for a GPU its number in the node
  bool scalar = false;  // a curve over steps
  std::shared_ptr<const Event> event = nullptr;
};

// The views that show such an object, the most detailed first.
QStringList viewsOf(const Object& object);
inline QString mainView(const Object& object) { return viewsOf(object).front(); }

// A query that selects it, in the relations of `runglassctl query`. `attempt`: the number of its attempt, if known.
QString sqlOf(const Object& object, std::optional<std::int32_t> attempt);

}  // namespace runglass
