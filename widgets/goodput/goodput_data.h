// SPDX-License-Identifier: GPL-3.0-or-later
// GoodputData: the goodput of one run (time lost by cause) and its plan, read on a query worker, and their texts.
//
// Threading:  readGoodputData() on a worker; the value is immutable afterwards. Texts: any thread.
// Units:      as Goodput and RunPlan.
// Errors:     the Reader's. An unknown value stays absent, with its reason.
// Cost:       as readGoodput().
#pragma once

#include <QCoreApplication>
#include <QString>
#include <optional>

#include "analysis/estimate/run_plan.h"
#include "analysis/goodput/goodput.h"
#include "widgets/core/run_words.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {

struct GoodputText {
  Q_DECLARE_TR_FUNCTIONS(Goodput)
};

struct GoodputData {
  Run run;
  Goodput goodput;
  RunPlan plan;
  TimeNs read_at = 0;
};

Result<GoodputData> readGoodputData(Reader& reader, const RunSummary& summary, TimeNs now, std::stop_token stop);

// A number as text, with its source.
struct LedgerWords {
  QString title, value, note, why;
};
// Of the newest day while the run is live and older than a day, else of the whole run.
LedgerWords goodputWords(const GoodputData& data, TimeNs now);
LedgerWords planWords(const GoodputData& data, TimeStyle style);
QString ledgerSentence(const GoodputData& data);
QString saveWords(const Goodput& goodput);
QString failureWords(const Ledger& ledger);
// "attempt 1: 50 steps of the one before were lost; 2 min gap; … ; hardware fault".
QString rowWords(const LedgerRow& row);
QString secondsText(double seconds);
QColor spendColor(const Theme& theme, Spend spend);

}  // namespace runglass
