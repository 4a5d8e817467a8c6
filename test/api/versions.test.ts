import { describe, expect, it } from "vitest";
import { newCampaign } from "../support/campaign";
import { type Answer, bearer, call, newProject, type TestProject } from "../support/project";
import { expectInvalid, expectRefusal, isoTime } from "../support/refusal";
import { newContact, newSegment, only } from "../support/segment";
import { newTemplate } from "../support/template";
import { signedIn } from "../support/visitor";

interface Kind {
  path: string;
  method: "PUT" | "PATCH";
  make(project: TestProject): Promise<{ id: string; version: number }>;
  /** Whether the log has no changes that a key made of it. */
  isUnaudited?: true;
  /** A change that is another one for each number. */
  change(n: number): Record<string, unknown>;
  notFound: string;
}

const named = (n: number) => ({ name: `Name ${n}` });
const kinds: Record<string, Kind> = {
  template: { path: "/templates", method: "PATCH", make: newTemplate, change: named, notFound: "TEMPLATE_NOT_FOUND" },
  "content of a template": {
    ...{ path: "/templates", method: "PATCH", make: newTemplate, notFound: "TEMPLATE_NOT_FOUND" },
    change: (n) => ({ body: `<p>${n}</p>` }),
  },
  campaign: {
    ...{ path: "/campaigns", method: "PUT", make: newCampaign, change: named, notFound: "CAMPAIGN_NOT_FOUND" },
  },
  segment: { path: "/segments", method: "PATCH", make: newSegment, change: named, notFound: "SEGMENT_NOT_FOUND" },
  "condition of a segment": {
    ...{ path: "/segments", method: "PATCH", make: newSegment, notFound: "SEGMENT_NOT_FOUND" },
    change: (n) => ({ condition: only("data.n", "equals", n) }),
  },
  workflow: {
    ...{ path: "/workflows", method: "PATCH", change: named, notFound: "WORKFLOW_NOT_FOUND" },
    make: async ({ api }) => (await api.post("/workflows", { name: "Welcome", eventName: "signup" })).body,
  },
  contact: {
    ...{ path: "/contacts", method: "PATCH", notFound: "CONTACT_NOT_FOUND" },
    isUnaudited: true,
    make: (project) => newContact(project, "ada@example.com"),
    change: (n) => ({ data: { n } }),
  },
};

async function set({ path, method, make, change }: Kind) {
  const project = await newProject();
  const made = await make(project);
  const at = `${path}/${made.id}`;
  const send = (n: number, ifMatch?: string): Promise<Answer> => {
    const { headers } = bearer(project.keys.secret);
    return call(method, at, change(n), {
      headers: { ...headers, ...(ifMatch !== undefined && { "If-Match": ifMatch }) },
    });
  };
  const read = async () => (await project.api.get(at)).body;
  return { project, at, made, send, read };
}

describe.each(Object.entries(kinds))("a %s", (_, kind) => {
  it("shows a version that each change raises", async () => {
    const { made, send, read } = await set(kind);
    expect(made.version).toBe(1);
    expect((await read()).version).toBe(1);
    const { status, body } = await send(1);
    expect(status, JSON.stringify(body)).toBe(200);
    expect([(body.success ? body.data : body).version, (await read()).version]).toEqual([2, 2]);
  });

  it("is changed by a call about its version, and not by one about another", async () => {
    const { send, read } = await set(kind);
    expect((await send(1, '"1"')).status).toBe(200);
    const before = await read();
    const by = { changedBy: kind.isUnaudited ? null : { kind: "key", name: expect.any(String) } };
    expectRefusal(await send(2, '"1"'), 412, "VERSION_MISMATCH", {
      details: { sent: 1, current: 2, changedAt: expect.stringMatching(isoTime), ...by },
    });
    expectRefusal(await send(2, '"7"'), 412, "VERSION_MISMATCH", {
      details: { sent: 7, current: 2, changedAt: before.updatedAt, ...by },
    });
    expect(await read()).toEqual(before);
    for (const any of ["2", 'W/"3"', "*"]) expect((await send(Number(any.charCodeAt(0)), any)).status).toBe(200);
  });

  it("is changed by one of two calls about the same version", async () => {
    const { send, read } = await set(kind);
    const statuses = (await Promise.all([1, 2, 3, 4].map((n) => send(n, '"1"')))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
    expect((await read()).version).toBe(2);
  });

  it("refuses a header that is no version, and does not tell another project its version", async () => {
    const { made, send } = await set(kind);
    expectInvalid(await send(1, '"new"'), "If-Match", "invalid_string");
    const other = await newProject();
    const headers = { ...bearer(other.keys.secret).headers, "If-Match": '"7"' };
    const answer = await call(kind.method, `${kind.path}/${made.id}`, kind.change(1), { headers });
    expect([answer.status, answer.body.error.code]).toEqual([404, kind.notFound]);
  });
});

describe("the version of a contact", () => {
  it("is raised by whatever changes its data or subscription", async () => {
    const { project, made, read } = await set(kinds.contact as Kind);
    const { api } = project;
    const versions: number[] = [];
    const note = async () => versions.push((await read()).version);
    await api.post("/contacts", { email: "ada@example.com", data: { plan: "pro" } });
    await note();
    await api.post("/events/track", { email: "ada@example.com", event: "signup", data: { city: "Oslo" } });
    await note();
    await api.patch(`/contacts/${made.id}`, { subscribed: false });
    await note();
    await api.post(`/contacts/${made.id}/snooze`, { duration: "14d" });
    await note();
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions);
    expect(versions.slice(0, 3)).toEqual([2, 3, 4]);
    await api.post("/contacts", { email: "ada@example.com", data: { plan: "pro" } });
    const [last] = versions.slice(-1);
    expect((await read()).version).toBe(last);
  });
});

describe("the version of a workflow", () => {
  it("is that of its document, and guards its steps", async () => {
    const { project, made, at, read } = await set(kinds.workflow as Kind);
    const document = (await project.api.get(`${at}/document`)).body;
    expect(document.version).toBe(1);
    const { steps } = await read();
    const { headers } = bearer(project.keys.secret);
    const put = (ifMatch: string, body: object) =>
      call("PUT", `${at}/document`, body, { headers: { ...headers, "If-Match": ifMatch } });
    const { version: _, ...sent } = document;
    expect((await put('"9"', { ...sent, name: "Other" })).status).toBe(412);
    expect((await put('"1"', { ...sent, name: "Other" })).status).toBe(200);
    const step = await call(
      "PATCH",
      `${at}/steps/${steps[0].id}`,
      { name: "Start" },
      {
        headers: { ...headers, "If-Match": '"1"' },
      },
    );
    expectRefusal(step, 412, "VERSION_MISMATCH", { details: expect.objectContaining({ sent: 1, current: 2 }) });
    expect(made.version).toBe(1);
  });
});

it("the version of a segment is not raised by counting its members", async () => {
  const { project, made, read } = await set(kinds.segment as Kind);
  await newContact(project, "ada@example.com", { data: { plan: "pro" } });
  await project.api.post(`/segments/${made.id}/refresh`);
  expect(await read()).toMatchObject({ memberCount: 1, version: 1 });
});

it("a refusal names who made the last change, and nobody whose call changed nothing", async () => {
  const project = await newProject();
  const { headers } = bearer(project.keys.secret);
  const visitor = await signedIn({ project, as: { role: "admin" } });
  const segment = await newSegment(project);
  await call("PATCH", `/segments/${segment.id}`, named(1), { headers });
  expect((await visitor.call("POST", `/segments/${segment.id}/refresh`, undefined, project)).status).toBeLessThan(300);
  const stale = { headers: { ...headers, "If-Match": '"1"' } };
  const { body } = await call("PATCH", `/segments/${segment.id}`, named(2), stale);
  expect(body.error.details.changedBy.kind).toBe("key");

  const contact = await newContact(project, "bob@example.com");
  await visitor.call("PATCH", `/contacts/${contact.id}`, { data: { n: 1 } }, project);
  const byPerson = (await call("PATCH", `/contacts/${contact.id}`, { data: { n: 2 } }, stale)).body;
  expect(byPerson.error.details.changedBy).toEqual({ kind: "person", name: visitor.email });
});
