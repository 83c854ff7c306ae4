// SPDX-License-Identifier: GPL-3.0-or-later
// Evidence: one evidence card of an incident, read once and painted as vectors: on screen, in a PDF, as SVG, by the painters of the views.
//
// Threading:  readEvidence() on a query worker; an Evidence is immutable, and painted on any thread that owns the painter.
// Ownership:  an Evidence shares its data; copies are cheap.
// Units:      TimeNs; widths and heights in device-independent pixels, 96 per inch (170 mm are 643): scale the painter for others.
// Errors:     the Reader's. A card without content is no error: `reason` explains it, and is painted instead.
// Cost:       as the views' own queries at `columns` pixels; a picture has at most kMaxShapes shapes, whatever the size of the store.
#pragma once

#include <QObject>
#include <QPainter>
#include <QString>
#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "model/incident.h"
#include "storage/reader.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {

// A kind of card; `what` is its menu text.
struct EvidenceKind {
  const char* id;
  const char* what;
};
inline constexpr std::array<EvidenceKind, 6> kEvidenceKinds = {
    {{"loss", QT_TRANSLATE_NOOP("EvidenceKind", "Loss and gradient norm")},
     {"steps", QT_TRANSLATE_NOOP("EvidenceKind", "Step times of all ranks")},
     {"timeline", QT_TRANSLATE_NOOP("EvidenceKind", "Timeline of ranks")},
     {"device", QT_TRANSLATE_NOOP("EvidenceKind", "Clock, power, temperature, errors")},
     {"series", QT_TRANSLATE_NOOP("EvidenceKind", "A metric or scalar")},
     {"log", QT_TRANSLATE_NOOP("EvidenceKind", "Log lines and hardware events")}}};

inline constexpr int kMaxShapes = 3'000;  // of a timeline crop, and of a heat map

// `card.select`, in addition to rank, node, step and attempt: "ranks=3-6" of a timeline or a series, "metric=NAME" of a series, "gpu=N" on
// the node. Without a range a card shows the whole attempt.
struct EvidenceQuestion {
  IncidentEvidence card;
  RunId run;          // 0: that of chooseRun()
  AttemptId attempt;  // 0: the one in the card's select, else the one in its range, else the newest
  TimeStyle style = TimeStyle::kUtc;
  int columns = 640;  // the width of the picture in pixels, for the resolution of the data
};

// The place in the console with the same content.
struct EvidencePlace {
  std::string view;
  std::optional<TimeNs> t0, t1;
  std::string select;
};

// How a card is painted; one class for each way.
class EvidencePicture {
 public:
  virtual ~EvidencePicture() = default;
  virtual double heightAt(double width) const = 0;
  virtual void paint(QPainter& painter, const QRectF& area, const Theme& theme) const = 0;
};

struct Evidence {
  std::string kind;
  QString title;     // the card's, or a default for its content
  QString caption;   // the card's, or `shows`
  QString shows;     // the content in one sentence with numbers and units; also the text alternative of the picture
  QString coverage;  // "8 of 8 ranks, 100 % of 1 204 steps; 2 gaps"
  QString reason;    // why there is nothing to show; empty: there is a picture
  std::string sql;   // a query over the relations of docs/formats/schema.md that returns the picture's numbers
  EvidencePlace place;
  std::shared_ptr<const EvidencePicture> picture;  // null if there is a reason
  bool empty() const { return picture == nullptr; }
};

Result<Evidence> readEvidence(Reader& reader, const EvidenceQuestion& question, std::stop_token stop);

// The picture's height at this width, without title and caption: these are the owner's.
double heightOf(const Evidence& evidence, double width);
// Vector calls only: text stays text. The theme is a value: a report is light while the console is dark.
void paintEvidence(QPainter& painter, const QRectF& area, const Evidence& evidence, const Theme& theme);

}  // namespace runglass
