import { env } from "cloudflare:workers";
import { asId, newId, publicId, readId, textOf } from "../../src/core/ids";
import { hashKey, randomHex } from "../../src/core/keys";
import { newCode, readCode } from "../../src/core/people/code";
import { pagePath } from "../../src/engine/mail/links";
import { TestPasskey } from "./authenticator";
import { soundCampaign } from "./campaign";
import { png } from "./images";
import { importCsv } from "./import";
import { putPart } from "./import-parts";
import { elsewhere, startsMove } from "./move";
import { type Answer, admin, call, type TestProject } from "./project";
import { isPro } from "./segment";
import { soundTemplate } from "./template";
import { formOf, postFile, putFile } from "./upload";
import { ourOrigin, signedIn } from "./visitor";
import { World } from "./world";

/** A call that is ready to be made. */
export interface Knock {
  /** What stands in the path's braces. */
  params?: Record<string, string>;
  /** With its question mark. */
  query?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A door that writes: how to come before it, and what it answers when all goes well. */
export interface Door {
  good: number;
  /** The good answer when the rest of the work is left to a job. */
  later?: number;
  /** From this write trip on, what is not written now is made up for by a job or a sweep. */
  madeUpFrom?: number;
  /** Settings of the project that knocks. */
  project?: Record<string, unknown>;
  /** Makes what the call needs, and says what is called. */
  knock(project: TestProject): Promise<Knock> | Knock;
  /**
   * The write trips after which a fault that passes is a 503, because the batch neither recognises its commit nor may run
   * twice; from 1. At all other trips, the answer is the good one.
   */
  unsure?: number[];
}

const ada = "ada@example.com";
const url = "https://hooks.example.com/petrel";
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** The body of a call that must succeed. */
async function made(answer: Promise<Answer>): Promise<Answer["body"]> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

const contact = async ({ api }: TestProject) => (await made(api.post("/contacts", { email: ada }))).id;
const template = async (project: TestProject) =>
  (await made(project.api.post("/templates", soundTemplate(project)))).id;
const topic = async ({ api }: TestProject) => made(api.post("/topics", { name: "News" }));
const segment = async ({ api }: TestProject, fields: object = { condition: isPro }) =>
  (await made(api.post("/segments", { name: "Pro", ...fields }))).id;
const webhook = async ({ api }: TestProject) => (await made(api.post("/webhooks", { url, events: ["*"] }))).id;
const workflow = async ({ api }: TestProject, fields: object = { eventName: "signup" }) =>
  made(api.post("/workflows", { name: "Welcome", ...fields }));
const campaign = async (project: TestProject) =>
  (await made(project.api.post("/campaigns", soundCampaign(project)))).data.id;
const domain = async ({ api }: TestProject) =>
  (await made(api.post("/domains", { domain: `d${crypto.randomUUID()}.test` }))).id;
const scheduledEmail = async ({ api }: TestProject) =>
  (await made(api.send({ scheduledAt: inAnHour() }))).data.emails[0].email;

/** An upload whose only part has arrived. */
async function uploadedParts({ api }: TestProject): Promise<string> {
  const { id, parts } = await made(api.post("/contacts/imports", { bytes: 15 }));
  await made(putPart(parts[0].url, "email\na@b.co,é"));
  return id;
}

/** Begins the upload of a backup that has nothing: with this manifest it is complete. */
async function upload(): Promise<{ id: string; manifest: string }> {
  const { id } = await made(admin.post("/admin/backups", {}));
  const manifest = {
    ...{ format: 1, takenAt: 1, project: { name: "Acme", addressKey: "a" }, id: "a", number: 1 },
    ...{ tables: {}, executions: {}, files: { rows: 0, bytes: 0, parts: 0, hash: "", marks: "" } },
  };
  return { id, manifest: JSON.stringify(manifest) };
}

async function set(project: TestProject, rows: string, id: string): Promise<void> {
  await project.db.prepare(`UPDATE ${rows} WHERE project_id = ? AND id = ?`).bind(project.number, id).run();
}

async function scheduled(project: TestProject): Promise<string> {
  const id = await campaign(project);
  await made(project.api.post(`/campaigns/${id}/send`, { scheduledFor: inAnHour() }));
  return id;
}

async function sending(project: TestProject): Promise<string> {
  const id = await scheduled(project);
  await set(project, "campaigns SET status = 'SENDING', scheduled_for = NULL", id);
  return id;
}

async function step(project: TestProject): Promise<{ id: string; stepId: string; transitionId: string }> {
  const { id, steps } = await workflow(project);
  const config = { amount: 1, unit: "hours" };
  const { id: stepId } = await made(
    project.api.post(`/workflows/${id}/steps`, { type: "DELAY", config, connectFrom: steps[0].id }),
  );
  const { transitions } = await made(project.api.get(`/workflows/${id}`));
  return { id, stepId, transitionId: transitions[0].id };
}

const confirmation = async (project: TestProject) => {
  const fields = { body: '<a href="{{ confirmUrl }}">yes</a>', subject: "Please confirm" };
  return (await made(project.api.post("/templates", { ...soundTemplate(project), ...fields }))).id;
};

async function link(project: TestProject, purpose: "unsubscribe" | "subscribe" | "manage" | "confirm") {
  const contactId = readId(await contact(project));
  const { ctx } = await new World().context(project);
  const emailId = readId(await scheduledEmail(project));
  const path = pagePath(ctx, purpose, { projectId: project.id, contactId, emailId });
  return { token: path.slice(path.lastIndexOf("/") + 1) };
}

async function session(): Promise<Knock> {
  const visitor = await signedIn("owner");
  const [current] = (await made(visitor.call("GET", "/console/sessions"))).data;
  return { params: { id: current.id }, headers: visitor.headers() };
}

/** A session of a person who is signed in elsewhere, too. */
async function oneOfTwoSessions(): Promise<Knock> {
  const knock = await session();
  await env.DB.prepare(
    `INSERT INTO sessions (id, hash, person_id, method, opened_by, created_at, seen_at, expires_at)
      SELECT v, v, person_id, method, v, created_at, seen_at, expires_at
      FROM (SELECT * FROM sessions ORDER BY rowid DESC LIMIT 1), (SELECT hex(randomblob(8)) AS v)`,
  ).run();
  return knock;
}

/** A person whose device has made a passkey, which is not added yet. */
async function madePasskey() {
  const [visitor, passkey] = [await signedIn("owner"), await TestPasskey.create()];
  const options = await made(visitor.call("POST", "/console/passkeys/options"));
  return { visitor, passkey, body: { name: "Laptop", credential: await passkey.register(options) } };
}

async function newPasskey(): Promise<Knock> {
  const { visitor, body } = await madePasskey();
  return { body, headers: visitor.headers() };
}

async function ownPasskey(): Promise<Knock> {
  const { visitor, body } = await madePasskey();
  const { id } = await made(visitor.call("POST", "/console/passkeys", body));
  return { params: { id }, headers: visitor.headers() };
}

/** A person whose passkey has answered a challenge. */
async function answeredByPasskey(): Promise<Knock> {
  const { visitor, passkey, body } = await madePasskey();
  await made(visitor.call("POST", "/console/passkeys", body));
  const headers = { Origin: ourOrigin };
  const options = await made(call("POST", "/console/session/passkey/options", undefined, { headers }));
  return { body: { credential: await passkey.signIn(options) }, headers };
}

/** A person types the code of their mail into the browser that asked for it. */
async function mailedCode(): Promise<Knock> {
  const { email } = await signedIn(null);
  const [asked, code, now] = [randomHex(32), newCode(), Date.now()];
  await env.DB.prepare(
    `INSERT INTO sign_in_links (id, kind, email, code_hash, browser_hash, created_at, expires_at)
      VALUES (?, 'mail', ?, ?, ?, ?, ?)`,
  )
    .bind(textOf(newId()), email, await hashKey(readCode(code)), await hashKey(asked), now, now + 60_000)
    .run();
  return { body: { code }, headers: { Cookie: `__Host-petrel-asked=${asked}`, Origin: ourOrigin } };
}

/** One of two owners. Nobody mails them meanwhile, as an invitation would. */
async function owner(): Promise<Record<string, string>> {
  await signedIn("owner");
  return { personId: publicId(asId((await signedIn("owner")).personId)) };
}

async function member(project: TestProject): Promise<Record<string, string>> {
  const { personId } = await signedIn({ project, as: { role: "editor" } });
  return { id: project.id, personId: publicId(asId(personId)) };
}

const someAddress = () => `${crypto.randomUUID()}@example.com`;

/** Every operation of the document that writes, by its id. */
export const operations: Record<string, Door> = {
  sendEmail: {
    good: 200,
    knock: ({ domain }) => ({ body: { to: ada, from: `hello@${domain}`, subject: "Your code", body: "<p>42</p>" } }),
  },
  trackEventInBrowser: { good: 200, knock: () => ({ body: { email: ada, event: "signup", data: { plan: "pro" } } }) },
  trackEventBatch: { good: 200, knock: () => ({ body: { events: [{ email: ada, event: "signup" }] } }) },
  trackEvent: { good: 200, knock: () => ({ body: { email: ada, event: "signup" } }) },
  deleteEvents: {
    good: 200,
    unsure: [1],
    knock: async ({ api }) => {
      await made(api.post("/events/track", { email: ada, event: "signup" }));
      return { params: { eventName: "signup" } };
    },
  },

  upsertContact: { good: 201, knock: () => ({ body: { email: ada, data: { plan: "pro" } } }) },
  updateContact: {
    good: 200,
    knock: async (project) => ({ params: { id: await contact(project) }, body: { subscribed: false } }),
  },
  deleteContact: { good: 204, knock: async (project) => ({ params: { id: await contact(project) } }) },
  snoozeContact: {
    good: 200,
    knock: async (project) => ({ params: { id: await contact(project) }, body: { duration: "3m" } }),
  },
  unsnoozeContact: {
    good: 200,
    knock: async (project) => {
      const id = await contact(project);
      await made(project.api.post(`/contacts/${id}/snooze`, { duration: "3m" }));
      return { params: { id } };
    },
  },
  chooseContactTopics: {
    good: 200,
    knock: async (project) => {
      const { slug } = await topic(project);
      return { params: { id: await contact(project) }, body: { topics: { [slug]: false } } };
    },
  },
  importContacts: {
    good: 202,
    knock: () => {
      const body = new FormData();
      body.append("file", new File(["email\nada@example.com"], "contacts.csv", { type: "text/csv" }));
      return { body };
    },
  },
  beginImport: { good: 201, knock: () => ({ body: { bytes: 9 } }) },
  uploadImportPart: {
    good: 200,
    knock: async (project) => {
      const upload = await made(project.api.post("/contacts/imports", { bytes: 9 }));
      const query = new URL(upload.parts[0].url).search;
      const headers = { "Content-Length": "9" };
      return { params: { id: upload.id, number: "1" }, query, body: "email\na@b", headers };
    },
  },
  completeImport: { good: 202, knock: async (project) => ({ params: { id: await uploadedParts(project) } }) },
  giveUpImport: { good: 204, knock: async (project) => ({ params: { id: await uploadedParts(project) } }) },
  bulkSubscribe: {
    good: 202,
    knock: async (project) => ({ body: { contactIds: [await contact(project)] } }),
  },
  bulkUnsubscribe: {
    good: 202,
    knock: async (project) => ({ body: { contactIds: [await contact(project)] } }),
  },
  undoImport: {
    good: 202,
    knock: async (project) => ({ params: { jobId: (await importCsv(project, `email\n${ada}`)).jobId } }),
  },
  bulkDelete: {
    good: 202,
    knock: async (project) => ({ body: { contactIds: [await contact(project)] } }),
  },
  deleteContactField: {
    good: 200,
    unsure: [1],
    knock: async ({ api }) => {
      await made(api.post("/contacts", { email: ada, data: { plan: "pro" } }));
      return { params: { field: "data.plan" } };
    },
  },
  addSuppression: { good: 201, knock: () => ({ body: { email: ada } }) },
  addManySuppressions: {
    good: 200,
    knock: () => ({ body: { suppressions: [{ email: ada }, { email: "gone@example.com", reason: "bounce" }] } }),
  },
  removeSuppression: {
    good: 204,
    unsure: [1],
    knock: async ({ api }) => {
      await made(api.post("/suppressions", { email: ada }));
      return { params: { email: ada } };
    },
  },

  uploadFile: { good: 201, knock: () => ({ body: formOf(png) }) },
  deleteFile: { good: 204, knock: async (project) => ({ params: { id: (await made(postFile(project))).id } }) },
  createTopic: { good: 201, knock: () => ({ body: { name: "News" } }) },
  updateTopic: {
    good: 200,
    knock: async (project) => ({ params: { id: (await topic(project)).id }, body: { defaultSubscribed: false } }),
  },
  deleteTopic: { good: 204, knock: async (project) => ({ params: { id: (await topic(project)).id } }) },

  createSegment: {
    good: 201,
    madeUpFrom: 2,
    knock: () => ({ body: { name: "Pro", condition: isPro } }),
  },
  updateSegment: {
    good: 200,
    madeUpFrom: 2,
    knock: async (project) => ({ params: { id: await segment(project) }, body: { trackMembership: true } }),
  },
  deleteSegment: { good: 204, knock: async (project) => ({ params: { id: await segment(project) } }) },
  computeSegment: {
    good: 200,
    later: 202,
    madeUpFrom: 2,
    knock: async (project) => {
      await made(project.api.post("/contacts", { email: ada, data: { plan: "pro" } }));
      return { params: { id: await segment(project, { condition: isPro, trackMembership: true }) } };
    },
  },
  refreshSegment: { good: 200, knock: async (project) => ({ params: { id: await segment(project) } }) },
  addSegmentMembers: {
    good: 200,
    unsure: [1],
    knock: async (project) => {
      await contact(project);
      return {
        params: { id: await segment(project, { type: "STATIC", trackMembership: true }) },
        body: { emails: [ada] },
      };
    },
  },
  removeSegmentMembers: {
    good: 200,
    unsure: [1],
    knock: async (project) => {
      await contact(project);
      const id = await segment(project, { type: "STATIC", trackMembership: true });
      await made(project.api.post(`/segments/${id}/members`, { emails: [ada] }));
      return { params: { id }, body: { emails: [ada] } };
    },
  },

  restoreTrash: {
    good: 200,
    madeUpFrom: 2,
    knock: async (project) => {
      const id = await segment(project, { condition: isPro, trackMembership: true });
      await made(project.api.delete(`/segments/${id}`));
      return { params: { type: "segment", id } };
    },
  },

  deleteFromTrash: {
    good: 204,
    knock: async (project) => {
      const id = await segment(project, { condition: isPro });
      await made(project.api.delete(`/segments/${id}`));
      return { params: { type: "segment", id } };
    },
  },

  createTemplate: { good: 201, knock: (project) => ({ body: soundTemplate(project) }) },
  updateTemplate: {
    good: 200,
    knock: async (project) => ({ params: { id: await template(project) }, body: { subject: "Welcome" } }),
  },
  deleteTemplate: { good: 204, knock: async (project) => ({ params: { id: await template(project) } }) },
  duplicateTemplate: { good: 201, knock: async (project) => ({ params: { id: await template(project) } }) },

  createCampaign: { good: 201, knock: (project) => ({ body: soundCampaign(project) }) },
  replaceCampaign: {
    good: 200,
    unsure: [1],
    knock: async (project) => ({ params: { id: await campaign(project) }, body: { subject: "Other news" } }),
  },
  deleteCampaign: { good: 204, knock: async (project) => ({ params: { id: await campaign(project) } }) },
  duplicateCampaign: { good: 201, knock: async (project) => ({ params: { id: await campaign(project) } }) },
  sendCampaign: { good: 200, knock: async (project) => ({ params: { id: await campaign(project) } }) },
  cancelCampaign: { good: 200, knock: async (project) => ({ params: { id: await sending(project) } }) },
  unscheduleCampaign: { good: 200, knock: async (project) => ({ params: { id: await scheduled(project) } }) },
  pauseCampaign: { good: 200, knock: async (project) => ({ params: { id: await sending(project) } }) },
  resumeCampaign: {
    good: 200,
    unsure: [1],
    knock: async (project) => {
      const id = await sending(project);
      await made(project.api.post(`/campaigns/${id}/pause`));
      return { params: { id } };
    },
  },
  retryCampaign: {
    good: 202,
    unsure: [1],
    knock: async (project) => {
      const id = await sending(project);
      const emailId = (await made(project.api.send())).data.emails[0].email;
      await project.db.batch([
        project.db
          .prepare("UPDATE campaigns SET status = 'SENT', frozen = '{}' WHERE project_id = ? AND id = ?")
          .bind(project.number, id),
        project.db.prepare("DELETE FROM campaign_runs WHERE project_id = ? AND id = ?").bind(project.number, id),
        project.db
          .prepare(
            `INSERT INTO campaign_counts (project_id, campaign_id, content_id, failed, queued, suppressed, cancelled, unknown,
                sent, delivered, opened, clicked, bounced, complained, unsubscribed)
              SELECT project_id, ?, content_id, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM emails
              WHERE project_id = ? AND id = ?`,
          )
          .bind(id, project.number, emailId),
      ]);
      return { params: { id }, body: { statuses: ["FAILED"] } };
    },
  },
  testCampaign: {
    good: 200,
    knock: async (project) => ({ params: { id: await campaign(project) }, body: { email: ada } }),
  },
  preflightCampaign: { good: 202, knock: async (project) => ({ params: { id: await campaign(project) } }) },

  retryEmail: {
    good: 202,
    knock: async (project) => {
      const id = await scheduledEmail(project);
      await set(project, "emails SET status = 'FAILED', due_at = NULL, next_attempt_at = NULL", id);
      return { params: { id } };
    },
  },
  retryManyEmails: {
    good: 202,
    knock: async (project) => {
      const id = await scheduledEmail(project);
      await set(project, "emails SET status = 'FAILED', due_at = NULL, next_attempt_at = NULL", id);
      return { body: { status: "FAILED" } };
    },
  },
  cancelEmail: { good: 200, knock: async (project) => ({ params: { id: await scheduledEmail(project) } }) },

  addDomain: { good: 201, knock: () => ({ body: { domain: `d${crypto.randomUUID()}.test` } }) },
  verifyDomain: { good: 200, knock: async (project) => ({ params: { id: await domain(project) } }) },
  removeDomain: {
    good: 204,
    madeUpFrom: 2,
    knock: async (project) => ({ params: { id: await domain(project) } }),
  },

  createWebhook: { good: 201, knock: () => ({ body: { url, events: ["*"] } }) },
  updateWebhook: {
    good: 200,
    knock: async (project) => ({ params: { id: await webhook(project) }, body: { events: ["signup"] } }),
  },
  deleteWebhook: { good: 204, knock: async (project) => ({ params: { id: await webhook(project) } }) },
  rotateWebhookSecret: { good: 200, knock: async (project) => ({ params: { id: await webhook(project) } }) },
  testWebhook: { good: 202, knock: async (project) => ({ params: { id: await webhook(project) } }) },
  retryWebhookDelivery: {
    good: 202,
    knock: async (project) => {
      const id = await webhook(project);
      const { deliveryId } = await made(project.api.post(`/webhooks/${id}/test`));
      return { params: { id, deliveryId } };
    },
  },

  createWorkflow: { good: 201, knock: () => ({ body: { name: "Welcome", eventName: "signup" } }) },
  updateWorkflow: {
    good: 200,
    knock: async (project) => ({ params: { id: (await step(project)).id }, body: { enabled: true } }),
  },
  deleteWorkflow: { good: 204, knock: async (project) => ({ params: { id: (await step(project)).id } }) },
  duplicateWorkflow: { good: 201, knock: async (project) => ({ params: { id: (await step(project)).id } }) },
  putWorkflowDocument: {
    good: 200,
    knock: async (project) => {
      const { id } = await step(project);
      const steps = [{ key: "wait", type: "DELAY", config: { amount: 1, unit: "hours" } }];
      const transitions = [{ from: "trigger", to: "wait" }];
      return { params: { id }, body: { name: "Welcome", eventName: "signup", steps, transitions } };
    },
  },
  createWorkflowStep: {
    good: 201,
    knock: async (project) => ({
      params: { id: (await workflow(project)).id },
      body: { type: "DELAY", config: { amount: 1, unit: "hours" } },
    }),
  },
  updateWorkflowStep: {
    good: 200,
    knock: async (project) => ({ params: await step(project), body: { name: "Wait" } }),
  },
  deleteWorkflowStep: { good: 204, knock: async (project) => ({ params: await step(project) }) },
  createWorkflowTransition: {
    good: 201,
    knock: async (project) => {
      const { id, stepId } = await step(project);
      const exit = await made(project.api.post(`/workflows/${id}/steps`, { type: "EXIT", config: { reason: "done" } }));
      return { params: { id }, body: { fromStepId: stepId, toStepId: exit.id } };
    },
  },
  deleteWorkflowTransition: { good: 204, knock: async (project) => ({ params: await step(project) }) },
  startWorkflowExecution: {
    good: 201,
    knock: async (project) => ({
      params: { id: (await step(project)).id },
      body: { contactId: await contact(project) },
    }),
  },
  cancelWorkflowExecution: {
    good: 200,
    knock: async (project) => {
      const { id } = await step(project);
      const body = { contactId: await contact(project) };
      const { id: executionId } = await made(project.api.post(`/workflows/${id}/executions`, body));
      return { params: { id, executionId } };
    },
  },
  cancelAllWorkflowExecutions: { good: 200, knock: async (project) => ({ params: { id: (await step(project)).id } }) },

  createProject: { good: 201, knock: () => ({ body: { name: "Acme" } }) },
  updateProject: { good: 200, knock: ({ id }) => ({ params: { id }, body: { name: "Acme" } }) },
  deleteProject: { good: 202, knock: ({ id }) => ({ params: { id } }) },
  moveClock: {
    good: 202,
    project: { testClock: true },
    knock: ({ id }) => ({ params: { id }, body: { advance: "7d" } }),
  },
  backUpProject: { good: 202, knock: ({ id }) => ({ params: { id } }) },
  moveProject: {
    good: 202,
    knock: async (project) => ({ params: { id: project.id }, body: { database: await elsewhere(project) } }),
  },
  takeMoveBack: {
    good: 202,
    knock: async (project) => {
      await startsMove(new World(), project, await elsewhere(project));
      return { params: { id: project.id } };
    },
  },
  restoreBackup: {
    good: 202,
    knock: async () => {
      const { id, manifest } = await upload();
      await made(putFile(id, "manifest.json", manifest));
      return { body: { backup: id } };
    },
  },
  beginBackupUpload: { good: 201, knock: () => ({}) },
  uploadBackupFile: {
    good: 204,
    knock: async () => {
      const { id, manifest } = await upload();
      const headers = { "Content-Length": `${manifest.length}` };
      return { params: { id }, query: "?name=manifest.json", body: manifest, headers };
    },
  },
  addKey: { good: 201, knock: ({ id }) => ({ params: { id }, body: { kind: "secret", name: "server" } }) },
  revokeKey: {
    good: 204,
    knock: async ({ id }) => {
      const key = await made(admin.post(`/admin/projects/${id}/keys`, { kind: "secret" }));
      return { params: { id, keyId: key.id } };
    },
  },
  addMonitorKey: { good: 201, knock: () => ({ body: { kind: "monitor" } }) },
  revokeMonitorKey: {
    good: 204,
    knock: async () => ({ params: { keyId: (await made(admin.post("/admin/keys", { kind: "monitor" }))).id } }),
  },
  retryDeadLetter: {
    good: 202,
    knock: async () => {
      const id = newId();
      await env.DB.prepare("INSERT INTO dead_letters (id, queue, body, created_at) VALUES (?, 'jobs', ?, 1)")
        .bind(textOf(id), '{"type":"webhooks.drain"}')
        .run();
      return { params: { id: publicId(id) } };
    },
  },
  emptyOutbox: {
    good: 204,
    unsure: [1],
    // Mail of the doors before would take more than one write.
    knock: async () => {
      await env.DB.prepare("DELETE FROM outbox_messages").run();
      return {};
    },
  },

  printSignInLink: { good: 201, knock: () => ({}) },
  requestSignInMail: {
    good: 202,
    // The mail leaves behind the answer, or with the sweep.
    madeUpFrom: 2,
    knock: () => ({ body: { email: someAddress() } }),
  },
  invitePerson: { good: 201, madeUpFrom: 2, knock: () => ({ body: { email: someAddress(), role: "owner" } }) },
  updatePerson: { good: 200, knock: async () => ({ params: await owner(), body: { role: null } }) },
  deletePerson: { good: 204, knock: async () => ({ params: await owner() }) },
  inviteMember: {
    good: 201,
    madeUpFrom: 2,
    knock: ({ id }) => ({ params: { id }, body: { email: someAddress(), role: "editor" } }),
  },
  updateMember: { good: 200, knock: async (project) => ({ params: await member(project), body: { role: "admin" } }) },
  removeMember: { good: 204, knock: async (project) => ({ params: await member(project) }) },
  signInByPasskey: { good: 204, knock: answeredByPasskey },
  addPasskey: { good: 201, knock: newPasskey },
  renamePasskey: { good: 200, knock: async () => ({ ...(await ownPasskey()), body: { name: "Phone" } }) },
  removePasskey: { good: 204, knock: ownPasskey },
  signInByCode: { good: 204, unsure: [1], knock: mailedCode },
  signOut: { good: 204, unsure: [1], knock: session },
  endSession: { good: 204, unsure: [1], knock: session },
  endOtherSessions: { good: 204, unsure: [1], knock: oneOfTwoSessions },
};

/** The doors of recipients, which the document leaves out. `of …` tells those of one path apart. */
export const links: Record<string, Door> = {
  "POST /unsubscribe/{token}": {
    good: 200,
    knock: async (project) => ({ params: await link(project, "unsubscribe"), body: new URLSearchParams() }),
  },
  "POST /unsubscribe/{token} of one click": {
    good: 200,
    knock: async (project) => ({
      params: await link(project, "unsubscribe"),
      body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
    }),
  },
  "POST /unsubscribe/{token} of a pause": {
    good: 200,
    knock: async (project) => ({
      params: await link(project, "unsubscribe"),
      body: new URLSearchParams({ action: "snooze", duration: "1m" }),
    }),
  },
  "POST /subscribe/{token}": {
    good: 200,
    knock: async (project) => {
      const params = await link(project, "subscribe");
      await made(project.api.post("/contacts", { email: ada, subscribed: false }));
      return { params, body: new URLSearchParams() };
    },
  },
  "POST /manage/{token}": {
    good: 200,
    knock: async (project) => ({
      params: await link(project, "manage"),
      body: new URLSearchParams({ action: "unsubscribe" }),
    }),
  },
  "POST /manage/{token} of a topic": {
    good: 200,
    knock: async (project) => {
      const { slug } = await topic(project);
      const params = await link(project, "manage");
      return { params, body: new URLSearchParams({ action: "leave", topic: slug }) };
    },
  },
  "POST /confirm/{token}": {
    good: 200,
    knock: async (project) => {
      await made(admin.patch(`/admin/projects/${project.id}`, { confirmationTemplateId: await confirmation(project) }));
      const { id } = await made(project.api.post("/contacts", { email: ada, confirm: true }));
      const row = await project.db
        .prepare("SELECT id FROM confirmations WHERE project_id = ?")
        .bind(project.number)
        .first<string>("id");
      if (row === null) throw new Error("Nothing is to be confirmed");
      const { ctx } = await new World().context(project);
      const path = pagePath(ctx, "confirm", { projectId: project.id, contactId: readId(id), emailId: readId(row) });
      return { params: { token: path.slice("/confirm/".length) }, body: new URLSearchParams() };
    },
  },
};

/** The key that an operation takes, as its document says. */
export function keyFor(project: TestProject, security: Record<string, unknown>[]): string | null {
  const [way] = security;
  // A session comes in a cookie, and everybody needs nothing.
  if (way === undefined || "session" in way) return null;
  if ("publicKey" in way) return project.keys.public;
  if ("secretKey" in way) return project.keys.secret;
  return env.ADMIN_TOKEN ?? "";
}
