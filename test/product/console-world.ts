import type { Page } from "playwright-core";
import type { Product } from "./product";

/** A project with mail, people and names that are hostile. */
export interface World {
  project: string;
  key: string;
  domain: string;
  /** The cookie of an owner. */
  session: { name: string; value: string; url: string };
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** Runs where it is taken for HTML, and asks a stranger. */
export const hostile = `<img src="https://evil.example/x" onerror="alert('x')"><script>alert('y')</script>`;

/** The same as the name of a file. */
export const hostileFile = "<img src=https://evil.example/x onerror=alert('file')>.pdf";

/** Owns the installation, once somebody opened a printed link with this address. */
export const owner = "owner@acme.example";
/** Turns around what follows it, unless that is isolated. */
export const reversed = "\u202eabc";

export const mailHtml = `<style>
  body { background: rgb(250, 240, 230) }
  @media (prefers-color-scheme: dark) { body { background: rgb(10, 20, 30) } }
</style>
<h1>Hello {{ name ?? "there" }}</h1><a href="https://evil.example/page">Away</a>
<img src="https://evil.example/pixel" alt=""><script>alert("mail")</script><form action="https://evil.example/form"><button>Go</button></form>`;

export async function makeWorld({ base, adminToken }: Product): Promise<World> {
  async function ask<Answer>(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await fetch(base + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    // What each of the calls answers.
    return (answer.status === 204 ? undefined : await answer.json()) as Answer;
  }
  const { project, keys } = await ask<{ project: { id: string }; keys: { secret: string } }>(
    adminToken,
    "POST",
    "/admin/projects",
    { name: `Console ${reversed}` },
  );
  const { url } = await ask<{ url: string }>(adminToken, "POST", "/admin/people/link", {});
  const world: World = {
    session: await openSession(base, url),
    project: project.id,
    key: keys.secret,
    domain: `console-${project.id.slice(-6)}.example`,
    call: (method, path, body) => ask(keys.secret, method, path, body),
  };
  await world.call("POST", "/domains", { domain: world.domain });
  return world;
}

/** Sends mail that is delivered when this returns. Returns the id of the last one. */
export async function sendMails(world: World, subjects: string[], to: string): Promise<string> {
  let last = "";
  for (const subject of subjects) {
    const sent = await world.call<{ data: { emails: { email: string }[] } }>("POST", "/v1/send", {
      ...{ to, from: `hello@${world.domain}`, subject, body: mailHtml },
      data: { name: "Ada" },
      attachments: [{ filename: hostileFile, content: btoa("A file"), contentType: "application/pdf" }],
    });
    last = sent.data.emails[0]?.email ?? "";
  }
  for (;;) {
    const { status } = await world.call<{ status: string }>("GET", `/emails/${last}`);
    if (status !== "QUEUED" && status !== "SENDING" && status !== "SENT") return last;
  }
}

/** Signs the page's browser in as an owner of the installation. */
export async function asOwner(page: Page, { session }: World): Promise<void> {
  await page.context().addCookies([session]);
}

/** Signs the page's browser in as somebody with a role in the project, and nowhere else. */
export async function asMember(
  page: Page,
  { base, adminToken }: Product,
  { project }: World,
  rights: { role: "viewer" | "editor" | "admin"; maySend?: boolean },
): Promise<void> {
  const email = `${crypto.randomUUID()}@acme.example`;
  const post = async (path: string, body: unknown) => {
    const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
    const answer = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.json();
  };
  await post(`/admin/projects/${project}/people`, { email, ...rights });
  // What the call answers.
  const { url } = (await post("/admin/people/link", { email })) as { url: string };
  await page.context().addCookies([await openSession(base, url)]);
}

/** Opens a session by a printed link, as its reader does. */
export async function openSession(base: string, url: string): Promise<World["session"]> {
  const answer = await fetch(base + new URL(url).pathname, {
    method: "POST",
    headers: { Origin: base },
    body: new URLSearchParams({ email: owner }),
    redirect: "manual",
  });
  const [, name = "", value = ""] = /^(petrel)=(\w+);/.exec(answer.headers.getSetCookie().join("\n")) ?? [];
  if (value === "") throw new Error(`No session: ${answer.status} ${await answer.text()}`);
  return { name, value, url: base };
}
