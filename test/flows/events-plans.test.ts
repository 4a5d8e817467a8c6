import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { firstIdAt, newId, publicId } from "../../src/core/ids";
import { openBatch } from "../../src/db/batch";
import { insertEvents } from "../../src/engine/events/record";
import { announceJob, insertJob } from "../../src/engine/jobs/queue-job";
import { deleteEvents } from "../../src/features/events/delete";
import { listContactEvents, listEvents } from "../../src/features/events/list";
import { listEventNames } from "../../src/features/events/names";
import { TrackEvent } from "../../src/features/events/schema";
import { eventStats } from "../../src/features/events/stats";
import { trackEvent } from "../../src/features/events/track";
import { eventUsage } from "../../src/features/events/usage";
import { addEvents, listen } from "../support/events";
import { expectBounded } from "../support/plan";
import { newProject } from "../support/project";
import { World } from "../support/world";

it("tracks, lists, counts, dispatches and deletes without walking through what a project already has", async () => {
  const project = await newProject();
  const world = new World();
  world.listeners.push({ kind: "ears", receive: async () => {} });
  await listen(project, ["*", "ears:1"]);
  const { ctx } = await world.context(project);
  const call = { email: "ada@example.com", event: "purchase", data: { plan: "pro" }, subscribed: true };
  const { contactId } = await trackEvent(ctx, TrackEvent.parse(call), "POST /v1/track");
  const rows = sql`SELECT project_id, 'email.sent' AS name, id AS contact_id, NULL AS email_id, '{}' AS data
    FROM contacts WHERE project_id = ${project.number} AND id = ${contactId}`;
  const sent = openBatch(ctx);
  sent.add(insertEvents(ctx, { rows }));
  await sent.commit();
  world.queue.pop();
  await world.pass(3);

  await addEvents(project, { name: "view", count: 25_001, at: world.now - 25_001, contacts: [publicId(contactId)] });
  for (const filters of [{}, { name: "view" }, { contactId }, { name: "view", contactId }]) {
    const { cursor } = await listEvents(ctx, { ...filters, limit: 100 });
    await listEvents(ctx, { ...filters, limit: 100, cursor });
  }
  await listContactEvents(ctx, contactId, { limit: 1 });
  await listEventNames(ctx);
  await eventStats(ctx, {});
  expect(await eventStats(ctx, { startDate: { from: 0, to: 1 } })).toHaveProperty("approximate");
  expect(await eventStats(ctx, { endDate: { from: 0, to: world.now - 20_000 } })).not.toHaveProperty("approximate");
  await eventUsage(ctx, "view");
  await deleteEvents(ctx, "purchase");
  const input = { name: "view", before: firstIdAt(world.now - 24_000), total: 1_000 };
  const job = { id: newId(), type: "events.delete", input, state: { deletedCount: 0, from: null } } as const;
  const queued = openBatch(ctx);
  queued.add(insertJob(ctx, job));
  await queued.commit();
  await announceJob(ctx, job.type, job.id);
  await world.drain();

  expect(world.statements.length).toBeGreaterThan(30);
  await expectBounded(world.statements, [
    // The list of all events walks the project's own part of the key from its end, as far as the page goes.
    { sql: /FROM events e .*WHERE e\.project_id = \? ORDER BY e\.id DESC LIMIT/, step: /^SEARCH e / },
    // The newest event is the end of the key.
    { sql: /^SELECT id FROM events WHERE project_id = \? ORDER BY id DESC LIMIT 1$/, step: /^SEARCH events / },
    // The events of one page by name, once it is known which.
    { sql: /LIMIT \?\) page CROSS JOIN events e .* ORDER BY e\.id DESC$/, step: /TEMP B-TREE FOR ORDER BY/ },
    // The events that one statement deletes.
    { sql: /^UPDATE event_(days|names) .* ORDER BY contact_id, id LIMIT \?/, step: /TEMP B-TREE FOR GROUP BY/ },
    // Names.
    { sql: /FROM event_names WHERE project_id = \? LIMIT/, step: /TEMP B-TREE FOR ORDER BY/ },
    // At most 25,000 events of a range of dates, once they were counted.
    { sql: /id >= \? AND id < \? GROUP BY name/, step: /TEMP B-TREE FOR (GROUP BY|count\(DISTINCT\))/ },
    // The listeners of one event.
    { sql: /FROM event_listeners/, step: /TEMP B-TREE FOR json_group_array\(DISTINCT\)/ },
  ]);
});
