// SPDX-License-Identifier: GPL-3.0-or-later
// Which hubs this user followed before, and the file that the copy of each is in.
//
// Threading:  main thread.
// Errors:     targetOf(): those of readToken(). What cannot be remembered is forgotten.
// Cost:       settings: a few keys a hub; copyFile() opens the copies of one hub.
#pragma once

#include <QSettings>
#include <optional>
#include <string>

#include "app/cli/control_arguments.h"
#include "widgets/welcome/hub_address.h"

namespace runglass {

// Where this user's stores are made.
QString storesFolder();

// The copy of its store stays.
void forgetHub(QSettings& settings, const QString& address);
// Paths are remembered, never what is in the files. `copy`: the store that it is copied into.
void rememberHub(QSettings& settings, const HubAddress& hub, const QString& copy);
KnownHubs knownHubs(const QSettings* settings);
// The hub whose copy this is.
std::optional<HubAddress> hubOfCopy(const QSettings& settings, const QString& copy);

// The copy of a hub that nobody named a file for: the one that was written last, `folder`/HOST_7070.rgl at first. With the uuid of the
// hub's store: the copy of that one, since another hub may answer there tomorrow.
std::string copyFile(const QString& folder, const std::string& hub, const std::string& source_uuid = {});

// Reads the token; the address is in it.
Result<ControlTarget> targetOf(const HubAddress& hub);

}  // namespace runglass
