import { describe, expect, it } from "vitest";
import { type Door, operations as doors, keyFor } from "../support/doors";
import { call, newProject, type TestProject } from "../support/project";
import { signedIn, type TestVisitor } from "../support/visitor";

interface Operation {
  id: string;
  method: string;
  path: string;
  security: Record<string, unknown>[];
  roles: string[] | undefined;
  maySend: string | undefined;
}

const { body: document } = await call("GET", "/openapi.json");
const operations: Operation[] = Object.entries<Record<string, Record<string, unknown>>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security = document.security, ...told }]) => ({
      ...{ id: String(operationId), method: method.toUpperCase(), path },
      security: security as Record<string, unknown>[],
      roles: told["x-roles"] as string[] | undefined,
      maySend: told["x-may-send"] as string | undefined,
    })),
);
/** Sessions reach what takes a key or the operator's token. */
const takesSession = operations.filter(({ security: [way = {}] }) => "secretKey" in way || "operatorToken" in way);

const roles = ["viewer without personal data", "viewer", "editor without maySend", "editor", "admin", "owner"] as const;
type TestRole = (typeof roles)[number];

/** Beside what their method says: a viewer reads, an editor writes, and the rest of the installation is an owner's. */
const ofViewers = new Set([
  ...["lookUpContacts", "queryContacts", "previewSegment", "explainSegment", "explainContact", "simulateWorkflow"],
  ...["previewTemplate", "previewContent", "verifyEmail", "preflightCampaign"],
]);
const ofAdmins = new Set([
  ...["getProject", "getProjectUsage", "updateProject", "addKey", "listKeys", "revokeKey", "addDomain", "removeDomain"],
  ...["createWebhook", "updateWebhook", "deleteWebhook", "rotateWebhookSecret", "testWebhook", "retryWebhookDelivery"],
  ...["listAudit", "listMembers", "inviteMember", "getMember", "updateMember", "removeMember"],
]);
/** What an editor without maySend is refused whatever the body, and what enables only with some bodies. */
const sending = new Set([
  ...["sendEmail", "retryEmail", "retryManyEmails", "sendCampaign", "resumeCampaign", "retryCampaign"],
  "startWorkflowExecution",
]);
const enabling = new Set(["createWorkflow", "updateWorkflow", "putWorkflowDocument"]);
/** The body of the call of `updateWorkflow` enables. */
const ofSenders = new Set([...sending, "updateWorkflow"]);

function maySendOf(id: string): string | undefined {
  if (sending.has(id)) return "needed";
  return enabling.has(id) ? "needed by some bodies" : undefined;
}

function neededFor({ id, method, security }: Operation): TestRole {
  if (ofAdmins.has(id)) return "admin";
  if (security.some((way) => "operatorToken" in way)) return "owner";
  // Its answer has URLs that let their holder write.
  if (id === "getImportUpload") return "editor without maySend";
  if (method === "GET" || ofViewers.has(id)) return "viewer without personal data";
  return ofSenders.has(id) ? "editor" : "editor without maySend";
}

async function visitorWith(role: TestRole, project: TestProject): Promise<TestVisitor> {
  if (role === "owner") return signedIn("owner");
  const [name = ""] = role.split(" ");
  const switches = { maySend: role !== "editor without maySend", seesPersonalData: !role.includes("personal") };
  return signedIn({ project, as: { role: name as "viewer" | "editor" | "admin", ...switches } });
}

it("finds every operation that takes a key", () => {
  expect(takesSession.length).toBeGreaterThan(100);
  for (const id of [...ofViewers, ...ofAdmins, ...ofSenders]) expect(takesSession.map((one) => one.id)).toContain(id);
});

it("says in the document which roles may make a call, and whether it sends", () => {
  const names = ["viewer", "editor", "admin", "owner"];
  for (const operation of takesSession) {
    const [lowest = ""] = neededFor(operation).split(" ");
    const { id, roles: said, maySend } = operation;
    expect([id, said, maySend]).toEqual([id, names.slice(names.indexOf(lowest)), maySendOf(id)]);
  }
});

const none = "0199a0f2-0000-7000-8000-000000000000";

describe.each(takesSession.map((operation) => [operation.id, operation] as const))("%s", (id, operation) => {
  it("is refused to roles that are too low, with the role that would do, and answers the others as a key", async () => {
    const door: Door | undefined = doors[id];
    const project = await newProject(door?.project);
    const { params = {}, query = "", body } = (await door?.knock(project)) ?? {};
    const fill = (_: string, name: string) =>
      encodeURIComponent(params[name] ?? (isProject(operation, name) ? project.id : none));
    const path = operation.path.replace(/\{(\w+)\}/g, fill) + query;
    const lowest = roles.indexOf(neededFor(operation));
    for (const role of roles.slice(0, lowest)) {
      const refused = await (await visitorWith(role, project)).call(operation.method, path, body, project);
      expect([refused.status, refused.body.error?.code], `${role}: ${JSON.stringify(refused.body)}`).toEqual([
        403,
        "ROLE_TOO_LOW",
      ]);
      const needed = neededFor(operation).split(" ")[0];
      expect(refused.body.error.details.needs, role).toMatchObject({ role: needed });
    }
    const key = keyFor(project, operation.security);
    for (const role of roles.slice(lowest)) {
      const answer = await (await visitorWith(role, project)).call(operation.method, path, body, project);
      const code = answer.body?.error?.code;
      const isMaskedText = id === "drawWorkflow" && role === "viewer without personal data";
      if (isMaskedText) continue;
      expect(["ROLE_TOO_LOW", "INVALID_API_KEY", "PROOF_NEEDED"], `${role}: ${code}`).not.toContain(code);
      if (door && role === roles[lowest]) expect(answer.status, JSON.stringify(answer.body)).toBe(door.good);
      if (door) continue;
      const toKey = await call(operation.method, path, undefined, { headers: { Authorization: `Bearer ${key}` } });
      expect([role, answer.status]).toEqual([role, toKey.status]);
    }
  });
});

/** In paths of projects, `id` is the project. */
function isProject({ path }: Operation, name: string): boolean {
  return name === "projectId" || (name === "id" && path.startsWith("/admin/projects/"));
}
