import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { type Operator, operatorOf } from "./operator";
import { type Product, startProduct } from "./product";

const first = inject("product");
const here = operatorOf(first);
const folder = mkdtempSync(join(tmpdir(), "petrel-elsewhere-"));
let second: Product;
let there: Operator;
let stop: () => Promise<void>;

beforeAll(async () => {
  ({ product: second, stop } = await startProduct());
  there = operatorOf(second);
});

afterAll(async () => {
  await stop?.();
  rmSync(folder, { recursive: true });
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const domain = "moving.test";
type Made = { project: { id: string }; keys: { secret: string; public: string } };
type Listed<Item> = { data: Item[] };
interface Contact {
  id: string;
  email: string;
  subscribed: boolean;
  data: object;
}

/** A project with people, a template with an image, a workflow on which somebody waits, and mail for later. */
async function makeOriginal() {
  const { project, keys } = await here.api<Made>(first.adminToken, "POST", "/admin/projects", { name: "Acme" });
  const call = <Body>(method: string, path: string, body?: unknown) => here.api<Body>(keys.secret, method, path, body);
  await call("POST", "/domains", { domain });
  const people = [
    { email: "ada@example.com", subscribed: true, data: { plan: "pro", note: "naïve" } },
    { email: "bob@example.com", subscribed: false, data: {} },
  ];
  for (const person of people) await call("POST", "/contacts", person);
  await call("POST", "/suppressions", { email: "gone@example.com" });
  const form = new FormData();
  form.append("file", new File([png], "logo.png"));
  const image = await call<{ id: string; url: string }>("POST", "/files", form);
  const template = await call<{ id: string }>("POST", "/templates", {
    ...{ name: "Welcome", type: "TRANSACTIONAL", from: `hello@${domain}`, subject: "Hello {{ data.plan }}" },
    body: `<p>Hello</p><img src="${image.url}" alt="Acme">`,
  });
  const workflow = await call<{ id: string }>("POST", "/workflows", {
    ...{ name: "Onboarding", eventName: "signup", enabled: true },
    steps: [
      { key: "wait", type: "DELAY", name: "Wait", config: { amount: 3, unit: "days" } },
      { key: "mail", type: "SEND_EMAIL", name: "Mail", config: { templateId: template.id } },
    ],
    transitions: [
      { from: "trigger", to: "wait" },
      { from: "wait", to: "mail" },
    ],
  });
  await call("POST", "/events/track", { email: "ada@example.com", event: "signup" });
  const waiting = () => call<Listed<{ status: string }>>("GET", `/workflows/${workflow.id}/executions`);
  await vi.waitFor(
    async () => expect((await waiting()).data).toEqual([expect.objectContaining({ status: "WAITING" })]),
    {
      timeout: 20_000,
    },
  );
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
  const mail = { to: "ada@example.com", template: template.id, scheduledAt };
  const sent = await call<{ data: { emails: { email: string }[] } }>("POST", "/v1/send", mail);
  return { project, keys, people, image, template, workflow, email: sent.data.emails[0]?.email };
}

it("has a project of the first one by its file: all that it had, new keys, and nothing goes out before it is enabled", {
  timeout: 240_000,
}, async () => {
  const original = await makeOriginal();
  const backup = await here.run("backup", original.project.id, "--to", folder, "--json");
  expect(backup).toMatchObject({ code: 0, err: "" });
  const [made] = JSON.parse(backup.out).backups;

  const restored = await there.run("restore", "--from", made.file, "--as", "Acme, moved", "--json");
  expect(restored).toMatchObject({ code: 0, err: "" });
  const copy = JSON.parse(restored.out);
  expect(copy).toMatchObject({ status: "completed", reason: null, result: { rows: made.rows, files: 1 } });

  // The keys are new, and those of one installation mean nothing in the other.
  expect(Object.values(copy.keys)).not.toContain(original.keys.secret);
  expect(await there.statusOf(original.keys.secret, "GET", "/me")).toBe(401);
  expect(await here.statusOf(copy.keys.secret, "GET", "/me")).toBe(401);
  expect(await there.statusOf(first.adminToken, "GET", `/admin/projects/${copy.project}`)).toBe(401);
  expect(await here.statusOf(first.adminToken, "GET", `/admin/projects/${copy.project}`)).toBe(404);
  const { secret } = copy.keys;
  const call = <Body>(method: string, path: string, body?: unknown) => there.api<Body>(secret, method, path, body);
  expect(await call("GET", "/me")).toMatchObject({
    project: { id: copy.project, name: "Acme, moved", disabled: true },
  });

  const contacts = await call<Listed<Contact>>("GET", "/contacts?sort=email&dir=asc");
  expect(contacts.data.map(({ email, subscribed, data }) => ({ email, subscribed, data }))).toEqual(original.people);
  expect(await call("GET", "/suppressions")).toMatchObject({ data: [{ email: "gone@example.com" }] });
  const { data: files } = await call<Listed<{ id: string; url: string }>>("GET", "/files");
  const url = String(files[0]?.url);
  expect(files).toEqual([
    expect.objectContaining({ id: original.image.id, url: expect.stringContaining(second.base) }),
  ]);
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(png);
  const template = await call<{ body: string }>("GET", `/templates/${original.template.id}`);
  expect(template.body).toBe(`<p>Hello</p><img src="${url}" alt="Acme">`);
  const executions = await call<Listed<object>>("GET", `/workflows/${original.workflow.id}/executions`);
  expect(executions.data).toEqual([expect.objectContaining({ status: "WAITING" })]);

  // It sleeps: nothing is sent, by nobody.
  const outbox = () =>
    there.api<Listed<{ projectId: string; html: string; to: string }>>(second.adminToken, "GET", "/outbox/messages");
  const ofCopy = async () => (await outbox()).data.filter(({ projectId }) => projectId === copy.project);
  const mail = { to: "eve@example.com", template: original.template.id };
  expect(await there.codeOf(secret, "POST", "/v1/send", mail)).toBe("PROJECT_DISABLED");
  expect(await there.codeOf(secret, "POST", `/emails/${original.email}/retry`, {})).toBe("PROJECT_DISABLED");
  expect(await call("GET", `/emails/${original.email}`)).toMatchObject({ status: "UNKNOWN" });
  expect(await ofCopy()).toEqual([]);

  await there.api(second.adminToken, "PATCH", `/admin/projects/${copy.project}`, { disabled: false });
  const domains = await call<{ id: string }[]>("GET", "/domains");
  expect(domains).toEqual([expect.objectContaining({ domain })]);
  expect(await call("GET", `/domains/${domains[0]?.id}/verify`)).toMatchObject({ status: "VERIFIED" });
  // A disabled project is remembered for up to thirty seconds.
  await vi.waitFor(async () => expect(await there.statusOf(secret, "POST", "/v1/send", mail)).toBe(200), {
    timeout: 40_000,
    interval: 500,
  });
  await vi.waitFor(async () => expect(await ofCopy()).toHaveLength(1), { timeout: 20_000, interval: 200 });
  expect((await ofCopy())[0]).toMatchObject({ to: "eve@example.com", html: expect.stringContaining(url) });
  // A person takes up the mail that waited: it goes out at its time, and the original has its own.
  await call("POST", `/emails/${original.email}/retry`, {});
  expect(await call("GET", `/emails/${original.email}`)).toMatchObject({ status: "QUEUED" });
  expect(await here.api(original.keys.secret, "GET", `/emails/${original.email}`)).toMatchObject({ status: "QUEUED" });
});
