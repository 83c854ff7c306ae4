// SPDX-License-Identifier: GPL-3.0-or-later
// What the view `incidents` says in words: states, costs with where they come from, root causes, how far two readings of one differ.
//
// Threading:  any thread.
// Ownership:  values.
// Units:      as IncidentImpact; times in the style that is asked for.
// Errors:     none: what is not known is kAbsentText, and its tip says why.
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
QString severityWord(Severity severity);
// "since 21:40:12", "21:40:12 to 21:52:40"; "without a time".
QString rangeText(const std::optional<TimeRange>& range, TimeStyle style);
// "13.3 GPU-h", "≥ 13.3 GPU-h"; kAbsentText.
QString gpuHoursText(const Reported<double>& reported);
QString costText(const IncidentImpact* impact);

// One number of the impact line: a name, the number, and where it is from ("why?").
struct ImpactNumber {
  QString name, value, why;
};
std::vector<ImpactNumber> impactNumbers(const IncidentImpact& impact, std::optional<double> price);

// "Faulty GPU · 148 of 419 in Llama 3"; of a code that this program does not know the code.
QString causeText(const IncidentCause& cause);
QString causeWords(const std::string& code);

// What is different in `newer`, for who was about to change `older`: "state is now mitigated", "its notes were changed".
QStringList differences(const Incident& older, const Incident& newer);

// As a tip that Qt cannot take for markup.
QString plainTip(const QString& text);

}  // namespace runglass
