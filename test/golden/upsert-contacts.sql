INSERT INTO contacts (project_id, id, email, subscribed, opted_out_at, opted_out_by, clock, source, data, created_at,
        updated_at)
      SELECT ?, r.value->>'id', r.value->>'email', (? AND erased.opted_out_at IS NULL), coalesce(erased.opted_out_at, ?),
        CASE WHEN erased.opted_out_at IS NULL THEN ? ELSE 'PERSON' END, ?, ?, ?, ?, ?
      FROM json_each(?) r LEFT JOIN erased_addresses erased ON erased.project_id = ? AND erased.hash = r.value->>'hash'
      WHERE true
      ON CONFLICT (project_id, email) DO UPDATE SET data = (SELECT json_group_object(key, json(value)) FROM (
  SELECT stored.key AS key, CASE stored.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null'
  WHEN 'object' THEN stored.value WHEN 'array' THEN stored.value ELSE json_quote(stored.value) END AS value FROM json_each(contacts.data) stored
  WHERE stored.key NOT IN (SELECT key FROM json_each(?))
  UNION ALL
  SELECT sent.key, CASE sent.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null'
  WHEN 'object' THEN sent.value WHEN 'array' THEN sent.value ELSE json_quote(sent.value) END FROM json_each(?) sent WHERE sent.type <> 'null')), source = iif(contacts.source = 'PUBLIC', ?, contacts.source), version = contacts.version + 1, updated_at = max(contacts.updated_at, ?)
  WHERE (EXISTS (SELECT 1 FROM json_each(?) sent
  LEFT JOIN json_each(contacts.data) stored ON stored.key = sent.key
  WHERE CASE WHEN sent.type = 'null' THEN stored.key IS NOT NULL
    ELSE stored.type IS NOT sent.type OR stored.value IS NOT sent.value END) OR contacts.source = 'PUBLIC');
