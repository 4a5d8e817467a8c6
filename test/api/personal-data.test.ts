import { describe, expect, it } from "vitest";
import { newCampaign } from "../support/campaign";
import { personWithEverything } from "../support/person";
import { call, newProject, type TestProject } from "../support/project";
import { newSegment, only } from "../support/segment";
import { newTemplate } from "../support/template";
import { signedIn, type TestVisitor } from "../support/visitor";
import { World } from "../support/world";

interface Documented {
  operationId: string;
  security?: Record<string, unknown>[];
}

const { body: document } = await call("GET", "/openapi.json");
const usualSecurity: Record<string, unknown>[] = document.security;
const operations = Object.entries<Record<string, Documented>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, security = usualSecurity }]) => {
    return { id: operationId, method: method.toUpperCase(), path, security };
  }),
);

/** The ids and bodies with which each operation that reads shows the person. */
interface Scene {
  project: TestProject;
  viewer: TestVisitor;
  /** Texts that are the person's alone. */
  secrets: string[];
  params: Record<string, Record<string, string>>;
  queries: Record<string, string[]>;
  bodies: Record<string, unknown>;
}

async function scene(): Promise<Scene> {
  const project = await newProject();
  const { api } = project;
  const world = new World();
  const person = await personWithEverything(world, project, "friend@example.com");
  const [mark = ""] = person.marks;
  const greeting = { subject: "Hi {{ firstName }}", body: "<p>{{ firstName }} {{ email }}</p>", type: "TRANSACTIONAL" };
  const template = await newTemplate(project, greeting);
  const condition = only("data.firstName", "equals", `Ada ${mark}`);
  const segment = await newSegment(project, { condition });
  const campaign = await newCampaign(project, { segmentId: segment.id });
  const workflow = (await api.post("/workflows", { name: "Welcome", eventName: "signup" })).body;
  const started = await api.post(`/workflows/${workflow.id}/executions`, {
    contactId: person.id,
    context: { firstName: mark },
  });
  expect(started.status).toBe(201);
  const [email] = (await api.get(`/emails?contactId=${person.id}`)).body.data;
  const viewer = await signedIn({ project, as: { role: "viewer", seesPersonalData: false } });
  const contact = { contactId: person.id };
  return {
    ...{ project, viewer, secrets: [...person.marks, person.email, encodeURIComponent(person.email)] },
    params: {
      contacts: { id: person.id, field: "data.firstName" },
      emails: { id: email.id },
      templates: { id: template.id },
      segments: { id: segment.id },
      campaigns: { id: campaign.id },
      workflows: { id: workflow.id, executionId: started.body.id },
      events: { contactId: person.id, eventName: "purchase" },
    },
    queries: {
      listContacts: ["", `?search=${encodeURIComponent(person.email.slice(0, 6))}`, "?sort=createdAt&limit=1"],
      explainCampaign: [`?email=${encodeURIComponent(person.email)}`],
    },
    bodies: {
      lookUpContacts: { emails: [person.email] },
      queryContacts: { condition },
      previewSegment: { condition },
      explainSegment: contact,
      explainContact: { emailId: email.id },
      simulateWorkflow: contact,
      previewTemplate: contact,
      previewContent: { ...greeting, contactId: person.id },
    },
  };
}

/** What an operation answers, with the person's ids, to a key and to the viewer. */
async function answersOf(
  { project, viewer, params, queries, bodies }: Scene,
  { id, method, path }: (typeof operations)[0],
) {
  const [, first = ""] = path.split("/");
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[first]?.[name] ?? "none"));
  const pairs = (queries[id] ?? [""]).map(async (query) => {
    const body = method === "GET" ? undefined : bodies[id];
    return [
      await call(method, url + query, body, { headers: { Authorization: `Bearer ${project.keys.secret}` } }),
      await viewer.call(method, url + query, body, project),
    ] as const;
  });
  return Promise.all(pairs);
}

const isOfProject = ({ security }: (typeof operations)[0]) => security.some((way) => "secretKey" in way);

describe("a viewer who does not see personal data", () => {
  it("finds nothing of a person in the answer of any operation that reads", async () => {
    const given = await scene();
    // One asks the network, and a domain is no person; the others are refused to all viewers.
    const leftOut = ["verifyDomain", "listAudit", "getImportUpload"];
    const meant = operations.filter((one) => isOfProject(one) && !leftOut.includes(one.id));
    const reads = meant.filter((one) => one.method === "GET" || one.id in given.bodies);
    expect(Object.keys(given.bodies).filter((id) => !reads.some((one) => one.id === id))).toEqual([]);
    const shows: string[] = [];
    for (const operation of reads) {
      for (const [toKey, toViewer] of await answersOf(given, operation)) {
        const [open, masked] = [JSON.stringify(toKey.body), JSON.stringify(toViewer.body)];
        const leaks = given.secrets.filter((secret) => masked.includes(secret));
        expect(leaks, `${operation.id}: ${masked}`).toEqual([]);
        // A diagram is text, which nothing can be masked in.
        const isRefused = toViewer.body?.error?.code === "ROLE_TOO_LOW";
        if (isRefused)
          expect(toViewer.body.error.details.needs, operation.id).toMatchObject({ seesPersonalData: true });
        else expect(toViewer.status, `${operation.id}: ${masked}`).toBe(toKey.status);
        if (given.secrets.some((secret) => open.includes(secret))) shows.push(operation.id);
      }
    }
    // The test would prove nothing if the person were nowhere.
    expect(showing.filter((id) => !shows.includes(id))).toEqual([]);
  }, 120_000);

  it("still sees numbers, states, times, ids and names that the team gave", async () => {
    const { project, viewer, params } = await scene();
    const list = await viewer.call("GET", "/emails?limit=1", undefined, project);
    expect(list.body).toMatchObject({ data: [{ id: expect.any(String), status: expect.any(String), to: "•••" }] });
    expect(list.body.total).toBeGreaterThan(5);
    const contact = await viewer.call("GET", `/contacts/${params.contacts?.id}`, undefined, project);
    expect(contact.body).toMatchObject({ id: params.contacts?.id, email: "•••", subscribed: expect.any(Boolean) });
    expect(contact.body.data).toEqual({ firstName: "•••", nested: {}, item: "•••" });
    const segment = await viewer.call("GET", `/segments/${params.segments?.id}`, undefined, project);
    expect(segment.body).toMatchObject({ name: expect.not.stringContaining("•"), memberCount: expect.any(Number) });
  }, 60_000);

  it("gets no cursor that holds an address, and no text that nothing can be masked in", async () => {
    const { project, viewer, params } = await scene();
    for (const path of ["/contacts?sort=email&limit=1", `/workflows/${params.workflows?.id}/diagram`]) {
      const refused = await viewer.call("GET", path, undefined, project);
      expect([refused.status, refused.body.error?.code], path).toEqual([403, "ROLE_TOO_LOW"]);
      expect(refused.body.error.details.needs).toEqual({ role: "viewer", seesPersonalData: true });
    }
    const refused = await viewer.call("GET", "/contacts/ada@example.com", undefined, project);
    expect([refused.status, JSON.stringify(refused.body).includes("ada@")]).toEqual([404, false]);
  }, 60_000);
});

/** At least these show a person to a key. */
const showing = [
  ...["explainCampaign", "explainContact", "explainSegment", "exportContact", "getContact", "getEmail", "getSegment"],
  ...["getWorkflowExecution", "listActivity", "listContactExecutions", "listContactFieldValues", "listContacts"],
  ...["listEmails", "listEvents", "listEventsOfContact", "listSegmentContacts", "listSegments", "listSuppressions"],
  ...["listWorkflowExecutions", "lookUpContacts", "previewContent", "previewSegment", "previewTemplate"],
  ...["queryContacts", "readEmailContent"],
];
