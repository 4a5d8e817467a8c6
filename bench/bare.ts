import { newId } from "../src/core/ids";
import { renderMail } from "../src/core/mail/render-mail";
import { controlDatabase, controlShard } from "../src/db/client";
import { addDomain } from "../src/features/domains/add";
import { TrackEvent } from "../src/features/events/schema";
import { trackEvent } from "../src/features/events/track";
import { createProject } from "../src/features/projects/create";
import { SendEmail } from "../src/features/send/schema";
import { sendEmails } from "../src/features/send/send";
import { type Context, forProject, openPlatform } from "../src/platform/context";
import type { Env } from "../src/platform/env";

export { PaceObject } from "../src/platform/mailer/pace-object";
export { ProjectGateObject } from "../src/platform/project-gate-object";

type Kind = "send" | "track";

/** The statements that the product made for one call, and the ids in them that every request replaces by its own. */
interface Recording {
  statements: { sql: string; params: unknown[] }[];
  ids: string[];
}

const recordings = new Map<string, Recording>();
const recipient = "recorded@example.com";

/**
 * The yardstick: a Worker that only does the work without which no call is accepted. One D1 batch of the very
 * statements that the product sends, recorded from it once, and for a mail one queue send. No key, no validation.
 */
export default {
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ status: "ok" });
    if (pathname === "/render") return Response.json(renderMany());
    const call = await request.json<Record<string, unknown>>();
    if (pathname.startsWith("/setup/"))
      return setUp(env, execution, pathname === "/setup/send" ? "send" : "track", call);
    const recording = recordings.get(pathname.slice(1));
    if (!recording) return new Response("Not set up", { status: 404 });
    await run(env, recording, String(call.to ?? call.email));
    if (pathname === "/send") await env.MAIL_QUEUE.sendBatch([{ body: { type: "mail.deliver", emailIds: [newId()] } }]);
    return Response.json({ success: true });
  },
} satisfies ExportedHandler<Env>;

async function run(env: Env, { statements, ids }: Recording, email: string): Promise<void> {
  const fresh = [...ids.map((id): [string, string] => [id, newId()]), [recipient, email] as [string, string]];
  const replace = (param: unknown) =>
    typeof param === "string" ? fresh.reduce((text, [from, to]) => text.replaceAll(from, to), param) : param;
  await env.DB.batch(statements.map(({ sql, params }) => env.DB.prepare(sql).bind(...params.map(replace))));
}

const rows = Array.from(
  { length: 13 },
  (_, n) => `<tr><td>{{ item${n} ?? "-" }}</td><td>{{ price${n} | round: 2 }}</td></tr>`,
);
const template = `<h1>Hi {{ firstName ?? "there" }}</h1>{% if plan == "pro" %}<p>Thank you.</p>{% endif %}
<table>${rows.join("\n")}</table><p>{{ footer }}</p>`;
const mails = 1_000;

/** Renders many mails of one template, HTML, subject and text. The clock runs here, unlike in production. */
function renderMany(): { msPerMail: number; nodes: number } {
  const render = (n: number) =>
    renderMail({
      type: "TRANSACTIONAL",
      subject: "Order {{ number }} for {{ firstName }}",
      body: template,
      variables: { firstName: `Ada ${n}`, plan: "pro", number: n, price1: n / 3, item1: "Tea" },
      links: null,
      headers: {},
      feedbackId: "bench",
    });
  for (let n = 0; n < 50; n++) render(n);
  const startedAt = performance.now();
  for (let n = 0; n < mails; n++) render(n);
  const nodes = template.split(/\{\{|\{%/).length * 2 - 1;
  return { msPerMail: (performance.now() - startedAt) / mails, nodes };
}

/** A project with a domain, and one call through the product's own code with a database that only writes down. */
async function setUp(
  env: Env,
  execution: ExecutionContext,
  kind: Kind,
  call: Record<string, unknown>,
): Promise<Response> {
  const platform = openPlatform(env, execution, "http://bench.test");
  const { project } = await createProject(platform, { name: "Bench" });
  // The yardstick has one database, wherever the product would have put the project.
  const real = forProject(platform, { ...project, shard: controlShard });
  if (kind === "send") await addDomain(real, { domain: "bench.test" });
  const statements: Recording["statements"] = [];
  const ctx = recordingContext(real, env, statements);
  const recorded =
    kind === "send"
      ? sendEmails(ctx, SendEmail.parse({ ...call, to: recipient }))
      : trackEvent(ctx, TrackEvent.parse({ ...call, email: recipient }), "POST /v1/track");
  await recorded.catch(() => {});
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
  const all = statements.flatMap(({ params }) => params.flatMap((param) => String(param).match(uuid) ?? []));
  recordings.set(kind, { statements, ids: [...new Set(all)].filter((id) => id !== project.id) });
  return Response.json({ statements: statements.length });
}

function recordingContext(ctx: Context, env: Env, statements: Recording["statements"]): Context {
  const prepare = (sql: string) => ({
    bind: (...params: unknown[]) => {
      statements.push({ sql, params });
      return env.DB.prepare(sql).bind(...params);
    },
  });
  const batch = async () => {
    throw new Error("Recorded");
  };
  // The verbs only prepare, bind and commit one batch.
  const database = { prepare, batch } as unknown as D1Database;
  return { ...ctx, db: controlDatabase({ DB: database }) };
}
