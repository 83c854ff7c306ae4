// SPDX-License-Identifier: GPL-3.0-or-later
// The registry of views: one line declares a view.
//
// Threading:  immutable.
// Ownership:  static storage; make() gives the new view to `parent`.
// Units:      none.
// Errors:     findView() is nullptr for a name that is not built.
// Cost:       free.
#pragma once

#include <QKeySequence>
#include <span>
#include <string_view>
#include <vector>

#include "widgets/core/view.h"

namespace runglass {

struct ViewInfo {
  const char* id;       // name for --view (contract), settings and links
  const char* title;    // in the navigation
  const char* purpose;  // one sentence for tool tips and the palette
  const char* keys;     // keys of its own for the sheet of keys: "1–9\tmetric\nL\tworst first"; nullptr: none
  const char* tabs;     // names for --tab, with spaces between them; nullptr: it has no parts that can be asked for
  bool navigation;      // has a place in the navigation; otherwise a panel that layouts use
  View* (*make)(ViewContext context, QWidget* parent);
};

std::span<const ViewInfo> viewRegistry();
const ViewInfo* findView(std::string_view id);
std::vector<std::string_view> tabsOf(const ViewInfo& view);

}  // namespace runglass
