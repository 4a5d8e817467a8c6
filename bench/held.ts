import { asId } from "../src/core/ids";
import { hitKeyLength } from "../src/core/tracking/hit";
import { openTracker } from "../src/core/tracking/tracker";
import { projectDatabase, shardsOf } from "../src/db/client";
import worker from "../src/index";
import type { Env } from "../src/platform/env";

export * from "../src/index";

const mailQueues = ["MAIL_QUEUE", "CAMPAIGN_MAIL_QUEUE"] as const;

/** Held messages about mail; null when none are held. */
let held: Record<(typeof mailQueues)[number], MessageSendRequest[]> | null = null;

/**
 * The product, whose mail can be held: after `GET /bench/hold` mail is accepted without any message to consumers, until
 * `GET /bench/release`. `GET /bench/statuses` counts the emails of each status.
 *
 * `GET /bench/links` names the click link and the pixel of each email, and `GET /bench/hits` says how many opens and
 * clicks are recorded. After `GET /bench/hits/hold` they are not sent to consumers, until `GET /bench/hits/release`.
 */
export default {
  ...worker,
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/links") return Response.json(await linksOf(env, request));
    if (pathname === "/bench/hits") return Response.json({ recorded: await countHits(env) });
    if (pathname.startsWith("/bench/hits/")) {
      areHitsHeld = pathname === "/bench/hits/hold";
      return Response.json({});
    }
    if (pathname === "/bench/statuses") return Response.json(await countStatuses(env));
    if (pathname === "/bench/release") return release(env);
    if (pathname !== "/bench/hold") return worker.fetch(request, holding(env), execution);
    held = { MAIL_QUEUE: [], CAMPAIGN_MAIL_QUEUE: [] };
    return Response.json({});
  },
} satisfies ExportedHandler<Env>;

let areHitsHeld = false;
/** One for all requests, like the Worker's own. */
let withoutHits: Env | null = null;

async function linksOf(env: Env, request: Request): Promise<{ click: string; pixel: string }[]> {
  const secret = env.LINK_SECRETS ?? "";
  const links = shardsOf(env).map(async (shard) => {
    const all = projectDatabase(env, shard).$client.prepare("SELECT project_id, id FROM emails");
    return (await all.all<{ project_id: number; id: string }>()).results.map(({ project_id, id }) => {
      const mail = { projectId: project_id, emailId: asId(id) };
      const tracker = openTracker(secret, new URL(request.url).origin, mail);
      const click = tracker.clickUrl(tracker.destination(1, "https://shop.example/sale?item=1&utm_source=mail"));
      return { click, pixel: tracker.pixelUrl };
    });
  });
  return (await Promise.all(links)).flat();
}

async function countHits(env: Env): Promise<number> {
  const counts = shardsOf(env).map((shard) =>
    projectDatabase(env, shard)
      .$client.prepare(`SELECT coalesce(sum(length(hits)), 0) / ${hitKeyLength} AS n FROM emails`)
      .first<number>("n"),
  );
  return (await Promise.all(counts)).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

async function countStatuses(env: Env): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const shard of shardsOf(env)) {
    const all = projectDatabase(env, shard).$client.prepare("SELECT status, count(*) AS n FROM emails GROUP BY status");
    for (const { status, n } of (await all.all<{ status: string; n: number }>()).results) {
      counts[status] = (counts[status] ?? 0) + n;
    }
  }
  return counts;
}

async function release(env: Env): Promise<Response> {
  const waiting = held;
  held = null;
  for (const name of mailQueues) {
    const messages = waiting?.[name] ?? [];
    for (let start = 0; start < messages.length; start += 100) {
      await env[name].sendBatch(messages.slice(start, start + 100));
    }
  }
  return Response.json({});
}

function holding(env: Env): Env {
  if (areHitsHeld) {
    withoutHits ??= { ...env, EVENTS_QUEUE: holder([]) };
    return withoutHits;
  }
  if (held === null) return env;
  const { MAIL_QUEUE, CAMPAIGN_MAIL_QUEUE } = held;
  return { ...env, MAIL_QUEUE: holder(MAIL_QUEUE), CAMPAIGN_MAIL_QUEUE: holder(CAMPAIGN_MAIL_QUEUE) };
}

function holder(messages: MessageSendRequest[]): Queue {
  const sendBatch = async (sent: Iterable<MessageSendRequest>) => void messages.push(...sent);
  // The product only sends in batches.
  return { sendBatch } as unknown as Queue;
}
