// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar: source, rate and lag of the data, losses, size of the store, duration of queries.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Units:      as formatted by units.h.
// Errors:     none; an unknown value prints as –.
// Cost:       a row of labels.
#pragma once

#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

#include "storage/reader.h"
#include "widgets/core/units.h"
#include "widgets/frame/source_words.h"
#include "widgets/frame/status_source.h"

namespace runglass {

class InkLabel;

struct StatusFacts {
  SourceStatus source;
  std::optional<StoreInfo> info;
  std::optional<double> samples_per_s;  // derived from the store where the source does not report it
  DurNs query_time = 0;
  int pending = 0;
  TimeStyle style = TimeStyle::kUtc;
  std::optional<SourceWords> words;  // of a replica
};

struct StatusItem {
  QString text;
  QString tip;
  Severity severity = Severity::kInfo;
};

std::vector<StatusItem> statusItems(const StatusFacts& facts);

class StatusLine : public QWidget {
  Q_OBJECT

 public:
  explicit StatusLine(QWidget* parent = nullptr);
  void setItems(const std::vector<StatusItem>& items);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<InkLabel*> m_labels;
};

}  // namespace runglass
