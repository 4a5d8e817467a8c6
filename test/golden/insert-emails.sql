INSERT INTO emails (project_id, id, content_id, contact_id, to_email, to_written, to_name, source, priority, status, error,
      clock, scheduled_at, next_attempt_at, due_at, created_at)
    SELECT ?, emailId, ?, contactId, email, nullif(written, email), name,
      'TRANSACTIONAL', iif(type = 'TRANSACTIONAL', 0, 1), iif(reason IS NULL, 'QUEUED', 'SUPPRESSED'), reason,
      ?, ?, iif(reason IS NULL, ?, NULL),
      iif(reason IS NULL, ?, NULL), ?
    FROM (SELECT r.value->>'emailId' AS emailId, c.id AS contactId, c.email, r.value->>'written' AS written,
        r.value->>'name' AS name, content.type, CASE WHEN EXISTS (SELECT 1 FROM suppressions s WHERE s.project_id = ? AND s.email = c.email) THEN 'The address is on the suppression list'
  WHEN content.type = 'MARKETING' AND c.opted_out_at IS NOT NULL THEN 'The contact has unsubscribed from marketing email'
  WHEN content.topic_id IS NOT NULL AND EXISTS (SELECT 1 FROM contact_topics ct WHERE ct.project_id = ?
  AND ct.contact_id = c.id AND ct.topic_id = content.topic_id AND NOT ct.is_in)
    THEN 'The contact has left the topic of this email' END AS reason
      FROM email_contents content
      CROSS JOIN json_each(?) r
      CROSS JOIN contacts c ON c.project_id = ? AND c.email = r.value->>'email'
      WHERE content.project_id = ? AND content.id = ?)
    RETURNING id, contact_id, status, priority;
