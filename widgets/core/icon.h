// SPDX-License-Identifier: GPL-3.0-or-later
// Icons of resources/icons/ui by name, drawn in a colour of the theme current at paint time.
//
// Threading:  GUI thread.
// Cost:       one SVG rendering per icon, size and colour; then a cached picture.
#pragma once

#include <QIcon>
#include <QString>
#include <QStringList>
#include <span>

#include "widgets/core/theme.h"

namespace runglass {

struct IconText {
  const char* name;  // "bell.svg"
  const char* text;
};
std::span<const IconText> iconTexts();

// By file name without ".svg"; an unknown name draws nothing. A disabled icon is muted, whatever its colour.
QIcon icon(const QString& name, Ink ink = themeInk<&Theme::text>());
QStringList iconNames();

inline constexpr int kIconPx = 16;

}  // namespace runglass
