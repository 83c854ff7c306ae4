# SPDX-License-Identifier: Apache-2.0
"""The words that texts of Runglass avoid (CONTRIBUTING.md, "Words"), each with what to write instead. Ordinary words are never banned alone: a phrase is
listed once it was found in a text that a reader had to translate back into the terms of the field."""

# (regular expression, what to write instead). Case does not matter.
PHRASES = (
    (r'\btold\b|\btellings?\b|(?<!can )\btells?\b(?!(?:\W+\w+){0,5}\W+apart)', 'report, record, print, notify'),
    (r'\b(?:is|are|was|were|be|been) said\b|\bsaid (?:nothing|so|anything|something|by)\b', 'reported, recorded'),
    (r'\b(?:says|said|saying|(?<!^)(?<![.:;] )say) (?:so|why|nothing|what|which|since|how|that|no|whether|of|when|where|who|more)\b', 'reports, shows, states'),
    (r'\bhears?\b|\bheard\b', 'reporting, received'),
    (r'\bnobody\b|\bwhoever\b|\bsomebody\b|\beverybody\b', 'name it: no process, each rank, the user'),
    (r'\bstands? out\b|\bstood out\b', 'deviates, is an outlier'),
    (r'\bto (?:its|their) (?:best|own best)\b', 'compared with the best'),
    (r'\bfrom (?:debug|info|warning|error) (?:on|up)\b', 'of severity … and above'),
    (r'\bas far as\b', 'up to, where'),
    (r'\breckon\w*', 'compute'),
    (r'\bbefell\b|\bbefalls?\b|\bcried\b|\bcry\b', 'happened, raised a false alarm'),
    (r'\banew\b', 'again'),
    (r'\bledger\b|\blogbook\b|\bdiary\b', 'goodput, run log, journal'),
    (r'\border (?:desk|book)s?\b', 'command queue, command registry'),
    (r'\bsigns? of life\b|\bdead-man\'s sign\b', 'heartbeat (dead man\'s switch)'),
    (r'\bno more\b(?! than)(?= |[.,;:]|$)(?! [a-z]+s\b)', 'no longer'),
    (r'\bwhat (?:waits?|came|comes|is left|is gone|was lost|was kept|is kept|it kept|it has|they have|goes on|is new|is known|stays|ended)\b', 'name the thing'),
    (r'\b(?:of|with|from|by|for|in|about) what\b(?! you\b| to do\b)(?![^.]{0,40}\?)', 'name the thing'),
    (r'\bwho (?:waits|has|is (?:slow|late|missing|waited)|computes|are (?:slow|late|missing))\b', 'which rank, which node'),
    (r'\b(?:goes|go|went|going) on\b(?! (?:the|a|top)\b)', 'continue'),
    (r'\b(?:is|are|was|were) over\b(?![^.]{0,12}\d)', 'ended'),
    (r'\blies? (?:in|on|at|beside|below|above|elsewhere|where|there|here|behind)\b', 'is'),
    (r'\bstands? (?:in|there|here|below|beside|by|behind|on top|still|for a)\b', 'is, shows'),
    (r'\bspoke\b|\bspeaks? (?:of|for)\b', 'reported'),
    (r'\bforgets?\b|\bforgot\b|\bforgotten\b', 'delete, drop'),
    (r'\bgives? up\b|\bgave up\b|\bgiven up\b', 'stops retrying, times out'),
    (r'\bgreatest\b|\bleast, greatest\b', 'maximum'),
    (r'\bwants (?:to|it|them|a|one|that|no|its|their)\b', 'needs, requires'),
    (r'\bwoken up\b|\bwhom to wake\b', 'notified'),
    (r'\ball heard\b|\bno length was\b|\bour certificate\b', 'all reporting, length not recorded, client certificate'),
    (r'(?<![\d.])[−-]0(?:\.0+)? %', '0.0 %'),
)

# Identifiers, by their words in camel and snake case.
IDENTIFIERS = (
    (r'told|tellings?', 'reported, published, notified'),
    (r'most|least|fewest', 'max, min', r'k(?:Most|Least|Fewest)\w*'),
    (r'desk|book', 'queue, registry, cache, table', r'OrderDesk\w*|\w*[a-z]Book'),
)

# Header lines that carry no information (CONTRIBUTING.md, "Style").
EMPTY_LINES = r'^\s*(?:Threading:\s+values|Ownership:\s+(?:values|none)|Units:\s+none|Errors:\s+none|Cost:\s+(?:none|none worth counting))\.?\s*$'

# (path prefix, phrase as found, reason): at most 30.
ALLOWED = (
    ('app/cli/agent.cpp', 'forget', 'the command `agent forget`'),
    ('collectors/hub/server/ingest_hello.cpp', 'forget', 'the same command'),
    ('model/issue_catalog.cpp', 'forget', 'the same command'),
    ('app/cli/logbook.cpp', 'logbook', 'the command `logbook`'),
    ('analysis/report/report_builder.cpp', '-0.0 %', 'the text that it replaces'),
    ('widgets/frame/view_registry.cpp', 'logbook', 'names of tabs'),
    ('tests/words/', '', 'the list itself'),
)

# What must pass, and what must not.
GOOD = (
    'SELECT step FROM scalar ORDER BY step', 'memory_order_acquire', 'copy the file', 'The cache keeps 64 MiB.', 'Follow the link.', 'state: running',
    'Health checks run each minute.', 'in this order', 'the feed of news', 'Ask the administrator.', 'known issues', 'Clocks cannot tell ranks apart.',
    'You can tell which rank is slow.', 'At least 5 %, at most 20 %.', 'no more than 64 MiB', 'beside the file', 'The run ended.', 'Keep the file.',
    'An outlier deviates from its peers.', 'is over 9000 tokens/s', 'What does a restart cost?', 'the most severe finding',
)
BAD = (
    'Break-even: not told', 'Nobody was notified', 'The node said nothing', 'Its node is said to be slow', '3 heard', 'Rank 3 stands out',
    'throughput to its best', 'findings from warning on', 'as far as recorded', 'It reckons nothing', 'what befell the host', 'The table is made anew.',
    'the restart ledger', 'The tab `logbook` is the diary', 'a sign of life each minute', 'It holds no more.', 'what waits', 'the size of what came',
    'who is late', 'The run goes on.', 'The attempt is over.', 'The store lies in /var', 'It stands in the log', 'The hub wants to know', 'the greatest value',
    'throughput −0.0 %',
)
GOOD_IDENTIFIERS = ('reported', 'untold', 'kMaxPoints', 'bookmark', 'mostRecent', 'Desktop')
BAD_IDENTIFIERS = ('told_ns', 'isTold', 'tellings', 'kMostPoints', 'kLeastPeers', 'OrderDesk', 'NodeBook')
