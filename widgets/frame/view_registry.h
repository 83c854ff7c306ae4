// SPDX-License-Identifier: GPL-3.0-or-later
// The registry of views: one line declares a view.
//
// Threading:  immutable.
// Ownership:  static storage; make() gives the new view to `parent`.
// Units:      none.
// Errors:     findView() is nullptr for a name that is not built.
// Cost:       free.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "widgets/core/view.h"

namespace runglass {

// Where the navigation has the view; kNone: a panel that only layouts and other views use.
enum class NavGroup : std::uint8_t { kNow, kRuns, kInvestigate, kConclude, kFoot, kNone };

struct ViewInfo {
  const char* id;       // name for --view (contract), settings, links and its icon
  const char* title;    // in the navigation, and the heading of the user guide
  const char* purpose;  // one sentence for tool tips and the palette
  const char* keys;     // keys of its own for the sheet of keys: "1–9\tmetric\nL\tworst first"; nullptr: none
  const char* tabs;     // names for --tab, with spaces between them; nullptr: it has no parts that can be asked for
  NavGroup group;
  View* (*make)(ViewContext context, QWidget* parent);

  // In the language of the console.
  QString titleText() const;
  QString purposeText() const;
  QString keysText() const;
};

std::span<const ViewInfo> viewRegistry();
// Also by a name of before 0.2: "health" is "data_quality".
const ViewInfo* findView(std::string_view id);
std::vector<std::string_view> tabsOf(const ViewInfo& view);

}  // namespace runglass
