WITH a (v) AS (SELECT ?), edge (id) AS MATERIALIZED (SELECT min(coalesce((SELECT id FROM contacts WHERE project_id = ? AND id > ? ORDER BY id ASC LIMIT 1 OFFSET ?), ?), coalesce((SELECT contact_id FROM segment_members WHERE project_id = ? AND segment_id = ? AND contact_id > ? ORDER BY contact_id ASC LIMIT 1 OFFSET ?), ?)))
  SELECT (SELECT id FROM edge) AS edge, coalesce(sum(matches > 0), 0) AS matched, json_group_array(id) FILTER (WHERE matches = 1) AS ids, NULL AS others
  FROM (SELECT c.id, +(CASE WHEN NOT (((c.data ->> (SELECT v->>0 FROM a)) = (SELECT v->>1 FROM a)) IS TRUE) THEN 0 ELSE EXISTS (SELECT 1 FROM events e
    WHERE e.project_id = c.project_id AND e.name = (SELECT v->>2 FROM a) AND e.contact_id = c.id AND e.id >= (SELECT v->>3 FROM a)) END) AS matches FROM contacts c
  WHERE c.project_id = ? AND c.id > ? AND c.id <= (SELECT id FROM edge));
