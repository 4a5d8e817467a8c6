import { vi } from "vitest";
import { hostile, sendMails, type World } from "./console-world";

/** Fills a project with something of everything that the console shows. Returns the addresses of all pages. */
export async function furnishPages(world: World): Promise<string[]> {
  const { call, domain, project } = world;
  const from = `hello@${domain}`;
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const make = async (path: string, body: unknown) =>
    (await call<{ data: { id: string } }>("POST", path, body)).data.id;
  await call("POST", "/topics", { name: hostile });
  const delivered = await sendMails(world, ["First", hostile], "ada@example.com");
  await sendMails(world, ["Bounced"], "bounce@simulator.test");
  const data = { plan: "pro", note: hostile, seats: 12, trial: true };
  await call("POST", "/contacts", { email: "ada@example.com", data, subscribed: true });
  for (const name of ["grace", "joan"]) await call("POST", "/contacts", { email: `${name}@example.com`, data });
  await call("POST", "/contacts", { email: "left@example.com", subscribed: false });
  await call("POST", "/events/track", { email: "ada@example.com", event: "purchase", data: { note: hostile } });
  const content = {
    subject: "News",
    body: "<p>News <a href='https://acme.example'>Shop</a></p>",
    from,
    audienceType: "ALL",
  };
  const draft = await make("/campaigns", { ...content, name: hostile });
  // One that is deleted, for the page of what was.
  await call("DELETE", `/campaigns/${await make("/campaigns", { ...content, name: hostile })}`);
  const planned = await make("/campaigns", { ...content, name: "Planned" });
  const variants = [
    { name: "plain", weight: 1 },
    { name: "curious", weight: 1, subject: "Have you seen this?" },
  ];
  const sent = await make("/campaigns", { ...content, name: "Sent", variants });
  await call("POST", `/campaigns/${planned}/send`, { scheduledFor: later });
  await call("POST", `/campaigns/${sent}/send`, {});
  const statusOf = async () => (await call<{ status: string }>("GET", `/campaigns/${sent}`)).status;
  await vi.waitUntil(async () => (await statusOf()) === "SENT", { timeout: 30_000, interval: 300 });
  const { data: people } = await call<{ data: { id: string; email: string }[] }>("GET", "/contacts");
  const person = people.find(({ email }) => email === "ada@example.com")?.id;
  const where = encodeURIComponent(JSON.stringify([{ field: "data.plan", operator: "equals", value: "pro" }]));
  const ofProject = [
    ...["", "/emails", `/emails/${delivered}`, "/emails?status=COMPLAINED", `/people?where=${where}`, "/people"],
    "/people/import",
    ...[`/people/${person}`, "/campaigns", "/campaigns?status=HELD", "/campaigns/new", `/campaigns/${draft}`],
    ...[`/campaigns/${draft}/edit`, `/campaigns/${planned}`, `/campaigns/${planned}/edit`, `/campaigns/${sent}`],
    ...["/domains", "/settings", "/settings/project", "/settings/members", "/settings/keys", "/settings/topics"],
    ...["/settings/jobs", "/settings/trash", "/settings/audit", "/more"],
  ].map((path) => `/console/p/${project}${path}`);
  const ofNone = ["account", "installation/projects", "installation/people", "installation/audit"];
  return [...ofProject, ...ofNone.map((path) => `/console/${path}`)];
}
