SELECT time_ns, kind, code, severity, CASE WHEN device_uuid LIKE 'GPU-%' THEN device_uuid ELSE substr(device_uuid, -8) END AS device, message FROM event
UNION ALL SELECT time_ns, 'log_line', '', severity, NULL, text FROM log_line ORDER BY time_ns
