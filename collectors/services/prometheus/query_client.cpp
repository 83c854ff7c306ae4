// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/query_client.h"

#include <algorithm>
#include <utility>

#include "collectors/text/display_name.h"
#include "model/mutex.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxShown = 300;
constexpr DurNs kLongestPause = 8 * kNsPerSecond;

std::string percentEncoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const unsigned char c : text) {
    if (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '~')
      out += static_cast<char>(c);
    else
      out.append({'%', kHex[c >> 4], kHex[c & 15]});
  }
  return out;
}

// ns as "1700000000.123": the API's times have milliseconds.
std::string seconds(TimeNs time) {
  const TimeNs ms = time / kNsPerMs;
  std::string fraction = std::to_string(1'000 + ms % 1'000);
  return std::to_string(ms / 1'000) + "." + fraction.substr(1);
}

// The first line of an answer that is not of the API: a proxy's page.
std::string shown(std::string_view body) {
  return printable(body.substr(0, std::min({body.find_first_of("\r\n"), kMaxShown, body.size()})));
}

bool mayPassLater(int status) { return status == 429 || status == 503; }

Code codeOf(int status) {
  if (status == 401 || status == 403) return Code::kPermissionDenied;
  if (status == 404) return Code::kNotFound;
  if (status == 429 || status >= 500) return Code::kUnavailable;
  return Code::kInvalidArgument;
}

// Prometheus, Mimir and VictoriaMetrics have no code for it.
bool isTooMuchWork(const QueryAnswer& answer) {
  if (answer.error_type == "timeout") return true;
  constexpr std::string_view kWords[] = {"too many samples", "maximum samples", "max-samples", "exceed", "limit", "more than", "too many"};
  return answer.error_type != "bad_data" &&
         std::ranges::any_of(kWords, [&](std::string_view words) { return answer.error.find(words) != std::string::npos; });
}

}  // namespace

std::string quotedForQuery(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string anyOfForQuery(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    if (&text != &texts.front()) all += '|';
    for (const char c : text) {
      if (std::string_view(R"(\.+*?()|[]{}^$)").find(c) != std::string_view::npos) all += '\\';
      all += c;
    }
  }
  return quotedForQuery(all);
}

QueryClient::QueryClient(PrometheusAccess access, Patience patience, std::stop_token stop)
    : m_access(std::move(access)), m_patience(patience), m_stop(std::move(stop)) {}

Result<QueryAnswer> QueryClient::metricNames(const std::string& match, TimeRange range) {
  Fields fields{{"start", seconds(range.t0)}, {"end", seconds(range.t1)}};
  if (!match.empty()) fields.emplace_back("match[]", match);
  return ask(QueryKind::kLabelValues, "/api/v1/label/__name__/values", false, fields);
}

Result<QueryAnswer> QueryClient::series(const std::string& selector, TimeRange range) {
  return ask(QueryKind::kSeries, "/api/v1/series", true, {{"match[]", selector}, {"start", seconds(range.t0)}, {"end", seconds(range.t1)}});
}

Result<QueryAnswer> QueryClient::samples(const std::string& selector, TimeRange range) {
  // A range selector is closed at its end and, before Prometheus 3, at its begin as well: one millisecond earlier, it is half-open.
  const TimeNs begin = range.t0 / kNsPerMs, end = range.t1 / kNsPerMs;
  const std::string query = selector + "[" + std::to_string(end - begin) + "ms]";
  RG_ASSIGN(
      QueryAnswer answer,
      ask(QueryKind::kSamples, "/api/v1/query", true,
          {{"query", query}, {"time", seconds((end - 1) * kNsPerMs)}, {"timeout", std::to_string(m_patience.timeout / kNsPerMs) + "ms"}}));
  for (QueriedColumn& column : answer.matrix) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < column.time.size(); ++i) {
      if (column.time[i] < range.t0 || column.time[i] >= range.t1) continue;
      column.time[kept] = column.time[i];
      column.value[kept++] = column.value[i];
    }
    column.time.resize(kept);
    column.value.resize(kept);
  }
  return answer;
}

Result<QueryAnswer> QueryClient::metricTypes() { return ask(QueryKind::kMetadata, "/api/v1/metadata", false, {{"limit_per_metric", "1"}}); }

Result<QueryAnswer> QueryClient::ask(QueryKind kind, const std::string& path, bool post, const Fields& fields) {
  std::string form;
  for (const auto& [name, value] : fields) form += (form.empty() ? "" : "&") + percentEncoded(name) + "=" + percentEncoded(value);
  HttpRequest request{.url = m_access.url + path, .headers = m_access.headers, .timeout = m_patience.timeout, .most_bytes = kMaxBytes};
  request.ca_file = m_access.ca_file;
  request.user = m_access.user, request.password = m_access.password;
  if (!m_access.token.empty()) request.headers.push_back("Authorization: Bearer " + m_access.token);
  if (post) {
    request.method = "POST", request.body = std::move(form);
    request.headers.emplace_back("Content-Type: application/x-www-form-urlencoded");
  } else {
    request.url += "?" + form;
  }
  const std::string what = "prometheus: " + shownUrl(request.url) + ": ";
  Status last;
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries > 0) sleepUnlessStopped(m_stop, std::min(m_patience.first_pause << (tries - 1), kLongestPause));
    if (m_stop.stop_requested()) return Status(Code::kCancelled, what + "stopped");
    Result<HttpAnswer> answer = m_http.request(request, m_stop);
    if (!answer.ok()) {
      last = Status(answer.status().code(), "prometheus: " + answer.status().message());
      if (answer.status().code() != Code::kUnavailable || !m_answered) return last;
      continue;
    }
    m_answered = true;
    Result<QueryAnswer> parsed = parseQueryAnswer(kind, answer->body);
    if (answer->status == 200) {
      if (!parsed.ok()) return Status(parsed.status().code(), what + parsed.status().message());
      if (parsed->error_type.empty()) return parsed;
    }
    const bool api = parsed.ok() && !parsed->error_type.empty();
    const std::string words =
        api ? displayName(parsed->error_type) + ": " + printable(parsed->error.substr(0, kMaxShown)) : shown(answer->body);
    last = Status(codeOf(answer->status), what + "HTTP " + std::to_string(answer->status) + (words.empty() ? "" : ": " + words));
    if (api && isTooMuchWork(*parsed)) return Status(Code::kResourceExhausted, last.message());
    if (!mayPassLater(answer->status)) return last;
  }
  return last;
}

}  // namespace runglass
