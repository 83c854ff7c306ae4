// SPDX-License-Identifier: GPL-3.0-or-later
// TopologySide: the selected rank as text: place, value compared with its stage, its groups, its newest progress. HeatScale: the meaning of
// the colours.
//
// Threading:  GUI thread.
// Ownership:  share the TopologyData.
// Units:      kSideWidth pixels.
// Errors:     an unknown value is kAbsentText, or a text that names the missing source.
// Cost:       a few dozen lines of text for each answer.
#pragma once

#include <QLabel>
#include <QWidget>
#include <memory>
#include <optional>

#include "widgets/core/accessible_picture.h"
#include "widgets/core/units.h"
#include "widgets/topology/rank_links.h"
#include "widgets/topology/topology_data.h"

namespace runglass {

class TopologySide : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kSideWidth = 300;
  explicit TopologySide(QWidget* parent = nullptr);
  void show(std::shared_ptr<const TopologyData> data, std::optional<std::int32_t> rank, TimeStyle style);
  void setLinks(std::shared_ptr<const RankLinks> links);  // null: not queried
  void setLinksTrouble(const QString& trouble);
  QString text() const { return m_plain; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fill();
  void head(const QString& text);
  void line(const QString& name, const QString& value);
  void tellRank(const TopologyRank& rank);
  void tellGroups(std::uint32_t index);
  void tellProgress(const TopologyRank& rank);
  void tellHang(const TopologyRank& rank);
  void tellStages();
  void tellPlaces();
  void tellLinks();

  QLabel* m_label;
  QString m_html, m_plain;
  std::shared_ptr<const TopologyData> m_data;
  std::shared_ptr<const RankLinks> m_links;
  QString m_links_trouble;
  std::optional<std::int32_t> m_rank;
  TimeStyle m_style = TimeStyle::kUtc;
};

class HeatScale : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit HeatScale(QWidget* parent = nullptr);
  void setData(std::shared_ptr<const TopologyData> data);
  QSize sizeHint() const override;
  AccessibleTable accessibleTable() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString words() const;  // the medians
  void paintStates(QPainter& painter) const;
  std::shared_ptr<const TopologyData> m_data;
};

}  // namespace runglass
