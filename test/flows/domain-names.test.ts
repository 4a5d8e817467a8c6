import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/core/errors";
import { newIdAt, readId, textOf } from "../../src/core/ids";
import { addDomain } from "../../src/features/domains/add";
import { checkDomain } from "../../src/features/domains/check";
import { removeDomain } from "../../src/features/domains/remove";
import { repairDomainNames } from "../../src/features/domains/repair-names";
import { control, databases, otherShard } from "../support/database";
import { type Death, wasKilled } from "../support/killable";
import { expectBounded } from "../support/plan";
import { newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";
import { sample } from "../support/sample";
import { World } from "../support/world";

const minuteMs = 60_000;

/** Nobody else can have it, so that the provider's word alone verifies it. */
const fresh = () => `n-${crypto.randomUUID().slice(0, 8)}.test`;

/** A world in which the provider says this of every domain. */
function worldWhere({ verified = true, now = Date.now() } = {}): World {
  const world = new World();
  world.now = now;
  world.senderDomain = { verified, records: [] };
  return world;
}

async function rowOf(project: TestProject, domain: string): Promise<{ id: string; status: string } | null> {
  return project.db
    .prepare("SELECT * FROM domains WHERE project_id = ? AND domain = ?")
    .bind(project.id, domain)
    .first();
}

/** Which projects have a verified row of the name, and which one has the name. */
async function standOf(domain: string): Promise<{ verified: unknown[]; owner: unknown }> {
  const rows = "SELECT project_id FROM domains WHERE domain = ? AND status = 'VERIFIED'";
  const found = await Promise.all(databases.map((db) => db.prepare(rows).bind(domain).all()));
  const verified = found.flatMap(({ results }) => results.map((row) => row.project_id));
  const name = control.prepare("SELECT project_id FROM verified_domains WHERE domain = ?").bind(domain);
  return { verified, owner: await name.first("project_id") };
}

type Act = (world: World, project: TestProject, domain: string, death?: Death) => Promise<void>;

const add: Act = async (world, project, domain, death) => {
  await addDomain((await world.context(project, death)).ctx, { domain });
};

const check: Act = async (world, project, domain, death) => {
  const row = await rowOf(project, domain);
  if (row) await checkDomain((await world.context(project, death)).ctx, readId(row.id));
};

const remove: Act = async (world, project, domain, death) => {
  const row = await rowOf(project, domain);
  if (row) await removeDomain((await world.context(project, death)).ctx, readId(row.id));
};

/** Brings about that the project has the domain, in this state. Its checks have failed for long if it is verified. */
async function given(project: TestProject, domain: string, state: "none" | "PENDING" | "VERIFIED"): Promise<void> {
  if (state !== "none") await add(worldWhere({ verified: state === "VERIFIED" }), project, domain);
  await project.db
    .prepare("UPDATE domains SET failing_since = 1, next_check_at = 1 WHERE status = 'VERIFIED' AND domain = ?")
    .bind(domain)
    .run();
}

describe("a name that projects on two databases want", () => {
  it("is verified in one of them, which is known when another adds it", async () => {
    const [mine, theirs] = [await newProject(), await newProject({}, otherShard())];
    const domain = `${fresh()}.com`.replace(".test", "");
    const rows = [];
    for (const project of [mine, theirs]) {
      const { ctx } = await new World().context(project);
      rows.push(await addDomain(ctx, { domain }));
    }
    const world = new World();
    world.dnsRecords[`TXT _petrel.${domain}`] = rows.map(({ records }) => records[0]?.value ?? "");
    await world.pass(30);
    const { verified, owner } = await standOf(domain);
    expect(verified).toEqual([owner]);

    const third = await newProject();
    expectRefusal(await third.api.post("/domains", { domain }), 409, "CONFLICT");
    const loser = owner === mine.id ? theirs : mine;
    const row = await rowOf(loser, domain);
    await expect(checkDomain((await world.context(loser)).ctx, readId(row?.id ?? ""))).rejects.toThrow(
      "another project",
    );
    expect((await rowOf(loser, domain))?.status).toBe("PENDING");
  });

  it("is verified in one of them when both add it at once", async () => {
    const [mine, theirs] = [await newProject(), await newProject({}, otherShard())];
    const domain = fresh();
    const answers = await Promise.all([mine, theirs].map(({ api }) => api.post("/domains", { domain })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const { verified, owner } = await standOf(domain);
    expect(verified).toEqual([owner]);
  });

  it("goes from one to the other when it is removed", async () => {
    const [mine, theirs] = [await newProject(), await newProject({}, otherShard())];
    const domain = fresh();
    for (const [project, before] of [
      [mine, theirs],
      [theirs, mine],
    ] as const) {
      await remove(worldWhere(), before, domain);
      await add(worldWhere(), project, domain);
      expect(await standOf(domain)).toEqual({ verified: [project.id], owner: project.id });
    }
  });
});

describe("a call that dies", () => {
  async function passQuickly(world: World, minutes: number): Promise<void> {
    for (let passed = 0; passed < minutes; passed += 5) {
      world.now += 5 * minuteMs;
      await world.sweep("*/5 * * * *");
      await world.drain();
    }
  }

  it.each([
    ["an add that verifies at once", "none", true, add],
    ["a check that verifies", "PENDING", true, check],
    ["a check that ends the verification", "VERIFIED", false, check],
    ["a removal", "VERIFIED", true, remove],
  ] as const)("leaves nothing that time does not repair, at whatever step: %s", async (_, from, isVouchedFor, act) => {
    const [mine, theirs] = [await newProject(), await newProject({}, otherShard())];
    const world = worldWhere({ verified: isVouchedFor });
    // The longest takes six steps: the last deaths of the others never come.
    for (const atStep of [1, 2, 3, 4, 5, 6]) {
      for (const when of sample(["before", "after"] as const, { of: 2, name: `${from} ${atStep}` })) {
        const [domain, told] = [fresh(), `killed ${when} step ${atStep}`];
        await given(mine, domain, from);
        await act(world, mine, domain, { atStep, when }).catch((error: unknown) => {
          if (!wasKilled(error)) throw error;
        });
        const early = await standOf(domain);
        if (early.verified.length > 0) expect(early, told).toEqual({ verified: [mine.id], owner: mine.id });

        await passQuickly(world, 20);
        // Whoever still has the row goes on from there: the provider vouches for it, or it does not.
        const isOurs = isVouchedFor && (await rowOf(mine, domain)) !== null;
        const late = isOurs ? { verified: [mine.id], owner: mine.id } : { verified: [], owner: null };
        expect(await standOf(domain), told).toEqual(late);

        await remove(world, mine, domain);
        await add(worldWhere(), theirs, domain);
        expect(await standOf(domain), told).toEqual({ verified: [theirs.id], owner: theirs.id });
      }
    }
  });
});

/** The act, in which all the others happen just before its n-th step. Returns how many steps it took. */
async function interrupted(
  [world, project, domain]: [World, TestProject, string],
  act: Act,
  atStep: number,
  others: () => Promise<void>,
): Promise<number> {
  let steps = 0;
  const paused = {
    context: async (who: TestProject) => {
      const { ctx, process } = await world.context(who);
      const step = process.step.bind(process);
      process.step = async (name, effect) => {
        if (++steps === atStep) await others();
        return step(name, effect);
      };
      return { ctx, process };
    },
  };
  await act(Object.assign(Object.create(world), paused), project, domain).catch(expectRefused);
  return steps;
}

function expectRefused(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

describe("calls that overtake each other", () => {
  const later = () => Date.now() + 30 * minuteMs;
  const acts: Record<string, Act> = {
    add,
    remove,
    verify: check,
    unverify: (_, project, domain) => check(worldWhere({ verified: false }), project, domain),
    sweep: () => repairDomainNames(worldWhere({ now: later() }).process().platform),
  };
  const sequences = [
    [],
    ["sweep"],
    ["verify"],
    ["unverify"],
    ["remove"],
    ["unverify", "sweep"],
    ["unverify", "verify"],
    ["remove", "add"],
    ["remove", "add", "unverify"],
  ];

  it.each([
    ["an add", "none", true, add],
    ["a check that verifies", "PENDING", true, check],
    ["a removal", "PENDING", true, remove],
    ["a check that ends the verification", "VERIFIED", false, check],
    ["a removal", "VERIFIED", true, remove],
  ] as const)("never verify a name twice, whatever happens during %s: %s", async (what, from, verified, act) => {
    for (const names of sample(sequences, { name: what + from })) {
      // A project has twenty domains that are not verified, and no more.
      const [mine, theirs] = [await newProject(), await newProject({}, otherShard())];
      let steps = 1;
      for (let atStep = 1; atStep <= steps; atStep++) {
        const domain = fresh();
        await given(mine, domain, from);
        steps = await interrupted([worldWhere({ verified }), mine, domain], act, atStep, async () => {
          for (const name of names) await acts[name]?.(worldWhere(), mine, domain).catch(expectRefused);
          await add(worldWhere(), theirs, domain).catch(expectRefused);
        });
        const stand = await standOf(domain);
        const told = `${names.join(", ")} before step ${atStep} of ${steps}`;
        expect(stand.verified.length, told).toBeLessThan(2);
        if (stand.verified.length > 0) expect(stand.verified, told).toEqual([stand.owner]);
      }
    }
  });
});

describe("the sweep", () => {
  async function claim(project: { number: number }, domain: string, at: number): Promise<void> {
    await control
      .prepare("INSERT INTO verified_domains VALUES (?, ?, ?)")
      .bind(domain, project.number, textOf(newIdAt(at)))
      .run();
  }

  async function sweep(world: World): Promise<void> {
    await repairDomainNames(world.process().platform);
  }

  it("frees a name that is claimed for nothing, once whoever claims it has had the time to write the row", async () => {
    const [project, world, domain] = [await newProject(), worldWhere(), fresh()];
    await claim(project, domain, world.now);
    world.now += 9 * minuteMs;
    await sweep(world);
    expect(await standOf(domain)).toMatchObject({ owner: project.id });
    world.now += 2 * minuteMs;
    await sweep(world);
    expect(await standOf(domain)).toMatchObject({ owner: null });
    expect(await standOf(project.domain)).toEqual({ verified: [project.id], owner: project.id });
    expect(world.logged).toContain("Unused claims to domain names were freed");
  });

  it("frees the name of a project that is gone", async () => {
    const [world, domain] = [worldWhere(), fresh()];
    await claim({ number: 1 }, domain, world.now - 11 * minuteMs);
    await sweep(world);
    expect(await standOf(domain)).toMatchObject({ owner: null });
  });

  it("claims the name of a verified domain again that has none, or ends the verification if another has it", async () => {
    const [mine, theirs] = [await newProject(), await newProject({}, otherShard())];
    const [lost, taken] = [fresh(), fresh()];
    for (const domain of [lost, taken]) await given(mine, domain, "VERIFIED");
    await control
      .prepare("DELETE FROM verified_domains WHERE project_id = ? AND domain <> ?")
      .bind(mine.id, mine.domain)
      .run();
    await add(worldWhere(), theirs, taken);
    const world = worldWhere();
    await sweep(world);
    expect(await standOf(lost)).toEqual({ verified: [mine.id], owner: mine.id });
    expect(await standOf(taken)).toEqual({ verified: [theirs.id], owner: theirs.id });
    expect(await rowOf(mine, taken)).toMatchObject({ status: "PENDING", next_check_at: world.now });
    expect(world.logged).toEqual(Array(2).fill("A verified domain had no claim to its name"));
  });

  it("leaves the names of a project to its erasure", async () => {
    const [project, world] = [await newProject(), worldWhere({ now: Date.now() + 30 * minuteMs })];
    await control.prepare("UPDATE projects SET deleted_at = 1 WHERE id = ?").bind(project.id).run();
    await control.prepare("DELETE FROM verified_domains WHERE project_id = ?").bind(project.id).run();
    await sweep(world);
    expect(await standOf(project.domain)).toEqual({ verified: [project.id], owner: null });
  });

  it("comes to all names page by page, tick after tick, by index", async () => {
    const project = await newProject();
    const names = Array.from({ length: 1_100 }, (_, n) => `p${String(n).padStart(4, "0")}-${project.domain}`);
    await control
      .prepare("INSERT INTO verified_domains SELECT value, ?, '' FROM json_each(?)")
      .bind(project.id, JSON.stringify(names))
      .run();
    const left = control.prepare("SELECT count(*) AS n FROM verified_domains WHERE project_id = ?").bind(project.id);
    const world = worldWhere();
    for (let tick = 0; tick < 3; tick++) await sweep(world);
    expect(await left.first("n")).toBe(1);
    await expectBounded(world.statements);
  });
});
