// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/object.h"

#include "model/place_link.h"

namespace runglass {
namespace {

QString quoted(const std::string& text) { return u'\'' + QString::fromStdString(text).replace(u'\'', QStringLiteral("''")) + u'\''; }

}  // namespace

QStringList viewsOf(const Object& object) {
  const auto names = [](const char* list) { return QString::fromLatin1(list).split(u' '); };
  switch (object.kind) {
    case ObjectKind::kRun:
      return names("overview curves findings compare data_quality");
    case ObjectKind::kRank:
      return names("ranking timeline topology gpus events");
    case ObjectKind::kNode:
    case ObjectKind::kGpu:
      return names(object.selection.rank ? "gpus ranking timeline topology events" : "gpus events");
    case ObjectKind::kCurve:
      return names("curves");
    case ObjectKind::kSpan:
      return names("timeline ranking topology gpus events");
    case ObjectKind::kEvent:
      return names(object.selection.rank ? "events timeline ranking overview gpus" : "events timeline overview gpus");
    case ObjectKind::kFinding: {
      QStringList views = names("timeline ranking topology gpus events curves overview findings");
      const QString first = QString::fromLatin1(viewOfFinding(object.key));
      views.removeAll(first);
      views.prepend(first);
      return views;
    }
  }
  return {};
}

QString sqlOf(const Object& object, std::optional<std::int32_t> attempt) {
  const QString run = QStringLiteral("run_id = %1").arg(object.selection.run.value);
  switch (object.kind) {
    case ObjectKind::kRun:
      return QStringLiteral("SELECT * FROM run WHERE %1").arg(run);
    case ObjectKind::kRank: {
      const QString of = attempt ? QStringLiteral(" AND attempt = %1").arg(*attempt) : QString();
      return QStringLiteral("SELECT * FROM rank WHERE %1%2 AND rank = %3").arg(run, of).arg(object.selection.rank.value_or(0));
    }
    case ObjectKind::kNode:
      return QStringLiteral("SELECT * FROM node WHERE node = %1").arg(quoted(object.key));
    case ObjectKind::kGpu:
      return QStringLiteral("SELECT * FROM device WHERE node = %1 AND device_index = %2").arg(quoted(object.key)).arg(object.id);
    case ObjectKind::kCurve:
      if (object.scalar)
        return QStringLiteral("SELECT attempt, rank, step, time_ns, value FROM scalar WHERE %1 AND tag = %2 ORDER BY attempt, rank, step")
            .arg(run, quoted(object.key));
      return QStringLiteral(
                 "SELECT series.node, series.device_uuid, sample.time_ns, sample.value FROM series, sample(series.series_id) "
                 "WHERE series.metric = %1")
          .arg(quoted(object.key));
    case ObjectKind::kSpan:
      return QStringLiteral("SELECT * FROM span WHERE span_id = %1").arg(object.id);
    case ObjectKind::kEvent:
      if (object.key == "event") return QStringLiteral("SELECT * FROM event WHERE event_id = %1").arg(object.id);
      if (object.key == "rg_alert") return QStringLiteral("SELECT * FROM rg_alert WHERE alert_id = %1").arg(object.id);
      return QStringLiteral("SELECT * FROM %1 WHERE time_ns = %2")
          .arg(QString::fromStdString(object.key))
          .arg(object.event != nullptr ? object.event->time.value_or(0) : 0);
    case ObjectKind::kFinding:
      return QStringLiteral("SELECT * FROM finding WHERE finding_id = %1").arg(object.id);
  }
  return {};
}

}  // namespace runglass
