// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli_description.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kExamplesHead = "Examples:\n", kIndent = "  ";

// The footer without its heading and indentation.
std::string examplesOf(const CLI::App& app) {
  std::istringstream footer(app.get_footer());
  std::string lines;
  for (std::string line; std::getline(footer, line);)
    if (line.starts_with(kIndent)) lines += line.substr(kIndent.size()) + "\n";
  return lines;
}

Json describeOption(const CLI::Option& option) {
  Json names = Json::array();
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  const bool positional = option.get_positional();
  if (positional) names.push_back(option.get_name(true));
  const bool flag = option.get_items_expected_max() == 0;
  return {{"names", names},
          {"positional", positional},
          {"value", flag ? std::string() : option.get_type_name()},
          {"help", option.get_description()},
          {"default", option.get_default_str()},
          {"required", option.get_required()},
          {"repeats", option.get_items_expected_max() > 1}};
}

Json describeApp(const CLI::App& app) {
  Json options = Json::array(), commands = Json::array();
  const auto describe_options = [&options](const CLI::App& owner) {
    for (const CLI::Option* option : owner.get_options([](const CLI::Option* each) { return !each->get_group().empty(); }))
      options.push_back(describeOption(*option));
  };
  describe_options(app);
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    if (command->get_name().empty())  // an option group is an App without a name
      describe_options(*command);
    else
      commands.push_back(describeApp(*command));
  }
  return {{"name", app.get_name()},
          {"help", app.get_description()},
          {"examples", examplesOf(app)},
          {"options", std::move(options)},
          {"commands", std::move(commands)}};
}

}  // namespace

bool describedCommandLine(CLI::App& app, int argc, const char* const* argv) {
  app.set_version_flag("--version", app.get_name() + " " + RG_VERSION, "Print the version and exit");
  if (argc != 2 || std::string_view(argv[1]) != "--describe-options") return false;
  std::puts(describeCommandLine(app, RG_VERSION).c_str());
  return true;
}

void addExamples(CLI::App& app, std::string_view lines) {
  std::string footer(kExamplesHead);
  std::istringstream text{std::string(lines)};
  for (std::string line; std::getline(text, line);) footer += std::string(kIndent) + line + "\n";
  footer.pop_back();
  app.footer(footer);
}

std::string describeCommandLine(const CLI::App& app, const std::string& version) {
  Json description = describeApp(app);
  description["version"] = version;
  return description.dump(1);
}

}  // namespace runglass
