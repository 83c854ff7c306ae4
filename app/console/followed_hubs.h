// SPDX-License-Identifier: GPL-3.0-or-later
// The hubs that this user connected to before, and the file of each replica.
//
// Threading:  main thread.
// Errors:     targetOf(): those of readToken(). Settings that cannot be saved are lost without an error.
// Cost:       settings: a few keys per hub; copyFile() opens the replicas of one hub.
#pragma once

#include <QSettings>
#include <optional>
#include <string>

#include "app/cli/control_arguments.h"
#include "widgets/welcome/hub_address.h"

namespace runglass {

// The folder for this user's stores.
QString storesFolder();

// Keeps the replica of its store.
void forgetHub(QSettings& settings, const QString& address);
// Remembers paths, never the content of files. `copy`: the replica's path.
void rememberHub(QSettings& settings, const HubAddress& hub, const QString& copy);
KnownHubs knownHubs(const QSettings* settings);
// The hub that this replica comes from.
std::optional<HubAddress> hubOfCopy(const QSettings& settings, const QString& copy);

// The default file for a hub's replica: the most recently written one, or `folder`/HOST_7070.rgl if there is none. With the uuid of the
// hub's store: the replica of that store, since another hub may have the same address later.
std::string copyFile(const QString& folder, const std::string& hub, const std::string& source_uuid = {});

// Reads the token; the result includes the address.
Result<ControlTarget> targetOf(const HubAddress& hub);

}  // namespace runglass
