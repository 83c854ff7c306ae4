// SPDX-License-Identifier: Apache-2.0
// The patterns by which a Redactor finds texts without a known name.
//
// Threading:  as RE2: matching is thread-safe.
// Units:      bytes: Latin-1, so that arbitrary bytes match unchanged.
// Cost:       each is compiled once per Redactor.
#pragma once

#include <re2/re2.h>

#include "analysis/report/redaction.h"

namespace runglass::report {

inline RE2::Options redactionOptions() {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  return options;
}

// The last group is replaced.
struct Redactor::Patterns {
  // Secrets.
  RE2 private_key{R"((?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)))", redactionOptions()};
  RE2 cookie{R"((?i)\b(?:set-)?cookie["']?\s*[:=]\s*["']?([^"'\r\n]+))", redactionOptions()};
  // A scheme is any word before the secret.
  RE2 authorization{
      R"((?i)\b(?:authorization|proxy-authorization|x-api-key|x-auth-token)["']?\s*[:=]\s*["']?((?:[a-z][a-z0-9-]*[ \t]+)?[^\s"',;]+))",
      redactionOptions()};
  RE2 bearer{R"((?i)\bbearer\s+([A-Za-z0-9._~+/=-]{8,}))", redactionOptions()};
  // The name, and its value including quotes.
  RE2 assigned{
      R"((?i)([a-z0-9_.-]*(?:token|secret|passw(?:or)?d|passwd|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth[_-]?key|session[_-]?key|signature|\bsig)[a-z0-9_.-]*)["']?\s*(?:=|:|\s--?\s)\s*("[^"\r\n]{2,}"|'[^'\r\n]{2,}'|[^\s"';&]{3,}))",
      redactionOptions()};
  RE2 flag{
      R"((?i)--?([a-z0-9_-]*(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|credential)[a-z0-9_-]*)[ =]+("[^"\r\n]{2,}"|'[^'\r\n]{2,}'|[^\s"']{3,}))",
      redactionOptions()};
  RE2 url_password{R"([a-zA-Z][a-zA-Z0-9+.-]*://([^\s/@:"']*:[^\s/"']+)@)", redactionOptions()};
  RE2 slack_hook{R"(hooks\.slack\.com/[a-z]+/([A-Za-z0-9/]+))", redactionOptions()};
  RE2 known_shape{
      R"((?:^|[^A-Za-z0-9])((?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}|hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abposr]-[A-Za-z0-9-]{10,}|sk-[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{30,}|nvapi-[A-Za-z0-9_-]{16,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_-]*|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{32,}|ya29\.[A-Za-z0-9_-]{16,}))",
      redactionOptions()};
  RE2 long_word{R"(([A-Za-z0-9+/_=-]{32,}))", redactionOptions()};
  RE2 uuid{R"((?i)(?:GPU-|MIG-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})", redactionOptions()};
  RE2 number{R"([0-9][0-9.,_]*[kKmMbBgGtT]?[.,;:)\]}]*)", redactionOptions()};
  RE2 next_assigned{R"(,\s*[A-Za-z_][A-Za-z0-9_.-]*["']?\s*[=:])", redactionOptions()};

  // Addresses.
  RE2 mac{
      R"((?:^|[^0-9A-Za-z:])([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?:(?::[0-9A-Fa-f]{2}){2})?|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2}|[0-9A-Fa-f]{4}(?::[0-9A-Fa-f]{4}){3})\b)",
      redactionOptions()};
  RE2 ipv4{R"((?:^|[^0-9A-Za-z.])((?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})(?:[^0-9A-Za-z]|$))",
           redactionOptions()};
  // Also after a name and a colon: "peer:fe80::1".
  RE2 ipv6{
      R"((?:^|[^0-9A-Za-z:.]|[G-Zg-z]:)((?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){1,7}:(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?|::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6}))(?:%[A-Za-z0-9]+)?)",
      redactionOptions()};

  // People.
  RE2 named_email{R"(\b([A-Z][A-Za-z'-]*(?: [A-Z][A-Za-z.'-]*)+)\s*<[^<>@\s]+@)", redactionOptions()};
  RE2 email{R"(([A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}))", redactionOptions()};
  RE2 at_host{R"(\b([A-Za-z_][A-Za-z0-9._-]{0,31})@[\[A-Za-z0-9])", redactionOptions()};
  RE2 home{R"((?:/home/|/Users/|/users/|C:\\Users\\)([A-Za-z0-9._-]+))", redactionOptions()};
  RE2 user_word{R"((?i)\b(?:user(?:name)?|uid|login|owner)\s*[=:]\s*["']?([A-Za-z_][A-Za-z0-9._-]*))", redactionOptions()};
  RE2 logged_in{R"((?i)\blogged in as:?\s+([A-Za-z0-9._-]*[A-Za-z0-9_-]))", redactionOptions()};
  RE2 logged_in_team{R"((?i)\blogged in as:?\s+[A-Za-z0-9._-]+\s+\(([^)\r\n]+)\))", redactionOptions()};

  // Paths: after any word boundary, and after a one-letter flag ("-I/opt/x"). "24/7" and "tokens/s" do not match.
  RE2 path{
      R"((?:^|[^A-Za-z0-9._~/\\-]|(?:^|\s)-[A-Za-z])([A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>|;,()`]+|(?:~|\.{1,2})?(?:/[^\s"'<>|:;,(){}\[\]`]+){1,}/?|[A-Za-z]:\\[^\s"'<>|;,`]+|\\\\[A-Za-z0-9._-]+\\[^\s"'<>|;,`]+))",
      redactionOptions()};

  // Machines and their components.
  RE2 fqdn{
      R"((?i)\b([a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.(?:com|net|org|edu|gov|mil|io|ai|dev|cloud|tech|local|localdomain|lan|lab|hpc|internal|intern|intra|corp|cluster|home|example|test|invalid|de|fr|uk|eu|cn|jp|ch|us|ca|se|nl|au|kr|sg))\b)",
      redactionOptions()};
  RE2 host_word{R"((?i)\b(?:host(?:name)?|node(?:name)?|server|master_addr)\s*[=:]\s*["']?([A-Za-z0-9][A-Za-z0-9.-]*))",
                redactionOptions()};
  RE2 cloud_host{R"(\b(ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3})\b)", redactionOptions()};
  RE2 gpu_uuid{R"(\b((?:GPU|MIG)-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})\b)", redactionOptions()};
  RE2 serial{R"((?i)\bserial(?:\s*(?:number|no\.?|#))?\s*[:=#]?\s*([A-Za-z0-9-]*\d[A-Za-z0-9-]{4,}))", redactionOptions()};
};

}  // namespace runglass::report
