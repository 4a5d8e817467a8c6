import assert from "node:assert/strict";
import { DomainNotVerifiedError, Petrel, ValidationError } from "petrel-client";

/** The running product. */
export interface World {
  baseUrl: string;
  adminToken: string;
}

async function newProject({ baseUrl, adminToken }: World) {
  const operator = new Petrel({ key: adminToken, baseUrl });
  const { project, keys } = await operator.admin.createProject({ name: "Client", testClock: true });
  const petrel = new Petrel({ key: keys.secret, baseUrl });
  const domain = `client-${crypto.randomUUID()}.test`;
  await petrel.domains.add({ domain });
  return { operator, project, petrel, browser: new Petrel({ key: keys.public, baseUrl }), from: `hello@${domain}` };
}

export const product: Record<string, (world: World) => Promise<void>> = {
  async "has a method for every operation of the document"({ baseUrl }) {
    const document = await (await fetch(`${baseUrl}/openapi.json`)).json();
    const operations = Object.values<object>(document.paths).flatMap((methods) => Object.keys(methods));
    const petrel: object = new Petrel({ key: "sk_", baseUrl });
    const groups = Object.keys(Object.getOwnPropertyDescriptors(Petrel.prototype)).filter(
      (name) => !/^(constructor|until)$/.test(name),
    );
    const methods = groups.flatMap((group) => Object.keys(Reflect.get(petrel, group)));
    assert.equal(methods.length, operations.length);
  },

  async "sends an email once, whatever is repeated"(world) {
    const { petrel, from } = await newProject(world);
    const mail = { to: "ada@example.com", from, subject: "Hi", body: "<p>Hi</p>" };
    const first = await petrel.emails.send(mail, { idempotencyKey: "receipt" });
    const again = await petrel.emails.send(mail, { idempotencyKey: "receipt" });
    assert.deepEqual(again, first);
    assert.equal(first.emails[0]?.contact.email, "ada@example.com");
    const all = [];
    for await (const email of petrel.emails.list()) all.push(email.id);
    assert.deepEqual(all, [first.emails[0]?.email]);
  },

  async "says which sender is not verified, and which field is wrong"(world) {
    const { petrel } = await newProject(world);
    const mail = { to: "ada@example.com", from: "hello@nobody.example.org", subject: "Hi", body: "<p>Hi</p>" };
    await assert.rejects(petrel.emails.send(mail), (error) => {
      assert.ok(error instanceof DomainNotVerifiedError);
      assert.equal(error.details.domain, "nobody.example.org");
      return true;
    });
    await assert.rejects(petrel.emails.send({ ...mail, to: "nope" }), (error) => {
      assert.ok(error instanceof ValidationError);
      assert.equal(error.fields[0]?.field, "to");
      return true;
    });
    await assert.rejects(petrel.contacts.upsert({ email: "" }), ValidationError);
  },

  async "imports contacts, and reads them page by page"(world) {
    const { petrel } = await newProject(world);
    const rows = ["email", ...Array.from({ length: 5 }, (_, n) => `person-${n}@example.com`)];
    const { result } = await petrel.until(petrel.contacts.import({ file: rows.join("\n") }));
    const imported: number | undefined = result?.imported;
    assert.equal(imported, 5);
    const found = [];
    for await (const { email } of petrel.contacts.list({ limit: 2, sort: "email", dir: "asc" })) found.push(email);
    assert.deepEqual(found, rows.slice(1));
  },

  async "tracks with either kind of key"(world) {
    const { petrel, browser } = await newProject(world);
    await petrel.events.track({ email: "ada@example.com", event: "signup", data: { plan: "pro" } });
    await browser.events.trackInBrowser({ email: "ada@example.com", event: "visit" });
    const names = [];
    for await (const name of petrel.events.listNames()) names.push(name);
    assert.deepEqual(names.toSorted(), ["signup", "visit"]);
  },

  async "reads lists of every shape"(world) {
    const { petrel, from } = await newProject(world);
    for (const name of ["One", "Two", "Three"]) {
      await petrel.templates.create({ name, from, subject: "Hi", body: "<p>Hi</p>" });
      await petrel.segments.create({ name, type: "STATIC" });
    }
    const names = [];
    for await (const { name } of petrel.templates.list({ pageSize: 2 })) names.push(name);
    for await (const { name } of petrel.segments.list()) names.push(name);
    assert.deepEqual(names.toSorted(), ["One", "One", "Three", "Three", "Two", "Two"]);
  },

  async "plans a workflow in a dry run, creates it, and reads its document"(world) {
    const { petrel } = await newProject(world);
    const workflow = {
      name: "Welcome",
      eventName: "signup",
      steps: [{ key: "end", type: "EXIT" as const, name: "End", config: {} }],
    };
    const plan = await petrel.workflows.create(workflow, { dryRun: true });
    assert.deepEqual(plan.created, ["end"]);
    const { id, triggerConfig, steps } = await petrel.workflows.create(workflow);
    assert.deepEqual([triggerConfig.eventName, steps.length], ["signup", 2]);
    assert.equal((await petrel.workflows.getDocument(id)).version, 1);
  },

  async "sends a campaign"(world) {
    const { petrel, from } = await newProject(world);
    const campaign = { name: "March", from, subject: "News", body: "<p>Hi</p>", audienceType: "ALL" } as const;
    const { id } = await petrel.campaigns.create(campaign);
    const { result } = await petrel.until(petrel.campaigns.preflight(id));
    assert.ok(result?.preflightToken);
    assert.equal(result.willSend, 0);
    const { status, message } = await petrel.campaigns.send(id, { preflightToken: result.preflightToken });
    assert.deepEqual([status, message], ["SENDING", "Campaign is being sent"]);
  },

  async "waits for a job of the operator's"(world) {
    const { operator, project } = await newProject(world);
    const { status } = await operator.until(operator.admin.moveClock(project.id, { advance: "1h" }));
    assert.equal(status, "completed");
  },
};
