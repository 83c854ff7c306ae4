// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/estimate_input.h"

#include <QRegularExpression>
#include <cmath>

#include "analysis/estimate/run_facts.h"
#include "analysis/goodput/goodput.h"
#include "model/device_catalog.h"
#include "model/number_text.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/frame/estimate_dialog.h"
#include "widgets/goodput/goodput_data.h"

namespace runglass {
namespace {

EstimateLine line(const QString& title, const std::optional<Estimated>& value, const QString& text, const QString& missing) {
  if (!value) return {title, kAbsentText, missing};
  return {title, text, QString::fromStdString(value->formula)};
}

void addTime(const EstimateInput& in, std::vector<EstimateLine>& out) {
  const DevicePeak* peak = findDevicePeak(in.device.toStdString());
  std::optional<Estimated> days;
  if (in.parameters && in.tokens && in.gpus && in.mfu && peak != nullptr)
    days = trainingDays({.tokens = *in.tokens, .parameters = *in.parameters, .gpus = *in.gpus, .recompute = in.recompute},
                        peak->dense_flops_per_s, *in.mfu);
  out.push_back(line(EstimateDialog::tr("Training time"), days,
                     days ? EstimateDialog::tr("%1 days").arg(formatNumber(days->value, 4)) : QString(),
                     EstimateDialog::tr("needs parameters, tokens, GPUs, a device with a published peak, and the share of the peak")));
}

void addMemory(const EstimateInput& in, std::vector<EstimateLine>& out) {
  std::optional<MemoryEstimate> memory;
  MemoryQuestion q{.parameters = in.parameters.value_or(0), .dp = in.dp, .pp = in.pp, .tp = in.tp, .zero = in.zero};
  q.recompute = in.recompute, q.sequence_parallel = in.sequence_parallel;
  q.shape = {in.layers.value_or(0), in.hidden.value_or(0), in.heads.value_or(0), in.sequence.value_or(0), in.micro_batch.value_or(0)};
  if (in.parameters) memory = memoryPerGpu(q);
  if (!memory) {
    out.push_back({EstimateDialog::tr("Memory per GPU"), kAbsentText, EstimateDialog::tr("needs the number of parameters")});
    return;
  }
  const DeviceSpec* device = findDevice(in.device.toStdString());
  const bool known = device != nullptr && device->memory_bytes;
  QString sum = known ? EstimateDialog::tr("the parts below; the device has %1").arg(formatBytes(*device->memory_bytes))
                      : EstimateDialog::tr("the parts below");
  if (!memory->activations_bytes) sum = EstimateDialog::tr("%1; activations are not in it: the shape of the model is not known").arg(sum);
  out.push_back({EstimateDialog::tr("Memory per GPU"), formatBytes(memory->total()), sum});
  for (const MemoryPart& part : memory->parts)
    out.push_back({QStringLiteral("· ") + termText(part.name), formatBytes(part.bytes.value), QString::fromStdString(part.bytes.formula)});
}

void addFailures(const EstimateInput& in, std::vector<EstimateLine>& out) {
  const auto day = in.failures_per_gpu_day && in.gpus ? failureOfDay(*in.failures_per_gpu_day, *in.gpus) : std::nullopt;
  out.push_back(line(EstimateDialog::tr("A failure within a day"), day, day ? formatPercent(day->value, 2) : QString(),
                     EstimateDialog::tr("needs GPUs and a rate")));
  auto mtbf = in.failures_per_gpu_day && in.gpus ? expectedMtbf(*in.failures_per_gpu_day, *in.gpus) : std::nullopt;
  out.push_back(line(EstimateDialog::tr("Between failures, by the rate"), mtbf, mtbf ? secondsText(mtbf->value) : QString(),
                     EstimateDialog::tr("needs GPUs and a rate")));
  const double mean = in.mtbf_s ? *in.mtbf_s : mtbf ? mtbf->value : 0;  // without one there is no estimate
  const auto daly = in.save_s ? dalyInterval(*in.save_s, mean) : std::nullopt;
  const auto young = in.save_s ? youngInterval(*in.save_s, mean) : std::nullopt;
  const QString missing = EstimateDialog::tr("needs what a save costs, and a time between failures or GPUs and a rate");
  out.push_back(line(EstimateDialog::tr("Save every (Daly 2006)"), daly, daly ? secondsText(daly->value) : QString(), missing));
  out.push_back(line(EstimateDialog::tr("Save every (Young 1974)"), young, young ? secondsText(young->value) : QString(), missing));
}

}  // namespace

std::vector<EstimateLine> estimateLines(const EstimateInput& input) {
  std::vector<EstimateLine> out;
  addTime(input, out);
  addMemory(input, out);
  addFailures(input, out);
  return out;
}

Result<EstimateInput> readEstimateInput(Reader& reader, const RunSummary& summary, TimeNs now, std::stop_token stop) {
  EstimateInput in;
  in.from = EstimateDialog::tr("run %1").arg(screenText(summary.run.name, 60));
  if (summary.attempts.empty()) return in;
  RG_ASSIGN(const RunFacts facts, readRunFacts(reader, summary.attempts.back()));
  RG_ASSIGN(const GoodputData ledger, readGoodputData(reader, summary, now, stop));
  in.parameters = facts.parameters;
  in.tokens = ledger.plan.planned_tokens;
  if (facts.layout.world > 0) in.gpus = facts.layout.world;
  if (facts.device != nullptr) in.device = QString::fromUtf8(facts.device->name.data(), static_cast<qsizetype>(facts.device->name.size()));
  in.mfu = summary.throughput.mfu;
  in.recompute = facts.recompute.value_or(Recompute::kNone);
  in.sequence_parallel = facts.sequence_parallel.value_or(false);
  in.dp = std::max(1, facts.layout.dp), in.pp = std::max(1, facts.layout.pp), in.tp = std::max(1, facts.layout.tp);
  in.zero = facts.zero.value_or(0);
  in.layers = facts.layers, in.hidden = facts.hidden, in.heads = facts.heads, in.sequence = facts.sequence,
  in.micro_batch = facts.micro_batch;
  in.save_s = ledger.goodput.advice.save_s;
  if (ledger.goodput.ledger.mtbf.enough()) in.mtbf_s = ledger.goodput.ledger.mtbf.mean_s;
  return in;
}

std::optional<double> typedNumber(const QString& typed) {
  QString text = typed.trimmed();
  text.remove(u' ').remove(QChar(kThinSpace));
  // Commas separate thousands: "0,5" would otherwise be 5.
  static const QRegularExpression kGrouped(QStringLiteral("^[1-9][0-9]{0,2}(,[0-9]{3})+([^0-9,].*)?$"));
  if (text.contains(u',') && !kGrouped.match(text).hasMatch()) return std::nullopt;
  text.remove(u',');
  double scale = 1;
  if (!text.isEmpty()) {
    const QString letters = QStringLiteral("KMBGT");
    const qsizetype at = letters.indexOf(text.back().toUpper());
    constexpr double kScales[] = {1e3, 1e6, 1e9, 1e9, 1e12};
    if (at >= 0) scale = kScales[at], text.chop(1);
  }
  bool ok = false;
  const double value = text.toDouble(&ok) * scale;
  if (!ok || !std::isfinite(value) || value <= 0) return std::nullopt;
  return value;
}

QString numberToType(std::optional<double> value) { return value ? QString::fromStdString(formulaNumber(*value)) : QString(); }

}  // namespace runglass
