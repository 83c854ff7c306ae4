// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/console_settings.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
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
const QString kLanguage = QStringLiteral("language"), kTheme = QStringLiteral("theme"), kScale = QStringLiteral("scale"),
              kZone = QStringLiteral("time_zone"), kStart = QStringLiteral("start_view"),
              kCollapsed = QStringLiteral("navigation_collapsed"), kDensity = QStringLiteral("density"),
              kColourBlind = QStringLiteral("colour_blind"), kSound = QStringLiteral("sound");
constexpr const char* kQtScale = "QT_SCALE_FACTOR";
const std::array<QString, 3> kThemes = {QStringLiteral("system"), QStringLiteral("dark"), QStringLiteral("light")};
const std::array<QString, 2> kDensities = {QStringLiteral("compact"), QStringLiteral("comfortable")};
const std::array<QString, 2> kZones = {QStringLiteral("utc"), QStringLiteral("local")};

template <class Names>
std::size_t numberOf(const Names& names, const QString& name, std::size_t otherwise) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? otherwise : static_cast<std::size_t>(found - names.begin());
}

bool isLayout(const QString& id) {
  return std::ranges::any_of(defaultLayouts(), [&](const LayoutSpec& layout) { return id == QLatin1String(layout.id); });
}

int* programScale() {
  static int percent = 100;
  return &percent;
}

}  // namespace

ConsoleSettings readSettings(const QSettings& settings) {
  ConsoleSettings chosen;
  chosen.theme = static_cast<ThemeChoice>(numberOf(kThemes, settings.value(kTheme).toString(), static_cast<std::size_t>(chosen.theme)));
  chosen.language = languageFromName(settings.value(kLanguage).toString().toStdString()).value_or(chosen.language);
  const int scale = settings.value(kScale, chosen.scale).toInt();
  if (scale >= kMinScale && scale <= kMaxScale) chosen.scale = scale;
  chosen.zone = static_cast<TimeStyle>(numberOf(kZones, settings.value(kZone).toString(), static_cast<std::size_t>(chosen.zone)));
  const QString start = settings.value(kStart).toString();
  if (isLayout(start) || findView(start.toStdString()) != nullptr) chosen.start_view = start;
  chosen.nav_collapsed = settings.value(kCollapsed).toBool();
  chosen.density =
      static_cast<Density>(numberOf(kDensities, settings.value(kDensity).toString(), static_cast<std::size_t>(chosen.density)));
  chosen.colour_blind = settings.value(kColourBlind).toBool();
  chosen.sound = settings.value(kSound).toBool();
  return chosen;
}

void writeSettings(QSettings& settings, const ConsoleSettings& before, const ConsoleSettings& chosen) {
  if (chosen.theme != before.theme) settings.setValue(kTheme, kThemes[static_cast<std::size_t>(chosen.theme)]);
  if (chosen.language != before.language) settings.setValue(kLanguage, QString::fromLatin1(languageName(chosen.language)));
  if (chosen.scale != before.scale) settings.setValue(kScale, chosen.scale);
  if (chosen.zone != before.zone) settings.setValue(kZone, kZones[chosen.zone == TimeStyle::kLocal ? 1 : 0]);
  if (chosen.start_view != before.start_view) settings.setValue(kStart, chosen.start_view);
  if (chosen.nav_collapsed != before.nav_collapsed) settings.setValue(kCollapsed, chosen.nav_collapsed);
  if (chosen.density != before.density) settings.setValue(kDensity, kDensities[static_cast<std::size_t>(chosen.density)]);
  if (chosen.colour_blind != before.colour_blind) settings.setValue(kColourBlind, chosen.colour_blind);
  if (chosen.sound != before.sound) settings.setValue(kSound, chosen.sound);
}

ThemeName themeOf(ThemeChoice choice) {
  if (choice == ThemeChoice::kSystem) return systemTheme();
  return choice == ThemeChoice::kLight ? ThemeName::kLight : ThemeName::kDark;
}

int scaleOfProgram() { return *programScale(); }

void scaleAtStart(const ConsoleSettings& chosen) {
  *programScale() = chosen.scale;
  if (chosen.scale == 100) return;
  bool set = false;
  const double outer = qEnvironmentVariable(kQtScale).toDouble(&set);
  qputenv(kQtScale, QByteArray::number(chosen.scale / 100.0 * (set && outer > 0 ? outer : 1)));
}

Look lookOf(const ConsoleSettings& chosen, int scale_at_start) {
  return {.colour_blind = chosen.colour_blind,
          .density = chosen.density,
          .text_scale = static_cast<double>(chosen.scale) / static_cast<double>(scale_at_start)};
}

SettingsDialog::SettingsDialog(const ConsoleSettings& chosen, std::function<void(const ConsoleSettings&)> changed, HubList hubs,
                               QWidget* parent)
    : QDialog(parent),
      m_chosen(chosen),
      m_changed(std::move(changed)),
      m_language(new QComboBox(this)),
      m_theme(new QComboBox(this)),
      m_density(new QComboBox(this)),
      m_zone(new QComboBox(this)),
      m_start(new QComboBox(this)),
      m_scale(new QSpinBox(this)),
      m_colour_blind(new QCheckBox(tr("Colours for deuteranopia and protanopia"), this)),
      m_sound(new QCheckBox(tr("Play a sound with notifications"), this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Settings"));
  m_theme->addItems({tr("Same as the system"), tr("Dark"), tr("Light")});
  m_theme->setCurrentIndex(static_cast<int>(chosen.theme));
  m_density->addItems({tr("Compact"), tr("Comfortable")});
  for (const Language language : {Language::kSystem, Language::kEnglish, Language::kChinese}) m_language->addItem(languageTitle(language));
  m_language->setCurrentIndex(static_cast<int>(chosen.language));
  m_density->setCurrentIndex(static_cast<int>(chosen.density));
  m_zone->addItems({tr("UTC"), tr("Local time (%1)").arg(zoneName(TimeStyle::kLocal))});
  m_zone->setCurrentIndex(chosen.zone == TimeStyle::kLocal ? 1 : 0);
  for (const LayoutSpec& layout : defaultLayouts()) m_start->addItem(layout.titleText(), QString::fromLatin1(layout.id));
  for (const ViewInfo& view : viewRegistry())
    if (view.group != NavGroup::kNone) m_start->addItem(view.titleText(), QString::fromLatin1(view.id));
  m_start->setCurrentIndex(std::max(0, m_start->findData(chosen.start_view)));
  m_scale->setRange(kMinScale, kMaxScale);
  m_scale->setSingleStep(kScaleStep);
  m_scale->setSuffix(QStringLiteral(" %"));
  m_scale->setValue(chosen.scale);
  m_colour_blind->setChecked(chosen.colour_blind);
  m_sound->setChecked(chosen.sound);
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(4 * kGrid);
  form->setVerticalSpacing(2 * kGrid);
  const auto note = [this](const QString& words) {
    auto* made = new QLabel(words, this);
    made->setTextFormat(Qt::PlainText);
    made->setWordWrap(true);
    made->setForegroundRole(QPalette::PlaceholderText);
    return made;
  };
  const QStringList names = fieldNames();
  qsizetype number = 0;
  const auto row = [&](QWidget* field) {
    field->setAccessibleName(names[number]);
    form->addRow(names[number++], field);
  };
  row(m_language);
  row(m_theme);
  row(m_colour_blind);
  row(m_scale);
  form->addRow(QString(), note(tr("Text changes at once; icons and spacing at the next start.")));
  row(m_density);
  row(m_zone);
  row(m_start);
  row(m_sound);
  row(makeHubs(std::move(hubs)));
  row(note(tr("Set where the store is written: runglassctl serve --max-store-gib N deletes the oldest data first.")));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4 * kGrid, 4 * kGrid, 4 * kGrid, 4 * kGrid);
  column->setSpacing(4 * kGrid);
  column->addLayout(form);
  column->addStretch(1);
  column->addWidget(buttons);
  for (QComboBox* box : {m_language, m_theme, m_density, m_zone, m_start})
    connect(box, &QComboBox::currentIndexChanged, this, &SettingsDialog::change);
  for (QCheckBox* box : {m_colour_blind, m_sound}) connect(box, &QCheckBox::toggled, this, &SettingsDialog::change);
  connect(m_scale, &QSpinBox::valueChanged, this, &SettingsDialog::change);
  resize(kWidth, std::max(sizeHint().height(), column->totalHeightForWidth(kWidth)));  // notes wrap
}

// Removing an address keeps the replica of its store.
QWidget* SettingsDialog::makeHubs(HubList hubs) {
  auto* box = new QWidget(this);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid);
  for (const QString& address : hubs.addresses) {
    auto* line = new QWidget(box);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    auto* words = new QLabel(screenText(address.toStdString(), 80), line);
    words->setTextFormat(Qt::PlainText);
    auto* forget = new QPushButton(tr("Remove"), line);
    forget->setAutoDefault(false);
    forget->setAccessibleName(tr("Remove %1").arg(words->text()));
    connect(forget, &QPushButton::clicked, line, [line, address, call = hubs.forget] {
      call(address);
      line->hide();
    });
    row->addWidget(words, 1);
    row->addWidget(forget);
    column->addWidget(line);
  }
  auto* add = new QPushButton(tr("Connect to a hub …"), box);
  add->setAutoDefault(false);
  connect(add, &QPushButton::clicked, this, [this, call = hubs.add] {
    close();
    call();
  });
  column->addWidget(add, 0, Qt::AlignLeft);
  box->setFocusProxy(add);
  return box;
}

QStringList SettingsDialog::fieldNames() {
  return {languageField(),
          tr("Theme"),
          tr("Colours"),
          tr("Size of text and controls"),
          tr("Density"),
          tr("Time zone"),
          tr("First view of a store"),
          tr("Sound"),
          tr("Hub addresses"),
          tr("Retention")};
}

QString SettingsDialog::languageField() { return tr("Language"); }

void SettingsDialog::focusField(const QString& name) {
  if (name.isEmpty()) return;
  for (QWidget* field : findChildren<QWidget*>())
    if (field->accessibleName() == name) return field->setFocus(Qt::ShortcutFocusReason);
}

void SettingsDialog::change() {
  m_chosen.language = static_cast<Language>(m_language->currentIndex());
  m_chosen.theme = static_cast<ThemeChoice>(m_theme->currentIndex());
  m_chosen.zone = m_zone->currentIndex() == 1 ? TimeStyle::kLocal : TimeStyle::kUtc;
  m_chosen.start_view = m_start->currentData().toString();
  m_chosen.scale = m_scale->value();
  m_chosen.density = static_cast<Density>(m_density->currentIndex());
  m_chosen.colour_blind = m_colour_blind->isChecked();
  m_chosen.sound = m_sound->isChecked();
  m_changed(m_chosen);
}

}  // namespace runglass
