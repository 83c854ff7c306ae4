// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineCrop: a few ranks of the timeline in a range of time, simplified until it has few enough shapes for print.
//
// Threading:  immutable after construction.
// Ownership:  shares the waits.
// Units:      TimeNs; device-independent pixels.
// Errors:     none; a rank without spans is labelled so.
// Cost:       at most kMaxShapes bars and runs of strips, whatever was read.
#pragma once

#include <memory>
#include <vector>

#include "widgets/evidence/evidence.h"
#include "widgets/timeline/timeline_raster.h"

namespace runglass {

struct CropLane {
  QString name;  // of its track, on the first lane of each
  std::vector<SpanBar> bars;
};
// A rank: its lanes, or else its strip.
struct CropRow {
  QString title, detail;
  std::int32_t rank = -1;
  bool about = false;  // the card's subject
  std::vector<CropLane> lanes;
  BusyStrip strip;
};
// One rank began last, after another had waited for it.
struct CropArrow {
  std::int32_t late = -1, waiting = -1;
  TimeNs begun = 0, since = 0;  // start of the late rank; start of the other's wait
};

struct TimelineCrop {
  TimeRange range;
  TimeStyle style = TimeStyle::kUtc;
  std::vector<CropRow> rows;
  std::vector<QString> names;
  std::vector<std::uint8_t> shades;
  std::vector<StepBand> steps;
  std::shared_ptr<const WaitParts> waits;  // may be null
  std::vector<CropArrow> arrows;
};

// Turns rows into strips, and makes strips coarser, until the crop has at most `most` shapes. The subject keeps its lanes longest.
void simplify(TimelineCrop& crop, int most);
// Number of shapes in a picture of it: bars, hatched parts, runs of equal columns of strips, steps.
int shapesOf(const TimelineCrop& crop);

class CropPicture : public EvidencePicture {
 public:
  static constexpr int kGutter = 128, kRight = 12;
  explicit CropPicture(TimelineCrop crop) : m_crop(std::move(crop)) {}
  double heightAt(double width) const override;
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
  const TimelineCrop& crop() const { return m_crop; }

 private:
  int topOf(std::int32_t rank, bool bottom) const;
  void paintRow(QPainter& painter, TimelineRaster& raster, const CropRow& row, int top, std::vector<BarLabel>& labels,
                const Theme& theme) const;
  void paintArrows(QPainter& painter, const XMap& map, const Theme& theme) const;
  void paintLegend(QPainter& painter, int top, int width, const Theme& theme) const;

  TimelineCrop m_crop;
};

}  // namespace runglass
