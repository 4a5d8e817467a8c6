UPDATE emails AS e SET status = 'SENDING', round = r.value->>'call', handed_at = ?, provider = ?,
    attempts = attempts + 1, abandonments = 0, subject = r.value->>'subject',
    contact = coalesce(contact, r.value->'contact')
  FROM json_each(?) r
  WHERE e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId' AND e.status = 'QUEUED' AND e.round IS r.value->>'round' AND e.next_attempt_at <= ?
  RETURNING id;
