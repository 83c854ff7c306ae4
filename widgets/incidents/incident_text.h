// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the view `incidents`: states, costs with their sources, root causes, differences between two versions of an incident.
//
// Threading:  any thread.
// Units:      as IncidentImpact; times in the requested style.
// Errors:     none: an unknown value is kAbsentText, and its tooltip shows the reason.
// Cost:       O(text).
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <vector>

#include "analysis/incident/incident_cost.h"
#include "model/incident.h"
#include "model/incident_causes.h"
#include "widgets/core/units.h"

namespace runglass {

struct IncidentText {
  Q_DECLARE_TR_FUNCTIONS(Incidents)
};

QString stateWord(IncidentState state);  // "open"
QString stateGlyph(IncidentState state);
// "since 21:40:12", "21:40:12 to 21:52:40"; "without a time".
QString rangeText(const std::optional<TimeRange>& range, TimeStyle style);
// "13.3 GPU-h", "≥ 13.3 GPU-h"; kAbsentText.
QString gpuHoursText(const Reported<double>& reported);
QString costText(const IncidentImpact* impact);

// One number of the impact line: a name, the number, and its source ("why?").
struct ImpactNumber {
  QString name, value, why;
};
std::vector<ImpactNumber> impactNumbers(const IncidentImpact& impact, std::optional<double> price);

// "Faulty GPU · 148 of 419 in Llama 3"; for a code that this program does not know, the code.
QString causeText(const IncidentCause& cause);
QString causeWords(const std::string& code);

// The differences in `newer`, for a user about to change `older`: "state is now mitigated", "its notes were changed".
QStringList differences(const Incident& older, const Incident& newer);

// As a tooltip that Qt cannot interpret as markup.
QString plainTip(const QString& text);

}  // namespace runglass
