// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/evidence/evidence.h"

#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/evidence/evidence_kinds.h"

namespace runglass {
namespace {

constexpr double kReasonHeight = 48;
constexpr int kMinColumns = 64, kMaxColumns = 4'096;

using Read = Result<Evidence> (*)(Reader&, const EvidenceSubject&, const EvidenceQuestion&, const std::stop_token&);
struct Kind {
  std::string_view id;
  Read read;
};
constexpr std::array<Kind, kEvidenceKinds.size()> kReads = {{{"loss", readLossEvidence},
                                                             {"steps", readStepsEvidence},
                                                             {"timeline", readTimelineEvidence},
                                                             {"device", readDeviceEvidence},
                                                             {"series", readSeriesEvidence},
                                                             {"log", readLogEvidence}}};

}  // namespace

Result<Evidence> readEvidence(Reader& reader, const EvidenceQuestion& question, std::stop_token stop) {
  EvidenceQuestion bounded = question;
  bounded.columns = std::clamp(question.columns, kMinColumns, kMaxColumns);
  RG_ASSIGN(const EvidenceSubject subject, readSubject(reader, bounded, stop));
  const auto kind = std::ranges::find(kReads, std::string_view(question.card.kind), &Kind::id);
  Evidence out;
  if (kind == kReads.end()) {
    out.reason = QObject::tr("This version knows no evidence of the kind “%1”.").arg(screenText(question.card.kind, 40));
  } else {
    RG_ASSIGN(out, kind->read(reader, subject, bounded, stop));
  }
  out.kind = question.card.kind;
  if (!question.card.title.empty()) out.title = phraseText(question.card.title, 120);
  out.caption = question.card.caption.empty() ? out.shows : screenText(question.card.caption, 600);
  if (out.title.isEmpty()) out.title = screenText(question.card.kind, 40);
  if (out.empty() && out.reason.isEmpty()) out.reason = QObject::tr("Nothing was recorded of it.");
  return out;
}

double heightOf(const Evidence& evidence, double width) {
  return evidence.picture ? evidence.picture->heightAt(std::max(width, 1.0)) : kReasonHeight;
}

void paintEvidence(QPainter& painter, const QRectF& area, const Evidence& evidence, const Theme& theme) {
  if (area.isEmpty()) return;
  painter.save();
  painter.setFont(tableFont());
  if (evidence.picture) {
    // Pictures are laid out on whole units from 0, so that lines are sharp on screen wherever the card is.
    painter.translate(area.topLeft());
    painter.setClipRect(QRectF(QPointF(0, 0), area.size()), Qt::IntersectClip);
    evidence.picture->paint(painter, QRectF(QPointF(0, 0), area.size()), theme);
  } else {
    painter.fillRect(area, theme.surface);
    painter.setPen(theme.muted);
    painter.drawText(area.adjusted(2 * kGrid, kGrid, -2 * kGrid, -kGrid), Qt::AlignCenter | Qt::TextWordWrap, evidence.reason);
  }
  painter.restore();
}

}  // namespace runglass
