SELECT tag, step, time_ns, value FROM scalar WHERE tag LIKE '%loss' OR tag = 'grad_norm' ORDER BY tag, step
