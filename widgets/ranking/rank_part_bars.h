// SPDX-License-Identifier: GPL-3.0-or-later
// RankPartBars: the parts of a rank's step, one bar per part, work and waiting separate, above its peers' median.
//
// Threading:  GUI thread.
// Units:      ns.
// Errors:     an unknown number has no bar.
// Cost:       O(parts).
#pragma once

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "widgets/core/accessible_picture.h"

namespace runglass {

struct PartBar {
  std::string part;  // as recorded
  QString name;
  double own = 0, peers = 0;
  std::optional<double> own_wait, peers_wait;
};

class RankPartBars : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit RankPartBars(QWidget* parent = nullptr);
  // `why` is shown in place of missing bars.
  void setBars(std::vector<PartBar> bars, const QString& why);
  const std::vector<PartBar>& bars() const { return m_bars; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {320, 60}; }
  AccessibleTable accessibleTable() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  std::vector<PartBar> m_bars;
  QString m_why;
};

}  // namespace runglass
