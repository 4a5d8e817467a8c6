import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { DnsRecord } from "../../src/core/domains/records";
import { Unavailable } from "../../src/core/errors";
import type { DomainRow } from "../../src/db/tables";
import { addDomain } from "../../src/features/domains/add";
import { checkDomain } from "../../src/features/domains/check";
import { removeDomain } from "../../src/features/domains/remove";
import { databaseWith, otherShard } from "../support/database";
import { type Death, wasKilled } from "../support/killable";
import { planOf } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { sample } from "../support/sample";
import { World, withMailer } from "../support/world";

const fresh = () => `f-${crypto.randomUUID().slice(0, 8)}.com`;
const hour = 60;
const day = 24 * hour;

async function add(world: World, project: TestProject, domain = fresh()): Promise<DomainRow> {
  const { ctx } = await world.context(project);
  return addDomain(ctx, { domain });
}

/** Its owner creates the records, or takes them away. */
function publish(world: World, row: DomainRow): void {
  for (const { type, name, value } of row.records) world.dnsRecords[`${type} ${name}`] = [value];
}

/** The project's row, and in how many rows of the control database its name is the project's. */
async function stored({ id, projectId, domain }: DomainRow) {
  const db = await databaseWith(projectId);
  const found = await db
    .prepare(
      `SELECT status, records, last_checked_at, verified_at, failing_since, next_check_at, version
        FROM domains WHERE id = ?`,
    )
    .bind(id)
    .first<{
      status: string;
      records: string;
      last_checked_at: number | null;
      verified_at: number | null;
      failing_since: number | null;
      next_check_at: number | null;
      version: number;
    }>();
  if (!found) throw new Error("The domain is gone");
  const names = await env.DB.prepare("SELECT count(*) AS n FROM verified_domains WHERE domain = ? AND project_id = ?")
    .bind(domain, projectId)
    .first<number>("n");
  return { ...found, records: JSON.parse(found.records) as DnsRecord[], names: names ?? 0 };
}

/** Lets time pass in steps of five minutes, or of hours where what happens within them is all the same. */
async function pass(world: World, minutes: number, step = 5): Promise<void> {
  for (let passed = 0; passed < minutes; passed += step) {
    world.now += step * 60_000;
    await world.sweep("*/5 * * * *");
    await world.drain();
  }
}

describe("the five-minute check", () => {
  it("verifies a waiting domain soon after its records are there", async () => {
    const [world, project] = [new World(), await newProject()];
    const row = await add(world, project);
    await world.pass(10);
    expect(await stored(row)).toMatchObject({ status: "PENDING", last_checked_at: world.now, version: 2, names: 0 });

    publish(world, row);
    await world.pass(5);
    expect(await stored(row)).toMatchObject({ status: "VERIFIED", verified_at: world.now, names: 1 });
    expect((await project.api.send({ from: `hello@${row.domain}` })).status).toBe(200);
  });

  it("waits for the provider too, and adds the records it asks for", async () => {
    const [world, project] = [new World(), await newProject()];
    const row = await add(world, project);
    publish(world, row);
    const dkim: DnsRecord = {
      ...{ purpose: "DKIM", type: "CNAME", name: `k._domainkey.${row.domain}`, value: "k.mail.net" },
      ...{ required: true, status: "PENDING" },
    };
    world.senderDomain = { verified: false, records: [dkim] };
    await world.pass(5);
    expect(await stored(row)).toMatchObject({ status: "PENDING" });
    world.dnsRecords[`CNAME ${dkim.name}`] = [dkim.value];
    await world.pass(5);
    const { status, records } = await stored(row);
    expect([status, ...records.map((record) => `${record.purpose} ${record.status}`)]).toEqual([
      ...["PENDING", "OWNERSHIP FOUND", "DKIM FOUND", "DMARC FOUND"],
    ]);
    world.senderDomain = { verified: true, records: [dkim] };
    await world.pass(5);
    expect((await stored(row)).status).toBe("VERIFIED");
  });

  it("registers a domain again that the provider has forgotten", async () => {
    const [world, project] = [new World(), await newProject()];
    const row = await add(world, project);
    publish(world, row);
    world.senderDomain = null;
    await world.pass(5);
    expect(world.addedDomains).toEqual([row.domain, row.domain]);
    expect((await stored(row)).status).toBe("VERIFIED");
  });

  it("looks at verified domains every hour, and at waiting ones with every tick", async () => {
    const [world, project] = [new World(), await newProject()];
    const [verified, waiting] = [await add(world, project), await add(world, project)];
    publish(world, verified);
    await pass(world, 5);
    const [before, alsoBefore] = [await stored(verified), await stored(waiting)];
    await pass(world, 2 * hour);
    expect((await stored(verified)).version - before.version).toBe(2);
    expect((await stored(waiting)).version - alsoBefore.version).toBe(24);
  });

  it.each(["dns", "provider"] as const)("changes nothing while there is no answer: %s", async (outage) => {
    const [world, project] = [new World(), await newProject()];
    const [verified, waiting] = [await add(world, project), await add(world, project)];
    publish(world, verified);
    await pass(world, 5);
    const before = [await stored(verified), await stored(waiting)];

    world.outage = outage;
    await pass(world, 80 * hour, 8 * hour);
    const after = [await stored(verified), await stored(waiting)];
    expect(after.map(({ next_check_at: _, ...row }) => row)).toEqual(before.map(({ next_check_at: _, ...row }) => row));

    world.outage = null;
    publish(world, waiting);
    await pass(world, 20);
    expect([(await stored(verified)).status, (await stored(waiting)).status]).toEqual(["VERIFIED", "VERIFIED"]);
  });

  it("takes a domain's verification away after 72 hours of failures, and gives it back", async () => {
    const [world, project] = [new World(), await newProject()];
    const row = await add(world, project);
    publish(world, row);
    await pass(world, 5);

    world.dnsRecords = {};
    await pass(world, 2 * hour);
    expect(await stored(row)).toMatchObject({ status: "VERIFIED", failing_since: expect.any(Number), names: 1 });
    expect((await stored(row)).records[0]?.status).toBe("PENDING");
    await pass(world, 3 * day - 2 * hour, 5 * hour);
    expect((await stored(row)).status).toBe("VERIFIED");
    await pass(world, 2 * hour);
    expect(await stored(row)).toMatchObject({ status: "PENDING", verified_at: null, names: 0 });
    expect((await project.api.send({ from: `hello@${row.domain}` })).status).toBe(403);

    publish(world, row);
    await pass(world, 2 * hour);
    expect(await stored(row)).toMatchObject({ status: "VERIFIED", failing_since: null, names: 1 });
  });

  it("begins to count again when a check passes in between", async () => {
    const [world, project] = [new World(), await newProject()];
    const row = await add(world, project);
    publish(world, row);
    await pass(world, 5);
    const records = world.dnsRecords;
    world.dnsRecords = {};
    await pass(world, 2 * day, 4 * hour);
    world.dnsRecords = records;
    await pass(world, 2 * hour);
    expect((await stored(row)).failing_since).toBeNull();
    world.dnsRecords = {};
    await pass(world, 2 * day, 4 * hour);
    expect((await stored(row)).status).toBe("VERIFIED");
  });

  it("leaves a name to the project that has verified it", async () => {
    const world = new World();
    const [first, second] = [await newProject(), await newProject()];
    const domain = fresh();
    const [mine, theirs] = [await add(world, first, domain), await add(world, second, domain)];
    const ownership = [mine, theirs].map((row) => row.records[0]?.value ?? "");
    world.dnsRecords[`TXT _petrel.${domain}`] = ownership;
    await pass(world, 30);
    const states = [await stored(mine), await stored(theirs)];
    expect(states.map(({ status }) => status).toSorted()).toEqual(["PENDING", "VERIFIED"]);
    expect(states.map(({ records }) => records[0]?.status)).toEqual(["FOUND", "FOUND"]);
    expect(states.map(({ names, status }) => (status === "VERIFIED" ? names : 1 - names))).toEqual([1, 1]);
  });

  it("puts at most twenty domains in a message, and takes each once", async () => {
    const world = new World();
    const projects = await Promise.all([1, 2, 3].map(() => newProject({}, "DB")));
    const adding = projects.flatMap((project) => Array.from({ length: 15 }, () => add(world, project)));
    const domains = await Promise.all(adding);
    world.now += 5 * 60_000;
    await world.sweep("*/5 * * * *");
    const sizes = world.queue.map(({ queued }) =>
      queued.message.type === "domains.check" ? queued.message.domains.length : 0,
    );
    expect(sizes).toEqual([20, 20, 5]);
    await world.sweep("*/5 * * * *");
    expect(world.queue).toHaveLength(3);
    await world.drain();
    for (const row of domains) expect((await stored(row)).version).toBe(1);
  });

  it("skips a domain that is gone, and one of a project that is", async () => {
    const [world, project, gone] = [new World(), await newProject(), await newProject()];
    const [removed, kept, orphan] = [await add(world, project), await add(world, project), await add(world, gone)];
    publish(world, kept);
    world.now += 5 * 60_000;
    await world.sweep("*/5 * * * *");
    await removeDomain((await world.context(project)).ctx, removed.id);
    await env.DB.prepare("UPDATE projects SET deleted_at = 1 WHERE id = ?").bind(gone.id).run();
    await world.drain();
    expect((await stored(kept)).status).toBe("VERIFIED");
    expect((await stored(orphan)).last_checked_at).not.toBeUndefined();
  });

  it("finds due domains by their index alone", async () => {
    const world = new World();
    await world.sweep("*/5 * * * *");
    const sweep = world.statements.find(({ sql }) => sql.includes("ix_domains_due"));
    const plan = (await planOf({ sql: "", values: [], ...sweep })).join(" ");
    expect(plan).toContain("ix_domains_due (next_check_at<?)");
    expect(plan).not.toMatch(/SCAN (?!CONSTANT ROW|moves)/);
  });
});

describe("messages that come twice, and processes that die", () => {
  it("checks again without harm when a message comes twice", async () => {
    const [world, project] = [new World(), await newProject()];
    const row = await add(world, project);
    publish(world, row);
    world.now += 5 * 60_000;
    await world.sweep("*/5 * * * *");
    world.queue.push(...world.queue);
    await world.drain();
    expect(await stored(row)).toMatchObject({ status: "VERIFIED", names: 1 });
  });

  it("lets the later of two checks at once find nothing to add", async () => {
    const [world, project] = [new World(), await newProject()];
    const row = await add(world, project);
    publish(world, row);
    const { ctx } = await world.context(project);
    const answers = await Promise.all(Array.from({ length: 8 }, () => checkDomain(ctx, row.id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill("VERIFIED"));
    expect(await stored(row)).toMatchObject({ status: "VERIFIED", names: 1 });
  });

  const deaths: Death[] = [1, 2, 3, 4, 5, 6, 7].flatMap((atStep) => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);

  it.each(sample(deaths.map((death) => [`${death.when} step ${death.atStep}`, death] as const)))(
    "killed %s of a check, the domain is verified all the same",
    async (_, death) => {
      const [world, project] = [new World(), await newProject()];
      const row = await add(world, project);
      publish(world, row);
      world.now += 5 * 60_000;
      await world.sweep("*/5 * * * *");
      await world.runAndDie(death);
      await pass(world, 20);
      expect(await stored(row)).toMatchObject({ status: "VERIFIED", names: 1 });
    },
  );

  it("finds a domain again whose message was lost", async () => {
    const [world, project] = [new World(), await newProject()];
    const row = await add(world, project);
    publish(world, row);
    world.now += 5 * 60_000;
    await world.sweep("*/5 * * * *");
    world.queue = [];
    await pass(world, 20);
    expect((await stored(row)).status).toBe("VERIFIED");
  });

  it.each([1, 2, 3, 4].map((atStep) => [atStep] as const))(
    "killed at step %i of a removal that is tried again, it leaves no half for long",
    async (atStep) => {
      const [world, project] = [new World(), await newProject()];
      const row = await add(world, project);
      publish(world, row);
      await pass(world, 5);
      const { ctx } = await world.context(project, { atStep, when: "after" });
      await removeDomain(ctx, row.id).catch((error: unknown) => {
        if (!wasKilled(error)) throw error;
      });
      const again = await world.context(project);
      await removeDomain(again.ctx, row.id).catch(() => {});
      await pass(world, 20);
      const names = await env.DB.prepare("SELECT count(*) AS n FROM verified_domains WHERE domain = ?")
        .bind(row.domain)
        .first<{ n: number }>();
      expect(names?.n).toBe(0);
    },
  );
});

describe("the provider's account, which is shared", () => {
  it("keeps a name while another project has it, and forgets it with the last", async () => {
    const world = new World();
    const [first, second] = [await newProject(), await newProject({}, otherShard())];
    const domain = fresh();
    const [mine, theirs] = [await add(world, first, domain), await add(world, second, domain)];
    await removeDomain((await world.context(first)).ctx, mine.id);
    expect(world.removedDomains).toEqual([]);
    await removeDomain((await world.context(second)).ctx, theirs.id);
    expect(world.removedDomains).toEqual([domain]);
  });

  it("keeps a name that the account had before we came", async () => {
    const [world, project] = [new World(), await newProject()];
    const domain = fresh();
    world.foreignDomains = [domain];
    const row = await add(world, project, domain);
    publish(world, row);
    await world.pass(5);
    expect((await stored(row)).status).toBe("VERIFIED");
    await removeDomain((await world.context(project)).ctx, row.id);
    expect(world.removedDomains).toEqual([]);
  });

  it("keeps a name that we created at a provider of the past", async () => {
    const [world, project] = [new World(), await newProject()];
    const row = await add(world, project);
    const { ctx } = await world.context(project);
    await removeDomain(withMailer(ctx, { ...ctx.mailer, name: "another" }), row.id);
    expect(world.removedDomains).toEqual([]);
  });

  it("forgets a name that a check created, also when the rest of the check failed", async () => {
    const [world, project] = [new World(), await newProject()];
    const domain = fresh();
    world.foreignDomains = [domain];
    const row = await add(world, project, domain);
    [world.foreignDomains, world.addedDomains, world.senderDomain, world.outage] = [[], [], null, "dns"];
    const { ctx } = await world.context(project);
    await expect(checkDomain(ctx, row.id)).rejects.toThrow(Unavailable);
    await removeDomain(ctx, row.id);
    expect(world.removedDomains).toEqual([domain]);
  });

  it("never lets a domain be verified for the provider's word alone", async () => {
    const [world, project] = [new World(), await newProject()];
    world.senderDomain = { verified: true, records: [] };
    expect((await add(world, project)).status).toBe("PENDING");
  });
});
