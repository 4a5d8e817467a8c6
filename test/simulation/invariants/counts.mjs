import { publicId } from "./ids.mjs";

/** Kept counts equal a recount of the rows; and so does what the API says of campaigns and segments. */
export async function countsThatDiffer(world, state) {
  const deleted = new Set(state.facts.filter(({ is }) => is === "deleted").map(({ tenant }) => tenant));
  const tenants = state.tenants.filter(({ name }) => !deleted.has(name));
  const kept = tenants.flatMap(({ name }) => keptCounts(world, name, state.numberOf.get(name)));
  const campaigns = [];
  // The figures of a small campaign are counted when somebody asks for them, which would hide what is not counted.
  for (const tenant of kept.length === 0 ? tenants : []) {
    for (const { id } of tenant.campaigns) campaigns.push(...(await countsOfCampaign(world, state, tenant, id)));
  }
  return [
    ...kept,
    ...tenants.flatMap(({ name }) => membersThatDiffer(world, name, state.numberOf.get(name))),
    ...campaigns,
  ];
}

/** Further kept counts, and how they are counted again. */
const others = [
  [
    "usage",
    "SELECT coalesce(sum(emails), 0) AS n FROM monthly_usage WHERE project_id = ?",
    "SELECT count(*) AS n FROM emails WHERE project_id = ? AND status NOT IN ('SUPPRESSED', 'FAILED', 'CANCELLED')",
  ],
  [
    "campaigns",
    `SELECT campaign_id AS id, sum(failed) AS failed, sum(sent) AS sent, sum(opened) AS opened, sum(clicked) AS clicked,
        sum(bounced) AS bounced, sum(complained) AS complained
      FROM campaign_counts WHERE project_id = ? GROUP BY 1
      HAVING sum(queued + failed + suppressed + cancelled + unknown + sent) > 0 ORDER BY 1`,
    `SELECT campaign_id AS id, count(*) FILTER (WHERE status = 'FAILED') AS failed,
        count(*) FILTER (WHERE status IN ('SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'BOUNCED', 'COMPLAINED')) AS sent,
        count(opened_at) AS opened, count(clicked_at) AS clicked, count(bounced_at) AS bounced,
        count(complained_at) AS complained
      FROM emails WHERE project_id = ? AND campaign_id IS NOT NULL GROUP BY 1 ORDER BY 1`,
  ],
  [
    "executions",
    `SELECT c.workflow_id AS id, completed, exited, failed, cancelled, running + waiting AS active
      FROM execution_counts c WHERE project_id = ? ORDER BY 1`,
    `SELECT workflow_id AS id, count(*) FILTER (WHERE status = 'COMPLETED') AS completed,
        count(*) FILTER (WHERE status = 'EXITED') AS exited, count(*) FILTER (WHERE status = 'FAILED') AS failed,
        count(*) FILTER (WHERE status = 'CANCELLED') AS cancelled,
        count(*) FILTER (WHERE status IN ('RUNNING', 'WAITING')) AS active
      FROM workflow_executions WHERE project_id = ? GROUP BY 1 ORDER BY 1`,
  ],
];

function keptCounts(world, name, number) {
  const one = (sql) => world.rowsOf(number, sql);
  const [contacts] = one("SELECT contacts, subscribed FROM project_counts WHERE project_id = ?");
  const [found] = one(
    "SELECT count(*) AS contacts, coalesce(sum(subscribed), 0) AS subscribed FROM contacts WHERE project_id = ?",
  );
  const names = one(`SELECT n.name, n.count AS kept, (SELECT count(*) FROM events e WHERE e.project_id = n.project_id
    AND e.name = n.name) AS found FROM event_names n WHERE n.project_id = ?`);
  const uncounted = one(`SELECT DISTINCT name FROM events e WHERE e.project_id = ? AND NOT EXISTS (SELECT 1 FROM
    event_names n WHERE n.project_id = e.project_id AND n.name = e.name)`);
  return [
    ...(contacts && JSON.stringify(contacts) !== JSON.stringify(found)
      ? [`${name} counts ${JSON.stringify(contacts)}, and has ${JSON.stringify(found)}`]
      : []),
    ...names
      .filter((row) => row.kept !== row.found)
      .map((row) => `${name} counts ${row.kept} ${row.name}, and has ${row.found}`),
    ...others.flatMap(([what, kept, recount]) =>
      JSON.stringify(one(kept)) === JSON.stringify(one(recount))
        ? []
        : [`${name} keeps ${what} ${JSON.stringify(one(kept))}, and has ${JSON.stringify(one(recount))}`],
    ),
    ...uncounted.map((row) => `${name} does not count ${row.name}`),
  ];
}

/** The members of a tracked segment are those contacts that match it. */
function membersThatDiffer(world, name, number) {
  const contacts = world.rowsOf(number, "SELECT id, data FROM contacts WHERE project_id = ?");
  const segments = world.rowsOf(number, "SELECT id, condition FROM segments WHERE project_id = ?");
  const all = world.rowsOf(number, "SELECT segment_id, contact_id FROM segment_members WHERE project_id = ?");
  return segments.flatMap(({ id, condition }) => {
    const { value } = JSON.parse(condition).groups[0].filters[0];
    const matching = contacts.filter(({ data }) => JSON.parse(data).plan === value).map((contact) => contact.id);
    const members = all.filter(({ segment_id: segment }) => segment === id);
    const [are, should] = [members.map((row) => row.contact_id).sort(), matching.sort()].map((ids) => ids.join());
    return are === should
      ? []
      : [`Segment ${publicId(id)} of ${name} has ${members.length} members, and ${matching.length} match`];
  });
}

const groups = {
  queuedCount: ["QUEUED", "SENDING"],
  failedCount: ["FAILED"],
  suppressedCount: ["SUPPRESSED"],
  cancelledCount: ["CANCELLED"],
  unknownCount: ["UNKNOWN"],
};

async function countsOfCampaign(world, { emails }, tenant, id) {
  const { status, body } = await world.call("GET", `/campaigns/${id}/stats`, { key: tenant.key });
  if (status !== 200) return [`Figures of campaign ${id} were answered ${status}`];
  const rows = emails.filter((email) => email.campaign_id !== null && publicId(email.campaign_id) === id);
  const variants = (body.variants ?? []).flatMap(({ name, ...stats }) => {
    const own = rows.filter(({ variant }) => variant === name);
    return figuresThatDiffer(`Variant ${name} of campaign ${id}`, stats, own);
  });
  const twice = rows.length - new Set(rows.map(({ contact_id: contact }) => contact)).size;
  return [
    ...figuresThatDiffer(`Campaign ${id}`, body, rows),
    ...variants,
    ...(twice > 0 ? [`Campaign ${id} has ${twice} recipients twice`] : []),
  ];
}

function figuresThatDiffer(what, figures, rows) {
  const count = (isCounted) => rows.filter(isCounted).length;
  const found = {
    totalRecipients: rows.length,
    ...Object.fromEntries(
      Object.entries(groups).map(([key, all]) => [key, count(({ status: is }) => all.includes(is))]),
    ),
    deliveredCount: count((row) => (row.delivered_at ?? row.opened_at ?? row.clicked_at ?? row.complained_at) !== null),
    openedCount: count(({ opened_at: at }) => at !== null),
    clickedCount: count(({ clicked_at: at }) => at !== null),
    bouncedCount: count(({ bounced_at: at }) => at !== null),
    complainedCount: count(({ complained_at: at }) => at !== null),
  };
  return Object.entries(found)
    .filter(([key, value]) => figures[key] !== value)
    .map(([key, value]) => `${what} says ${key} ${figures[key]}, and has ${value}`);
}
