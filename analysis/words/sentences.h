// SPDX-License-Identifier: Apache-2.0
// The sentences of findings: one template per message id. No other place holds English text of a finding.
//
// A finding stores the message and its English. Hub, command line, webhooks, SQL and reports print the English; a reader in another
// language translates the template by its id and formats the arguments itself.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analysis/words/message.h"
#include "analysis/words/render.h"
#include "model/findings.h"

namespace runglass::words {

struct Template {
  std::string_view id, english;
};
std::span<const Template> catalogue();             // by id
std::string_view templateOf(std::string_view id);  // "" for an unknown id
const Phrases& englishPhrases();

// The message as JSON if a template or an argument is missing: the finding keeps its facts, and tests detect the mistake.
std::string english(const Message& message);
// Sets Finding::message and Finding::summary; no other function does.
void setMessage(Finding& finding, const Message& message);
// As a clause of another message. The summary if its message is empty or does not match, because another version wrote it.
Arg messageOf(const Finding& finding);

}  // namespace runglass::words
