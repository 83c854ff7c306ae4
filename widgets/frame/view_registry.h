// SPDX-License-Identifier: GPL-3.0-or-later
// The registry of views: one line declares a view.
//
// Threading:  immutable.
// Ownership:  static storage; make() gives the new view to `parent`.
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
  const char* title;    // in the navigation, and the heading in the user guide
  const char* purpose;  // one sentence for tooltips and the palette
  const char* keys;     // its own keys for the shortcut sheet: "1–9\tmetric\nL\tworst first"; nullptr: none
  const char* tabs;     // names for --tab, separated by spaces; nullptr: no addressable parts
  NavGroup group;
  View* (*make)(ViewContext context, QWidget* parent);

  // In the console's language.
  QString titleText() const;
  QString purposeText() const;
  QString keysText() const;
};

std::span<const ViewInfo> viewRegistry();
// Also finds names from before 0.2: "health" is "data_quality".
const ViewInfo* findView(std::string_view id);
std::vector<std::string_view> tabsOf(const ViewInfo& view);

}  // namespace runglass
