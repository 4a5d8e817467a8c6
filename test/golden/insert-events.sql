INSERT INTO events (project_id, id, name, contact_id, email_id, source, is_public, data, starts, next_announce_at)
    WITH o AS MATERIALIZED (SELECT n.*, row_number() OVER (PARTITION BY n.project_id) - 1 AS ordinal FROM (SELECT project_id, ? AS name, id AS contact_id, NULL AS email_id,
        ? AS data
      FROM contacts WHERE project_id = ? AND email = ?) n),
      base AS MATERIALIZED (
        SELECT p.project_id, max((SELECT max(n.last_at) FROM event_names n
  WHERE n.project_id = p.project_id AND n.name IN (SELECT o.name FROM o WHERE o.project_id = p.project_id)) << 12, coalesce((SELECT tick_of(newest.id) FROM events newest
  WHERE newest.project_id = p.project_id ORDER BY newest.id DESC LIMIT 1) + 1, 0)) AS tick
        FROM (SELECT DISTINCT project_id FROM o) p)
    SELECT o.project_id, id_of(base.tick + o.ordinal), o.name, o.contact_id, o.email_id, ?, ?, o.data,
      (SELECT nullif(json_group_array(substr(l.listener_id, -22)), '[]') FROM event_listeners l
        WHERE l.project_id = o.project_id AND l.name = o.name AND l.listener_id >= iif(?, ?, ?)
          AND l.listener_id < ? AND o.contact_id IS NOT NULL),
      CASE WHEN EXISTS (SELECT 1 FROM event_listeners l
  WHERE l.project_id = o.project_id AND l.name IN (o.name, substr(o.name, 1, instr(o.name, '.')) || '*', '*')) THEN CAST(? AS INTEGER) + ? END
    FROM o CROSS JOIN base ON base.project_id = o.project_id
    RETURNING id, project_id, contact_id, next_announce_at;
