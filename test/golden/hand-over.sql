UPDATE emails AS e SET status = 'SENDING', round = r.value->>'call', handed_at = ?, provider = ?,
        attempts = attempts + 1, abandonments = 0, look_up_at = ?, look_ups = 0, subject = r.value->>'subject',
        contact = coalesce(contact, r.value->'contact')
      FROM json_each(?) r
      WHERE e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId' AND e.status = 'QUEUED' AND e.round IS r.value->>'round' AND e.next_attempt_at <= ? AND NOT (r.value->>'isFresh' AND ((e.campaign_id IS NOT NULL AND e.round IS NOT NULL AND e.uncertain_since IS NULL AND EXISTS (SELECT 1 FROM campaigns k WHERE k.project_id = e.project_id AND k.id = e.campaign_id AND k.status = 'CANCELLED'
      AND coalesce(e.retried_at, 0) <= k.updated_at)) OR (e.campaign_id IS NOT NULL AND e.round IS NOT NULL AND e.uncertain_since IS NULL AND EXISTS (SELECT 1 FROM campaigns k WHERE k.project_id = e.project_id AND k.id = e.campaign_id AND k.status = 'SENDING' AND k.held_reason IS NOT NULL)) OR (e.source <> 'TEST' AND NOT EXISTS (
  SELECT 1 FROM contacts c WHERE c.project_id = e.project_id AND c.id = e.contact_id)) OR (e.source IN ('CAMPAIGN', 'WORKFLOW') AND r.value->>'type' <> 'TRANSACTIONAL'
  AND EXISTS (SELECT 1 FROM contacts c WHERE c.project_id = e.project_id AND c.id = e.contact_id
    AND NOT (c.subscribed AND coalesce((SELECT coalesce(ct.is_in, t.default_subscribed) FROM topics t
    LEFT JOIN contact_topics ct ON ct.project_id = t.project_id AND ct.contact_id = c.id AND ct.topic_id = t.id
    WHERE t.project_id = c.project_id AND t.id = r.value->>'topicId'), true)))
  AND NOT EXISTS (SELECT 1 FROM suppressions s WHERE s.project_id = e.project_id AND s.email = e.to_email)) OR CASE WHEN EXISTS (SELECT 1 FROM suppressions s WHERE s.project_id = ? AND s.email = e.to_email) THEN 'The address is on the suppression list'
    WHEN r.value->>'type' = 'MARKETING' AND (SELECT c.opted_out_at FROM contacts c WHERE c.project_id = e.project_id
    AND c.id = e.contact_id) IS NOT NULL THEN 'The contact has unsubscribed from marketing email'
    WHEN r.value->>'topicId' IS NOT NULL AND EXISTS (SELECT 1 FROM contact_topics ct WHERE ct.project_id = ?
    AND ct.contact_id = e.contact_id AND ct.topic_id = r.value->>'topicId' AND NOT ct.is_in)
      THEN 'The contact has left the topic of this email' END IS NOT NULL))
      RETURNING id;
