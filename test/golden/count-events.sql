INSERT INTO event_names (project_id, name, count, contacts, last_at, day, day_count, is_public)
      WITH o AS MATERIALIZED (SELECT project_id, name, contact_id FROM (SELECT project_id, ? AS name, id AS contact_id, NULL AS email_id,
        ? AS data
      FROM contacts WHERE project_id = ? AND email = ?)),
        named AS MATERIALIZED (SELECT o.project_id, o.name, count(*) AS events,
          count(DISTINCT o.contact_id) FILTER (WHERE NOT EXISTS (SELECT 1 FROM events e
  WHERE e.project_id = o.project_id AND e.name = o.name AND e.contact_id = o.contact_id)) AS contacts,
          max(CAST(? AS INTEGER), coalesce((SELECT time_of(newest.id) FROM events newest
  WHERE newest.project_id = o.project_id ORDER BY newest.id DESC LIMIT 1), 0)) AS now
        FROM o GROUP BY o.project_id, o.name)
      SELECT c.project_id, c.name, c.events, c.contacts, c.at, (CAST(c.at AS INTEGER) / 86400000), c.events, ?
      FROM (SELECT *, min(now, coalesce(((SELECT max(n.day) FROM named other
  CROSS JOIN event_names n ON n.project_id = other.project_id AND n.name = other.name
  WHERE +other.project_id = named.project_id AND n.day < (CAST(named.now AS INTEGER) / 86400000) AND n.day_count > 0 AND NOT EXISTS (
    SELECT 1 FROM event_days d WHERE d.project_id = n.project_id AND d.name = n.name AND d.day = n.day)) * 86400000 + 86400000 - 1), now)) AS at FROM named) c
      WHERE true
      ON CONFLICT DO UPDATE SET count = event_names.count + excluded.count,
        contacts = event_names.contacts + excluded.contacts, last_at = excluded.last_at, day = excluded.day,
        day_count = iif(event_names.day = excluded.day, event_names.day_count, 0) + excluded.day_count;
