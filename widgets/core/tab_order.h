// SPDX-License-Identifier: GPL-3.0-or-later
// Where Tab goes. Qt enters a widget that has a focus proxy at the proxy, and so never reaches the controls before it: the filter above a
// table, the bar above a picture.
//
// Threading:  GUI thread.
// Cost:       O(widgets of the window).
#pragma once

class QWidget;

namespace runglass {

// For focusNextPrevChild() of a window: the next control of its focus chain gets the focus and is scrolled into view. False: it has none.
bool focusNextControl(QWidget& window, bool next);

}  // namespace runglass
