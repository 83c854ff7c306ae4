// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/gpu_price.h"

#include <QSettings>

#include "widgets/core/user_settings.h"

namespace runglass {
namespace {

// The settings key is that of the what-if panel, which asked for the price first.
QString key() { return QStringLiteral("what_if/price_per_gpu_hour"); }

}  // namespace

std::optional<double> rememberedGpuPrice() {
  const double price = hasUserSettings() ? QSettings().value(key(), 0.0).toDouble() : 0;
  return price > 0 ? std::optional(price) : std::nullopt;
}

void rememberGpuPrice(double price) {
  if (hasUserSettings()) QSettings().setValue(key(), price);
}

}  // namespace runglass
