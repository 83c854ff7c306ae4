// SPDX-License-Identifier: GPL-3.0-or-later
// StaleVeil: dims views whose picture still shows another moment; a quick answer never dims anything.
//
// Threading:  GUI thread.
// Ownership:  its veils are children of the views.
// Units:      milliseconds.
// Cost:       nothing until watch(); then 25 checks a second until all views are final.
#pragma once

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <vector>

#include "widgets/core/view.h"

namespace runglass {

class StaleVeil : public QObject {
  Q_OBJECT

 public:
  explicit StaleVeil(QObject* parent);
  // These views were just queried for another moment.
  void watch(const std::vector<View*>& views);
  bool dims() const;  // true: some view is dimmed now

 private:
  struct Watched {
    QPointer<View> view;
    QPointer<QWidget> veil;  // null: not dimmed
    QElapsedTimer waiting;
  };
  void look();

  std::vector<Watched> m_watched;
  QTimer m_timer;
};

}  // namespace runglass
