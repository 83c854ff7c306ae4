// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the keyboard out of popups that are closed. Qt leaves it in the list of a combo box whose popup is hidden without a choice: the
// next Tab and all keys then go to a widget that cannot be seen.
//
// Threading:  GUI thread.
// Cost:       one event filter on each popup that had the focus.
#pragma once

namespace runglass {

// For the application; once is enough, more calls do nothing.
void installPopupFocus();

}  // namespace runglass
