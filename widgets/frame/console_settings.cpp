// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/console_settings.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "widgets/frame/dock_host.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {

constexpr int kWidth = 120 * kGrid;
constexpr int kScaleStep = 10;
const QString kTheme = QStringLiteral("theme"), kScale = QStringLiteral("scale"), kZone = QStringLiteral("time_zone"),
              kStart = QStringLiteral("start_view"), kCollapsed = QStringLiteral("navigation_collapsed");
constexpr const char* kQtScale = "QT_SCALE_FACTOR";
const std::array<QString, 3> kThemes = {QStringLiteral("system"), QStringLiteral("dark"), QStringLiteral("light")};
const std::array<QString, 2> kZones = {QStringLiteral("utc"), QStringLiteral("local")};

template <class Names>
std::size_t numberOf(const Names& names, const QString& name, std::size_t otherwise) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? otherwise : static_cast<std::size_t>(found - names.begin());
}

bool isLayout(const QString& id) {
  return std::ranges::any_of(defaultLayouts(), [&](const LayoutSpec& layout) { return id == QLatin1String(layout.id); });
}

}  // namespace

ConsoleSettings readSettings(const QSettings& settings) {
  ConsoleSettings chosen;
  chosen.theme = static_cast<ThemeChoice>(numberOf(kThemes, settings.value(kTheme).toString(), static_cast<std::size_t>(chosen.theme)));
  const int scale = settings.value(kScale, chosen.scale).toInt();
  if (scale >= kMinScale && scale <= kMaxScale) chosen.scale = scale;
  chosen.zone = static_cast<TimeStyle>(numberOf(kZones, settings.value(kZone).toString(), static_cast<std::size_t>(chosen.zone)));
  const QString start = settings.value(kStart).toString();
  if (isLayout(start) || findView(start.toStdString()) != nullptr) chosen.start_view = start;
  chosen.nav_collapsed = settings.value(kCollapsed).toBool();
  return chosen;
}

void writeSettings(QSettings& settings, const ConsoleSettings& before, const ConsoleSettings& chosen) {
  if (chosen.theme != before.theme) settings.setValue(kTheme, kThemes[static_cast<std::size_t>(chosen.theme)]);
  if (chosen.scale != before.scale) settings.setValue(kScale, chosen.scale);
  if (chosen.zone != before.zone) settings.setValue(kZone, kZones[chosen.zone == TimeStyle::kLocal ? 1 : 0]);
  if (chosen.start_view != before.start_view) settings.setValue(kStart, chosen.start_view);
  if (chosen.nav_collapsed != before.nav_collapsed) settings.setValue(kCollapsed, chosen.nav_collapsed);
}

ThemeName themeOf(ThemeChoice choice) {
  if (choice == ThemeChoice::kSystem) return systemTheme();
  return choice == ThemeChoice::kLight ? ThemeName::kLight : ThemeName::kDark;
}

void scaleAtStart(const ConsoleSettings& chosen) {
  if (chosen.scale == 100) return;
  bool set = false;
  const double outer = qEnvironmentVariable(kQtScale).toDouble(&set);
  qputenv(kQtScale, QByteArray::number(chosen.scale / 100.0 * (set && outer > 0 ? outer : 1)));
}

SettingsDialog::SettingsDialog(const ConsoleSettings& chosen, std::function<void(const ConsoleSettings&)> changed, QWidget* parent)
    : QDialog(parent),
      m_chosen(chosen),
      m_changed(std::move(changed)),
      m_scale_at_start(chosen.scale),
      m_theme(new QComboBox(this)),
      m_zone(new QComboBox(this)),
      m_start(new QComboBox(this)),
      m_scale(new QSpinBox(this)),
      m_restart(new QLabel(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Settings"));
  m_theme->addItems({tr("Same as the system"), tr("Dark"), tr("Light")});
  m_theme->setCurrentIndex(static_cast<int>(chosen.theme));
  m_zone->addItems({tr("UTC"), tr("Local time (%1)").arg(zoneName(TimeStyle::kLocal))});
  m_zone->setCurrentIndex(chosen.zone == TimeStyle::kLocal ? 1 : 0);
  for (const LayoutSpec& layout : defaultLayouts()) m_start->addItem(QString::fromUtf8(layout.title), QString::fromLatin1(layout.id));
  for (const ViewInfo& view : viewRegistry())
    if (view.group != NavGroup::kNone) m_start->addItem(QString::fromUtf8(view.title), QString::fromLatin1(view.id));
  m_start->setCurrentIndex(std::max(0, m_start->findData(chosen.start_view)));
  m_scale->setRange(kMinScale, kMaxScale);
  m_scale->setSingleStep(kScaleStep);
  m_scale->setSuffix(QStringLiteral(" %"));
  m_scale->setValue(chosen.scale);
  m_restart->setTextFormat(Qt::PlainText);
  m_restart->setText(tr("The new size applies from the next start."));
  m_restart->setForegroundRole(QPalette::PlaceholderText);
  m_restart->setVisible(false);
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(4 * kGrid);
  form->setVerticalSpacing(2 * kGrid);
  const auto row = [&](const QString& label, QWidget* field) {
    field->setAccessibleName(label);
    form->addRow(label, field);
  };
  row(tr("Theme"), m_theme);
  row(tr("Size of text and controls"), m_scale);
  form->addRow(QString(), m_restart);
  row(tr("Time zone"), m_zone);
  row(tr("First view of a store"), m_start);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4 * kGrid, 4 * kGrid, 4 * kGrid, 4 * kGrid);
  column->setSpacing(4 * kGrid);
  column->addLayout(form);
  column->addStretch(1);
  column->addWidget(buttons);
  for (QComboBox* box : {m_theme, m_zone, m_start}) connect(box, &QComboBox::currentIndexChanged, this, &SettingsDialog::change);
  connect(m_scale, &QSpinBox::valueChanged, this, &SettingsDialog::change);
  resize(kWidth, sizeHint().height());
}

void SettingsDialog::change() {
  m_chosen.theme = static_cast<ThemeChoice>(m_theme->currentIndex());
  m_chosen.zone = m_zone->currentIndex() == 1 ? TimeStyle::kLocal : TimeStyle::kUtc;
  m_chosen.start_view = m_start->currentData().toString();
  m_chosen.scale = m_scale->value();
  m_restart->setVisible(m_chosen.scale != m_scale_at_start);
  m_changed(m_chosen);
}

}  // namespace runglass
