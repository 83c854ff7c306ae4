// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/run_words.h"

#include <QCoreApplication>
#include <QStringList>

#include "widgets/core/units.h"

namespace runglass {
namespace {

struct RunText {
  Q_DECLARE_TR_FUNCTIONS(RunText)
};

// Numerator and denominator as text.
QString mfuWhy(const MfuSource& source) {
  const QString tag = screenText(source.tag, 60);
  if (!source.peak) return RunText::tr("as the trainer logged it (\"%1\")").arg(tag);
  const QString rate = source.parameters ? RunText::tr("per GPU: 6 × %1 parameters × tokens/s").arg(formatShortCount(*source.parameters))
                                         : RunText::tr("per GPU, logged as \"%1\"").arg(tag);
  return QStringLiteral("%1 (%2) ÷ %3 (%4)")
      .arg(formatValue(source.flops_per_s, "flops_per_s"), rate, formatValue(*source.peak, "flops_per_s"),
           screenText(source.peak_source, 200));
}

}  // namespace

QString throughputText(const Throughput& throughput) {
  if (throughput.mfu) return RunText::tr("MFU %1").arg(formatPercent(*throughput.mfu));
  if (throughput.tokens_per_s) return RunText::tr("%1 tokens/s").arg(formatShortCount(*throughput.tokens_per_s));
  if (throughput.tokens_per_gpu) return RunText::tr("%1 tokens/s per GPU").arg(formatShortCount(*throughput.tokens_per_gpu));
  if (throughput.flops_per_gpu) return RunText::tr("%1 per GPU").arg(formatValue(*throughput.flops_per_gpu, "flops_per_s"));
  if (throughput.samples_per_s) return RunText::tr("%1 samples/s").arg(formatShortCount(*throughput.samples_per_s));
  if (throughput.step_ns) return RunText::tr("%1 per step").arg(formatValue(*throughput.step_ns, "ns"));
  return kAbsentText;
}

QString throughputWhy(const Throughput& throughput) {
  QStringList parts;
  if (throughput.mfu) parts += RunText::tr("MFU: %1.").arg(mfuWhy(throughput.mfu_source));
  if (!throughput.tokens_tag.empty())
    parts +=
        RunText::tr("Tokens: median of the newest %1 steps of \"%2\"; the change is against the attempt's best earlier %1 steps in a row.")
            .arg(kRecentSteps)
            .arg(screenText(throughput.tokens_tag, 80));
  if (!throughput.rate_tag.empty())
    parts += RunText::tr("Median of the newest %1 steps of \"%2\"; the change is against the attempt's best earlier %1 steps in a row.")
                 .arg(kRecentSteps)
                 .arg(screenText(throughput.rate_tag, 80));
  if (parts.isEmpty()) return RunText::tr("No series says tokens per second, FLOP/s or MFU.");
  if (!throughput.mfu)
    parts += RunText::tr("No MFU: neither logged FLOP/s nor the model's parameters (fact model_parameters) meet a known device peak.");
  return parts.join(u' ');
}

QString layoutText(const Layout& layout) {
  QStringList parts;
  const auto add = [&parts](const char* name, std::int32_t size) {
    if (size > 0) parts += QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(size);
  };
  add("DP", layout.dp);
  add("PP", layout.pp);
  add("TP", layout.tp);
  if (layout.cp > 1) add("CP", layout.cp);
  if (layout.ep > 1) add("EP", layout.ep);
  if (layout.vpp > 1) add("VPP", layout.vpp);
  QString text = parts.join(QStringLiteral(" · "));
  if (layout.world > 0) {
    const QString world =
        layout.world == 1 ? RunText::tr("%1 rank").arg(formatCount(layout.world)) : RunText::tr("%1 ranks").arg(formatCount(layout.world));
    text = text.isEmpty() ? world : QStringLiteral("%1 (%2)").arg(text, world);
  }
  return text.isEmpty() ? kAbsentText : text;
}

}  // namespace runglass
