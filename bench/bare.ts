import { newId } from "../src/core/ids";
import { controlDatabase } from "../src/db/client";
import { addDomain } from "../src/features/domains/add";
import { createProject } from "../src/features/projects/create";
import { SendEmail } from "../src/features/sending/schema";
import { sendEmails } from "../src/features/sending/send";
import { type Context, forProject, openPlatform } from "../src/platform/context";
import type { Env } from "../src/platform/env";

export { PaceObject } from "../src/platform/mailer/pace-object";
export { ProjectGateObject } from "../src/platform/project-gate-object";

/** A statement as the product made it for one call. */
interface Recorded {
  sql: string;
  params: unknown[];
}

let recorded: Recorded[] = [];
/** Ids in the recording that every request replaces by its own. */
let recordedIds: string[] = [];

/**
 * The yardstick: a Worker that only does the work without which no mail is accepted. One D1 batch of the very
 * statements that the product sends, recorded from it once, and one queue send. No key, no validation, no rendering.
 */
export default {
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ status: "ok" });
    const call = await request.json<Record<string, unknown>>();
    if (pathname === "/setup") return setUp(env, execution, call);
    const fresh = recordedIds.map((id): [string, string] => [id, newId()]);
    const email = JSON.stringify(call.to);
    const statements = recorded.map(({ sql, params }) =>
      env.DB.prepare(sql).bind(...params.map((param) => replaceIds(param, fresh, email))),
    );
    await env.DB.batch(statements);
    await env.MAIL_QUEUE.sendBatch([{ body: { type: "mail.deliver", emailIds: fresh.map(([, id]) => id) } }]);
    return Response.json({ success: true });
  },
} satisfies ExportedHandler<Env>;

function replaceIds(param: unknown, fresh: [string, string][], email: string): unknown {
  if (typeof param !== "string") return param;
  const text = fresh.reduce((replaced, [from, to]) => replaced.replaceAll(from, to), param);
  return text.replaceAll(JSON.stringify(recipient), email);
}

const recipient = "recorded@example.com";

/** A project with a domain, and one call through the product's own code with a database that only writes down. */
async function setUp(env: Env, execution: ExecutionContext, call: Record<string, unknown>): Promise<Response> {
  const platform = openPlatform(env, execution);
  const { project } = await createProject(platform, { name: "Bench" });
  const real = forProject(platform, project);
  await addDomain(real, { domain: "bench.test" });
  recorded = [];
  await sendEmails(recordingContext(real, env), SendEmail.parse({ ...call, to: recipient })).catch(() => {});
  const ids = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const all = recorded.flatMap(({ params }) => params.flatMap((param) => String(param).match(ids) ?? []));
  recordedIds = [...new Set(all)].filter((id) => id !== project.id);
  return Response.json({ statements: recorded.length, ids: recordedIds.length });
}

function recordingContext(ctx: Context, env: Env): Context {
  const prepare = (sql: string) => ({
    bind: (...params: unknown[]) => {
      recorded.push({ sql, params });
      return env.DB.prepare(sql).bind(...params);
    },
  });
  const batch = async () => {
    throw new Error("Recorded");
  };
  // The verb only prepares, binds and commits one batch.
  const database = { prepare, batch } as unknown as D1Database;
  return { ...ctx, db: controlDatabase({ DB: database }) };
}
