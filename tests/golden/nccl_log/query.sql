SELECT kind, code, rank, severity, message FROM event
UNION ALL SELECT key, value, rank, node, '' FROM attempt_fact
ORDER BY 1, 2, 3, 4
