import { newId, textOf } from "../src/core/ids";
import { chooseLanguage } from "../src/core/languages/language";
import { renderMail } from "../src/core/mail/render-mail";
import { controlDatabase, controlShard } from "../src/db/client";
import { listContacts } from "../src/features/contacts/list";
import { UpsertContact } from "../src/features/contacts/schema";
import { upsertContact } from "../src/features/contacts/upsert";
import { addDomain } from "../src/features/domains/add";
import { TrackEvent } from "../src/features/events/schema";
import { trackEvent } from "../src/features/events/track";
import { createProject } from "../src/features/projects/create";
import { SendEmail } from "../src/features/send/schema";
import { sendEmails } from "../src/features/send/send";
import { defaultLimit } from "../src/http/params";
import { type Context, forProject, type Platform, type Project } from "../src/platform/context";
import type { Env } from "../src/platform/env";
import { openPlatform } from "../src/platform/open-platform";

export { WorkflowShardObject } from "../src/engine/workflows/shard/shard-object";
export { PaceObject } from "../src/platform/mailer/pace-object";
export { ProjectGateObject } from "../src/platform/project-gate-object";
export { SweepObject } from "../src/sweep-object";

const recipient = "recorded@example.com";

type Call = Record<string, unknown>;

/** The work of the product for one call of each route, without the front door. */
const verbs: Record<string, (ctx: Context, call: Call) => Promise<unknown>> = {
  send: (ctx, call) => sendEmails(ctx, SendEmail.parse({ ...call, to: recipient })),
  track: (ctx, call) => trackEvent(ctx, TrackEvent.parse({ ...call, email: recipient }), "POST /v1/track"),
  upsert: (ctx, call) => upsertContact(ctx, UpsertContact.parse({ ...call, email: recipient })),
  list: (ctx) => listContacts(ctx, { limit: defaultLimit, sort: "createdAt", dir: "desc" }),
};

/** The statements that the product made for one call, and the ids in them that every request replaces by its own. */
interface Recording {
  statements: { sql: string; params: unknown[] }[];
  ids: string[];
}

const recordings = new Map<string, Recording>();

/** All routes work on one project, as the product's do. */
let project: Project | null = null;

/**
 * The yardstick: a Worker that only does the work without which no call is accepted. It sends the same statements as
 * the product, which were recorded once: one D1 batch, and for an email one queue send; or one query, and its rows as
 * the answer. No key, no validation.
 */
export default {
  async fetch(request, env, execution) {
    const { pathname } = new URL(request.url);
    if (pathname === "/health") return Response.json({ status: "ok" });
    if (pathname === "/click")
      return new Response(null, { status: 302, headers: { Location: "https://shop.example/" } });
    if (pathname === "/pixel") return new Response(gif, { headers: { "Content-Type": "image/gif" } });
    if (pathname === "/told") {
      const message = { type: "tracking.record", projectId: 1, hits: [{ id: crypto.randomUUID(), at: Date.now() }] };
      execution.waitUntil(env.EVENTS_QUEUE.sendBatch([{ body: message }]));
      return new Response(null, { status: 302, headers: { Location: "https://shop.example/" } });
    }
    if (pathname === "/render") return Response.json(renderMany());
    const [, setup, route = ""] = /^(\/setup)?\/(\w+)$/.exec(pathname) ?? [];
    if (setup) return setUp(env, execution, route, await request.json());
    const recording = recordings.get(route);
    if (!recording) return new Response("Not set up", { status: 404 });
    if (request.method === "GET") return Response.json(await read(env, recording));
    const call = await request.json<Call>();
    await write(env, recording, String(call.to ?? call.email));
    if (route === "send") await env.MAIL_QUEUE.sendBatch([{ body: { type: "mail.deliver", emailIds: [newId()] } }]);
    return Response.json({ success: true });
  },
  async queue() {},
} satisfies ExportedHandler<Env>;

/** A transparent GIF of one pixel. */
const gif = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (letter) =>
  letter.charCodeAt(0),
);

async function write(env: Env, { statements, ids }: Recording, email: string): Promise<void> {
  const fresh = [...ids.map((id): [string, string] => [id, textOf(newId())]), [recipient, email] as [string, string]];
  const replace = (param: unknown) =>
    typeof param === "string" ? fresh.reduce((text, [from, to]) => text.replaceAll(from, to), param) : param;
  await env.DB.batch(statements.map(({ sql, params }) => env.DB.prepare(sql).bind(...params.map(replace))));
}

async function read(env: Env, { statements }: Recording): Promise<unknown> {
  const answers = statements.map(({ sql, params }) =>
    env.DB.prepare(sql)
      .bind(...params)
      .all(),
  );
  return (await Promise.all(answers)).flatMap(({ results }) => results);
}

const rows = Array.from(
  { length: 13 },
  (_, n) => `<tr><td>{{ item${n} ?? "-" }}</td><td>{{ price${n} | round: 2 }}</td></tr>`,
);
const template = `<h1>Hi {{ firstName ?? "there" }}</h1>{% if plan == "pro" %}<p>Thank you.</p>{% endif %}
<table>${rows.join("\n")}</table><p>{{ footer }}</p>`;
const mails = 1_000;

/** Renders many emails of one template: HTML, subject and text. The clock advances here, unlike in production. */
function renderMany(): { msPerMail: number; nodes: number } {
  const render = (n: number) =>
    renderMail({
      type: "TRANSACTIONAL",
      subject: "Order {{ number }} for {{ firstName }}",
      body: template,
      variables: { firstName: `Ada ${n}`, plan: "pro", number: n, price1: n / 3, item1: "Tea" },
      links: null,
      headers: {},
      list: { feedbackId: "bench", listId: "" },
      language: chooseLanguage([]),
      imprint: { company: null, postalAddress: null },
    });
  for (let n = 0; n < 50; n++) render(n);
  const startedAt = performance.now();
  for (let n = 0; n < mails; n++) render(n);
  const nodes = template.split(/\{\{|\{%/).length * 2 - 1;
  return { msPerMail: (performance.now() - startedAt) / mails, nodes };
}

/** Makes one call through the product's own code, with a database that only records statements. */
async function setUp(env: Env, execution: ExecutionContext, route: string, call: Call): Promise<Response> {
  const platform = openPlatform(env, execution, "http://bench.test");
  project ??= await makeProject(platform);
  const statements: Recording["statements"] = [];
  await verbs[route]?.(recordingContext(forProject(platform, project), env, statements), call).catch(() => {});
  // Matches one of our ids: 22 characters, the ninth of which encodes version 7.
  const id = /(?<![-\w])[-\w]{8}[R-U][-\w]{13}(?![-\w])/g;
  const all = statements.flatMap(({ params }) => params.flatMap((param) => String(param).match(id) ?? []));
  recordings.set(route, { statements, ids: [...new Set(all)] });
  return Response.json({ statements: statements.length });
}

async function makeProject(platform: Platform): Promise<Project> {
  const created = await createProject(platform, { name: "Bench" });
  // The yardstick has a single database, whichever one the product would choose for the project.
  const project = { ...created.project, shard: controlShard };
  await addDomain(forProject(platform, project), { domain: "bench.test" });
  return project;
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
  // The verbs only prepare and bind, and then commit one batch or read one statement.
  const database = { prepare, batch } as unknown as D1Database;
  return { ...ctx, db: controlDatabase({ DB: database }) };
}
