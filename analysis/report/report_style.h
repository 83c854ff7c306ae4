// SPDX-License-Identifier: Apache-2.0
// The style sheet of HTML reports: the console's tokens (widgets/core/theme) as custom properties, light and dark.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      CSS pixels.
// Errors:     none.
// Cost:       2.5 kB in each report.
#pragma once

namespace runglass::report {

inline constexpr const char* kReportStyle =
    R"(:root{color-scheme:light dark;--ground:#fff;--surface:#f5f6f8;--line:#d9dee3;--text:#1b2127;--muted:#5b6672;--accent:#1f6fb2;--warning:#8a5a00;--error:#b3261e}
@media (prefers-color-scheme:dark){:root{--ground:#14171a;--surface:#1b1f24;--line:#313943;--text:#e4e8ec;--muted:#97a3af;--accent:#6fb1e8;--warning:#e6a23c;--error:#f08a86}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 16px 64px;max-width:960px;background:var(--ground);color:var(--text);font:14px/1.45 system-ui,"DejaVu Sans",sans-serif}
h1{font-size:24px;line-height:1.25;margin:4px 0 12px}
h2{font-size:17px;margin:32px 0 8px;padding-top:8px;border-top:1px solid var(--line)}
a{color:var(--accent)}
.summary{font-size:16px}
.muted,.why,.open{color:var(--muted);font-size:12px}
nav ol{margin:0;padding:8px 8px 8px 28px;background:var(--surface);border:1px solid var(--line);border-radius:2px;columns:2;font-size:13px}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(170px,1fr));gap:8px;margin:8px 0 16px}
.figures div{background:var(--surface);border:1px solid var(--line);border-radius:2px;padding:8px}
.figures dt{color:var(--muted);font-size:12px}
.figures dd{margin:2px 0 0;font-size:18px;font-variant-numeric:tabular-nums}
.figures dd.why{font-size:11px}
small{font-size:11px;color:var(--muted)}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:4px 0 12px;font-size:12px}
caption{text-align:left;color:var(--muted);padding:4px 0}
th,td{text-align:left;vertical-align:top;padding:3px 8px 3px 0;border-bottom:1px solid var(--line);overflow-wrap:break-word}
th{color:var(--muted);font-weight:600}
td.n,th.n{text-align:right}
td.n,th.n,td.t{white-space:nowrap;font-variant-numeric:tabular-nums}
.sql{font-size:10px;text-decoration:none}
figure{margin:12px 0 20px}
figure img{max-width:100%;height:auto;display:block}
figcaption{font-size:12px;margin-top:4px}
.log ol{list-style:none;margin:4px 0;padding:8px;background:var(--surface);border:1px solid var(--line);font:11px/1.4 ui-monospace,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
.log time{color:var(--muted)}
.log .warning b{color:var(--warning)}
.log .error b,.log .critical b{color:var(--error)}
blockquote{margin:8px 0;padding:4px 12px;border-left:2px solid var(--line)}
blockquote p{margin:2px 0}
blockquote h3{font-size:14px;margin:8px 0 2px}
blockquote ul,blockquote ol{margin:2px 0;padding-left:20px}
hr{border:0;border-top:1px solid var(--line)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--surface);border:1px solid var(--line);padding:8px;font-size:11px}
.from{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;font-size:12px}
.from dt{color:var(--muted)}
.from dd{margin:0;overflow-wrap:anywhere}
@media print{body{max-width:none;padding:0}nav{display:none}figure,tr{break-inside:avoid}}
)";

}  // namespace runglass::report
