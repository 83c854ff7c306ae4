SELECT tag, step, time_ns, value FROM scalar UNION ALL SELECT 'checkpoint', step, begin_ns, durable_ns FROM checkpoint UNION ALL SELECT code, count, NULL, NULL FROM ingest_issue ORDER BY 1, 2
