// SPDX-License-Identifier: GPL-3.0-or-later
// HangList: the communicators of a hang in dependency order, the first blocked on top: the operation, the missing ranks, the waiting ranks.
//
// Threading:  GUI thread.
// Ownership:  shares the TopologyData.
// Units:      kListWidth pixels.
// Errors:     evidence that was left out is counted below the list.
// Cost:       at most kMaxListed rows of text, set only when they change.
#pragma once

#include <QLabel>
#include <QWidget>
#include <memory>

#include "widgets/topology/topology_data.h"

namespace runglass {

class HangList : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kListWidth = 240;
  explicit HangList(QWidget* parent = nullptr);
  void show(std::shared_ptr<const TopologyData> data);
  QString text() const { return m_plain; }

 signals:
  void rankChosen(int rank);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fill();
  QLabel* m_label;
  QString m_plain;
  std::shared_ptr<const TopologyData> m_data;
};

}  // namespace runglass
