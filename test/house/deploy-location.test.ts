import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { AREA_NAMES, askLocation, JURISDICTION_NAMES } from "../../scripts/lib/data-location.mjs";
import { areas, jurisdictions } from "../../src/platform/objects";
import { closeCheckouts, openCheckout, widest } from "../support/deploy-checkout";

const secrets = ["ADMIN_TOKEN", "LINK_SECRETS", "WEBHOOK_SECRETS"];
const empty = { answers: { "r2 bucket list": {}, "r2 bucket list --jurisdiction eu": {} }, databases: [], secrets };
const second = '[[d1_databases]]\nbinding = "DB_01"\ndatabase_name = "petrel-01"\n';
const located = (location: string) => `[vars]\nDATA_LOCATION = "${location}"\n`;

afterEach(closeCheckouts);

/** Deploys a sandbox, and gives what it says on one line. */
async function deploy(checkout: ReturnType<typeof openCheckout>) {
  const { said, code } = await checkout.deploy(["--sandbox"]);
  expect(widest(said)).toBeLessThanOrEqual(80);
  const created = checkout.calls().filter((call) => /^(d1|r2 bucket) create/.test(call));
  return { said: said.replaceAll(/\s+/g, " "), code, created };
}

describe("the first deploy", () => {
  it("creates databases and the bucket near an area, and places the Worker beside them", async () => {
    const checkout = openCheckout(empty);
    checkout.write("petrel.toml", `${located("enam")}\n${second}`);
    const { created } = await deploy(checkout);
    expect(created).toEqual([
      "r2 bucket create --location enam petrel",
      "d1 create petrel --location enam",
      "d1 create petrel-01 --location enam",
    ]);
    const [config] = checkout.deployed();
    expect(config).toMatchObject({ placement: { region: "aws:us-east-1" }, vars: { DATA_LOCATION: "enam" } });
    expect(config.r2_buckets).toEqual([{ binding: "BLOBS", bucket_name: "petrel" }]);
    expect(checkout.read("petrel.toml")).toContain('location = "enam"');
  });

  it("keeps databases, objects and the bucket within the EU by one setting", async () => {
    const checkout = openCheckout(empty);
    checkout.write("petrel.toml", located("eu"));
    const { created } = await deploy(checkout);
    expect(created).toEqual(["r2 bucket create --jurisdiction eu petrel", "d1 create petrel --jurisdiction eu"]);
    expect(checkout.deployed()[0]).toMatchObject({
      placement: { region: "aws:eu-central-1" },
      r2_buckets: [{ binding: "BLOBS", bucket_name: "petrel", jurisdiction: "eu" }],
      // The Worker opens its objects by this.
      vars: { DATA_LOCATION: "eu" },
    });
  });

  it("looks for the bucket among those of the jurisdiction", async () => {
    const answers = { "r2 bucket list": {}, "r2 bucket list --jurisdiction eu": { stdout: "name:  petrel" } };
    const checkout = openCheckout({ ...empty, answers });
    checkout.write("petrel.toml", located("eu"));
    expect((await deploy(checkout)).created).toEqual(["d1 create petrel --jurisdiction eu"]);
  });

  it("leaves a [placement] of petrel.toml alone", async () => {
    const checkout = openCheckout(empty);
    checkout.write("petrel.toml", `${located("eu")}\n[placement]\nmode = "smart"\n`);
    await deploy(checkout);
    expect(checkout.deployed()[0].placement).toEqual({ mode: "smart" });
  });

  it("refuses without a location where nobody can be asked, and makes nothing", async () => {
    const checkout = openCheckout(empty);
    const { said, code } = await deploy(checkout);
    expect(code).toBe(1);
    expect(said).toContain("Set DATA_LOCATION under [vars] in petrel.toml: weur, eeur,");
    expect(checkout.calls().filter((call) => /create|deploy|apply|bulk/.test(call))).toEqual([]);
    expect(checkout.has("petrel.toml")).toBe(false);
  });

  it.each([located("mars"), '[deployed]\nlocation = "mars"\n'])(
    "refuses a location that there is not: %j",
    async (toml) => {
      const checkout = openCheckout(empty);
      checkout.write("petrel.toml", toml);
      const { said, code } = await deploy(checkout);
      expect(code).toBe(1);
      expect(said).toContain(
        "DATA_LOCATION is mars, which Cloudflare does not have. It can be weur (near western Europe),",
      );
      expect(said).toContain("One thing is in the way");
    },
  );

  it("can choose again when it broke off before there was a database", async () => {
    const checkout = openCheckout(empty);
    checkout.write("petrel.toml", `${located("eu")}\n[deployed]\nlocation = "weur"\n`);
    expect((await deploy(checkout)).created).toContain("d1 create petrel --jurisdiction eu");
    expect(checkout.read("petrel.toml")).toContain('location = "eu"');
  });

  it("remembers the location when it breaks off behind the first database", async () => {
    const answers = { ...empty.answers, "d1 create petrel-01 --jurisdiction eu": { code: 1, stderr: "no" } };
    const checkout = openCheckout({ ...empty, answers });
    checkout.write("petrel.toml", `${located("eu")}\n${second}`);
    expect((await deploy(checkout)).code).toBe(1);
    checkout.write("petrel.toml", checkout.read("petrel.toml").replace('DATA_LOCATION = "eu"', 'DATA_LOCATION = "us"'));
    expect((await deploy(checkout)).said).toContain("this installation was created with eu");
  });
});

describe("a later deploy", () => {
  const databases = [{ name: "petrel", uuid: "ours" }];
  const notes = (location: string) => `[deployed]\naccount = "acme"\nDB = "ours"\nlocation = "${location}"\n`;

  it("creates a further database where the first one is, also without the setting", async () => {
    const checkout = openCheckout({ ...empty, databases });
    checkout.write("petrel.toml", `${second}\n${notes("eu")}`);
    const { created } = await deploy(checkout);
    expect(created).toContain("d1 create petrel-01 --jurisdiction eu");
    expect(checkout.deployed()[0]).toMatchObject({
      vars: { DATA_LOCATION: "eu" },
      r2_buckets: [{ jurisdiction: "eu" }],
    });
  });

  it.each([
    ["weur", "eu"],
    ["eu", "weur"],
    ["weur", "oc"],
  ])("refuses to go from %s to %s", async (from, to) => {
    const checkout = openCheckout({ databases, secrets });
    checkout.write("petrel.toml", `${located(to)}\n${notes(from)}`);
    const { said, code } = await deploy(checkout);
    expect(code).toBe(1);
    expect(said).toContain(`DATA_LOCATION is ${to}, and this installation was created with ${from}`);
    expect(checkout.deployed()).toEqual([]);
  });

  it("refuses a jurisdiction for databases that were created without", async () => {
    const checkout = openCheckout({ databases, secrets });
    checkout.write("petrel.toml", `${located("eu")}\n[deployed]\naccount = "acme"\nDB = "ours"\n`);
    const { said, code } = await deploy(checkout);
    expect(code).toBe(1);
    expect(said).toContain("DATA_LOCATION is eu, and the database was created without a jurisdiction.");
  });

  it.each(["", located("weur"), located("us")])("believes the database when petrel.toml was lost: %j", async (toml) => {
    const checkout = openCheckout({ databases: [{ name: "petrel", uuid: "ours", jurisdiction: "eu" }], secrets });
    checkout.write("petrel.toml", toml);
    const { said, code } = await deploy(checkout);
    expect(code).toBe(1);
    expect(said).toContain('Set DATA_LOCATION = "eu" under [vars] in petrel.toml.');
    checkout.write("petrel.toml", located("eu"));
    expect((await deploy(checkout)).code).toBe(0);
  });

  it("believes the database more than the note", async () => {
    const checkout = openCheckout({ databases: [{ name: "petrel", uuid: "ours", jurisdiction: null }], secrets });
    checkout.write("petrel.toml", notes("eu"));
    expect((await deploy(checkout)).said).toContain("the database was created without a jurisdiction");
  });

  it("takes an area for databases that were created without, and leaves them where they are", async () => {
    const checkout = openCheckout({ databases, secrets });
    checkout.write("petrel.toml", `${located("weur")}\n[deployed]\naccount = "acme"\nDB = "ours"\n`);
    expect(await deploy(checkout)).toMatchObject({ code: 0, created: [] });
    expect(checkout.deployed()[0]).toMatchObject({ placement: { region: "aws:eu-central-1" } });
  });

  it("asks nothing when the databases are there, and places nothing", async () => {
    const checkout = openCheckout({ databases, secrets });
    expect((await deploy(checkout)).code).toBe(0);
    expect(checkout.deployed()[0]).not.toHaveProperty("placement");
    expect(checkout.read("petrel.toml")).not.toMatch(/^location/m);
  });
});

describe("the question in a terminal", () => {
  it.each([
    ["7\n", "eu"],
    ["weur\n", "weur"],
    ["mars\n0\n EU \n", "eu"],
    ["", undefined],
  ])("is asked until it is answered: %j", async (typed, answer) => {
    const input = new PassThrough();
    const output = new PassThrough();
    input.end(typed);
    expect(await askLocation({ input, output })).toBe(answer);
    output.end();
    const said = await text(output);
    expect(widest(said)).toBeLessThanOrEqual(80);
    expect(said).toMatch(/It cannot\s+be changed later/);
    for (const name of [...areas, ...jurisdictions]) expect(said).toMatch(new RegExp(`\\d  ${name} `));
  });
});

it("knows every location that the Worker knows", () => {
  expect(AREA_NAMES.toSorted()).toEqual(areas.toSorted());
  expect(JURISDICTION_NAMES.toSorted()).toEqual(jurisdictions.toSorted());
});
