// SPDX-License-Identifier: GPL-3.0-or-later
// EventModel: the loaded pages of the timeline as a table, with repeats folded into one expandable row.
//
// Threading:  GUI thread.
// Ownership:  owns its rows.
// Units:      TimeNs.
// Cost:       append() is O(rows added); data() is computed for visible cells only. About 400 bytes a row.
#pragma once

#include <QAbstractTableModel>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/log_query.h"
#include "widgets/core/units.h"
#include "widgets/events/event_data.h"

namespace runglass {

class EventModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column : int { kTime, kSeverity, kKind, kWhere, kMessage, kColumns };
  enum Role : int { kCopyRole = Qt::UserRole + 1, kMarksRole };  // kMarksRole: QList<QPoint> of start and end in the shown message

  using QAbstractTableModel::QAbstractTableModel;

  // A first page replaces everything; expanded groups stay expanded.
  void reset(std::vector<EventRow> rows, bool more);
  void append(std::vector<EventRow> rows, bool more);
  void setWords(const std::string& words);
  void setTimes(TimeStyle style, TimeRange shown);
  void setMoment(std::optional<TimeNs> moment);  // later rows are dimmed
  int firstBy(TimeNs moment) const;              // the newest row not later than the moment; -1: none is loaded

  const EventRow* rowAt(const QModelIndex& index) const;
  // Number of rows that the index represents; 1: no group.
  std::size_t groupSize(const QModelIndex& index) const;
  bool isHeader(const QModelIndex& index) const;
  void toggle(const QModelIndex& index);
  QModelIndex find(const EventKey& key) const;
  std::size_t loaded() const { return m_rows.size(); }
  const std::deque<EventRow>& rows() const { return m_rows; }
  QString timeText(TimeNs time) const;

  int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_shown.size()); }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  bool canFetchMore(const QModelIndex& parent) const override { return !parent.isValid() && m_more && !m_asked; }
  void fetchMore(const QModelIndex& parent) override;

 signals:
  void pageWanted();

 private:
  // Rows with the same text, newest first.
  struct Group {
    std::vector<std::size_t> rows;  // into m_rows
    std::string says;
    bool open = false;
    int at = 0;  // its row in the table
  };
  struct Shown {
    std::size_t group = 0;
    int member = -1;  // -1: the group
  };
  static std::string saying(const EventRow& row);
  void take(std::vector<EventRow> rows);
  void layOut();
  const Group& groupOf(const Shown& shown) const { return m_groups[shown.group]; }
  QString text(const Shown& shown, int column, bool full) const;
  QString message(const Shown& shown) const;

  std::deque<EventRow> m_rows;
  std::vector<Group> m_groups;                                  // by their newest row
  std::unordered_map<std::string, std::size_t> m_newest_group;  // by text
  std::vector<Shown> m_shown;
  bool m_more = false, m_asked = false;
  LogQuery m_words;
  std::optional<TimeNs> m_moment;
  TimeStyle m_style = TimeStyle::kUtc;
  int m_digits = 3;
  bool m_dates = false;
};

}  // namespace runglass
