// SPDX-License-Identifier: GPL-3.0-or-later
// Evidence: one card of an incident, read once and painted as vectors: on screen, in a PDF, as SVG, by the painters of the views.
//
// Threading:  readEvidence() on a query worker; an Evidence is immutable, and painted on any thread that owns the painter.
// Ownership:  an Evidence shares what it read; copies are cheap.
// Units:      TimeNs; widths and heights in device-independent pixels, 96 an inch (170 mm are 643): scale the painter for others.
// Errors:     the Reader's. A card that has nothing to show is no error: `reason` says why, and is what is painted.
// Cost:       as the views' own questions at `columns` pixels; a picture is at most kMaxShapes shapes, whatever the store holds.
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

// What a card can show; `what` for a menu.
struct EvidenceKind {
  const char* id;
  const char* what;
};
inline constexpr std::array<EvidenceKind, 6> kEvidenceKinds = {
    {{"loss", QT_TRANSLATE_NOOP("EvidenceKind", "Loss and gradient norm")},
     {"steps", QT_TRANSLATE_NOOP("EvidenceKind", "Step times of all ranks")},
     {"timeline", QT_TRANSLATE_NOOP("EvidenceKind", "Time line of ranks")},
     {"device", QT_TRANSLATE_NOOP("EvidenceKind", "Clock, power, temperature, errors")},
     {"series", QT_TRANSLATE_NOOP("EvidenceKind", "A metric or scalar")},
     {"log", QT_TRANSLATE_NOOP("EvidenceKind", "Log lines and hardware events")}}};

inline constexpr int kMaxShapes = 3'000;  // of a crop of the time line, and of a heat map

// `card.select`, beside rank, node, step and attempt: "ranks=3-6" of a time line or a series, "metric=NAME" of a series, "gpu=N" on the
// node. Without a range a card shows all of the attempt.
struct EvidenceQuestion {
  IncidentEvidence card;
  RunId run;          // chooseRun()'s where 0
  AttemptId attempt;  // 0: the one that the card's select names, or else the one in its range, or the newest
  TimeStyle style = TimeStyle::kUtc;
  int columns = 640;  // how many pixels of width the data is wanted for
};

// Where in the console one sees the same.
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
  QString title;     // the card's, or what it shows
  QString caption;   // the card's, or `shows`
  QString shows;     // what the picture says, in one sentence with numbers and units; also what replaces it for who cannot see it
  QString coverage;  // "8 of 8 ranks, 100 % of 1 204 steps; 2 gaps"
  QString reason;    // why there is nothing to show; empty: there is
  std::string sql;   // a query over the relations of docs/formats/schema.md that gives the numbers in it
  EvidencePlace place;
  std::shared_ptr<const EvidencePicture> picture;  // null where there is a reason
  bool empty() const { return picture == nullptr; }
};

Result<Evidence> readEvidence(Reader& reader, const EvidenceQuestion& question, std::stop_token stop);

// What the picture wants at this width, without title and caption: these are the owner's.
double heightOf(const Evidence& evidence, double width);
// Vector calls only: text stays text. The theme is a value: a report is light while the console is dark.
void paintEvidence(QPainter& painter, const QRectF& area, const Evidence& evidence, const Theme& theme);

}  // namespace runglass
