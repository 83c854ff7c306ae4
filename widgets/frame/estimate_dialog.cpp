// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/estimate_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSpinBox>

#include "model/device_catalog.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kWidth = 280 * kGrid, kHeight = 170 * kGrid, kFieldWidth = 34 * kGrid;
constexpr double kSecondsPerHour = 3'600;

std::optional<double> scaled(std::optional<double> value, double factor) { return value ? std::optional(*value * factor) : std::nullopt; }

}  // namespace

EstimateDialog::EstimateDialog(QWidget* parent) : QDialog(parent), m_from(new QLabel(this)), m_answer(new QLabel) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Estimate"));
  auto* form = new QFormLayout;
  form->addRow(m_from);
  m_from->setTextFormat(Qt::PlainText);
  m_from->setWordWrap(true);
  m_parameters = number(form, tr("Parameters"), tr("175 B"));
  m_tokens = number(form, tr("Tokens"), tr("300 B"));
  m_gpus = number(form, tr("GPUs"), tr("1024"));
  m_device = new QComboBox(this);
  m_device->addItem(tr("unknown"), QString());
  for (const DeviceSpec& device : deviceCatalog()) {
    const QString name = QString::fromUtf8(device.name.data(), static_cast<qsizetype>(device.name.size()));
    m_device->addItem(name, name);
  }
  form->addRow(tr("Device"), m_device);
  m_mfu = number(form, tr("Share of the dense peak, %"), tr("50"));
  m_recompute = new QComboBox(this);
  for (const Recompute one : {Recompute::kNone, Recompute::kSelective, Recompute::kFull})
    m_recompute->addItem(QString::fromUtf8(recomputeName(one)));
  form->addRow(tr("Recomputation"), m_recompute);
  m_dp = size(form, tr("DP")), m_pp = size(form, tr("PP")), m_tp = size(form, tr("TP"));
  m_zero = new QComboBox(this);
  for (int stage = 0; stage <= 3; ++stage) m_zero->addItem(stage == 0 ? tr("none") : tr("stage %1").arg(stage));
  form->addRow(tr("ZeRO"), m_zero);
  m_sequence_parallel = new QCheckBox(tr("sequence parallel"), this);
  form->addRow(QString(), m_sequence_parallel);
  m_layers = number(form, tr("Layers"), tr("96")), m_hidden = number(form, tr("Hidden size"), tr("12288"));
  m_heads = number(form, tr("Heads"), tr("96")), m_sequence = number(form, tr("Sequence"), tr("2048"));
  m_micro = number(form, tr("Micro-batch"), tr("1"));
  m_rate = number(form, tr("Failures per GPU and day, %"), tr("0.047"));
  m_rate->setToolTip(tr("To begin with another cluster's: %1").arg(QString::fromUtf8(kFieldFailuresSource)));
  m_save = number(form, tr("A save costs, s"), tr("30")), m_mtbf = number(form, tr("Between failures, h"), tr("from the rate"));
  for (QComboBox* box : {m_device, m_recompute, m_zero}) connect(box, &QComboBox::currentIndexChanged, this, [this] { answer(); });
  connect(m_sequence_parallel, &QCheckBox::toggled, this, [this] { answer(); });
  m_answer->setTextFormat(Qt::RichText);
  m_answer->setWordWrap(true);
  m_answer->setAlignment(Qt::AlignTop);
  m_answer->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_answer->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(m_answer);
  auto* row = new QHBoxLayout(this);
  row->addLayout(form);
  row->addWidget(scroll, 1);
  resize(kWidth, kHeight);
  fill({});
}

QLineEdit* EstimateDialog::number(QFormLayout* form, const QString& label, const QString& hint) {
  auto* field = new QLineEdit(this);
  field->setPlaceholderText(hint);
  field->setMaxLength(30);
  field->setFixedWidth(kFieldWidth);
  field->setAccessibleName(label);
  form->addRow(label, field);
  connect(field, &QLineEdit::textChanged, this, [this] { answer(); });
  return field;
}

QSpinBox* EstimateDialog::size(QFormLayout* form, const QString& label) {
  auto* field = new QSpinBox(this);
  field->setRange(1, 1'000'000);
  field->setAccessibleName(label);
  form->addRow(label, field);
  connect(field, &QSpinBox::valueChanged, this, [this] { answer(); });
  return field;
}

void EstimateDialog::fill(const EstimateInput& in) {
  m_filling = true;
  m_from->setText(
      (in.from.isEmpty() ? tr("Type numbers as 175e9, 175 B or 1.4 T.") : tr("Filled in from %1 where recorded.").arg(in.from)) +
      (in.failures_per_gpu_day == kFieldFailuresPerGpuDay ? tr(" The rate of failures is another cluster's until you change it.")
                                                          : QString()));
  m_parameters->setText(numberToType(in.parameters));
  m_tokens->setText(numberToType(in.tokens));
  m_gpus->setText(numberToType(in.gpus));
  m_device->setCurrentIndex(std::max(0, m_device->findData(in.device)));
  m_mfu->setText(numberToType(scaled(in.mfu, 100)));
  m_recompute->setCurrentIndex(static_cast<int>(in.recompute));
  m_dp->setValue(in.dp), m_pp->setValue(in.pp), m_tp->setValue(in.tp);
  m_zero->setCurrentIndex(in.zero);
  m_sequence_parallel->setChecked(in.sequence_parallel);
  m_layers->setText(numberToType(in.layers)), m_hidden->setText(numberToType(in.hidden)), m_heads->setText(numberToType(in.heads));
  m_sequence->setText(numberToType(in.sequence)), m_micro->setText(numberToType(in.micro_batch));
  m_rate->setText(numberToType(scaled(in.failures_per_gpu_day, 100)));
  m_save->setText(numberToType(in.save_s));
  m_mtbf->setText(numberToType(scaled(in.mtbf_s, 1 / kSecondsPerHour)));
  m_filling = false;
  m_filled = false;
  answer();
  m_filled = true;
}

EstimateInput EstimateDialog::input() const {
  const auto of = [](const QLineEdit* field) { return typedNumber(field->text()); };
  EstimateInput in;
  in.parameters = of(m_parameters), in.tokens = of(m_tokens), in.gpus = of(m_gpus);
  in.device = m_device->currentData().toString();
  in.mfu = scaled(of(m_mfu), 0.01);
  in.recompute = static_cast<Recompute>(m_recompute->currentIndex());
  in.dp = m_dp->value(), in.pp = m_pp->value(), in.tp = m_tp->value();
  in.zero = m_zero->currentIndex();
  in.sequence_parallel = m_sequence_parallel->isChecked();
  in.layers = of(m_layers), in.hidden = of(m_hidden), in.heads = of(m_heads), in.sequence = of(m_sequence), in.micro_batch = of(m_micro);
  in.failures_per_gpu_day = scaled(of(m_rate), 0.01);
  in.save_s = of(m_save);
  in.mtbf_s = scaled(of(m_mtbf), kSecondsPerHour);
  return in;
}

void EstimateDialog::answer() {
  if (m_filling) return;
  m_touched |= m_filled;
  showAnswer();
}

// Colours are embedded in the text, so a theme change needs new text.
void EstimateDialog::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && isVisible()) showAnswer();
}

void EstimateDialog::showAnswer() {
  const QString muted = currentTheme().muted.name();
  QString html = QStringLiteral("<table width='100%' cellspacing='0' cellpadding='3'>");
  for (const EstimateLine& line : estimateLines(input()))
    html += QStringLiteral("<tr><td>%1</td><td align='right'><b>%2</b></td></tr><tr><td colspan='2' style='color:%3'>%4</td></tr>")
                .arg(line.title.toHtmlEscaped(), line.value.toHtmlEscaped(), muted, line.formula.toHtmlEscaped());
  m_answer->setText(html + QStringLiteral("</table>"));
}

}  // namespace runglass
