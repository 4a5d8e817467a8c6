INSERT INTO emails (project_id, id, content_id, contact_id, to_email, source, priority, status, error, clock, next_attempt_at, due_at, created_at, ended_at, to_written, to_name, scheduled_at)
  SELECT ?, id, content_id, contact_id, to_email, ?, iif(type = 'TRANSACTIONAL', 0, 1), status, CASE status WHEN 'SUPPRESSED' THEN reason WHEN 'FAILED' THEN ? END, ?, iif(status = 'QUEUED', ?, NULL), iif(status = 'QUEUED', ?, NULL), ?, iif(status = 'QUEUED', NULL, ?), nullif(written, to_email), name, ?
  FROM (SELECT *, iif(reason IS NULL, 'QUEUED', 'SUPPRESSED') AS status FROM (SELECT r.value->>'emailId' AS id, content.id AS content_id, c.id AS contact_id, c.email AS to_email,
      r.value->>'written' AS written, r.value->>'name' AS name, content.type,
      CASE WHEN EXISTS (SELECT 1 FROM suppressions s WHERE s.project_id = ? AND s.email = c.email) THEN 'The address is on the suppression list'
  WHEN content.type = 'MARKETING' AND c.opted_out_at IS NOT NULL THEN 'The contact has unsubscribed from marketing email'
  WHEN content.topic_id IS NOT NULL AND EXISTS (SELECT 1 FROM contact_topics ct WHERE ct.project_id = ?
  AND ct.contact_id = c.id AND ct.topic_id = content.topic_id AND NOT ct.is_in)
    THEN 'The contact has left the topic of this email' END AS reason
    FROM email_contents content
    CROSS JOIN json_each(?) r
    CROSS JOIN contacts c ON c.project_id = ? AND c.email = r.value->>'email'
    WHERE content.project_id = ? AND content.id = ?)) WHERE true
    RETURNING id, contact_id, status = 'QUEUED' AS is_queued, priority;
