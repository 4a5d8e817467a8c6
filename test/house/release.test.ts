import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CHECKS } from "../../scripts/lib/release/checks.mjs";
import { ciLogFaults } from "../../scripts/lib/release/ci-log.mjs";

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

const json = JSON.stringify;
const own = { version: "1.1.0", dependencies: { hono: "4.0.0" }, devDependencies: { vitest: "5.0.0" } };
const locked = {
  "": own,
  "node_modules/hono": { license: "MIT OR Apache-2.0" },
  "node_modules/vitest": { license: "ours", dev: true },
};
const lock = { version: "1.1.0", packages: locked };
const section = "## [1.1.0] - 2026-12-01\n\n- **Mail** is blue.\n\n";

/** What a checkout of 1.1.0 has that is ready for its release. */
const sound: Record<string, string> = {
  "package.json": json(own),
  "package-lock.json": json(lock),
  "clients/node/package.json": json({ version: "1.1.0" }),
  "clients/cli/package.json": json({ version: "1.1.0" }),
  "src/core/product-version.ts": 'export const productVersion = "1.1.0";\n',
  "CHANGELOG.md": `# Changelog\n\n## [Unreleased]\n\n${section}## [1.0.0] - 2026-11-01\n\n- All.\n`,
  "migrations/0000_tables.sql": "CREATE TABLE mails (id TEXT, status TEXT);\n",
  "migrations/0001_colours.sql": "ALTER TABLE mails ADD COLUMN colour TEXT;\n",
};

interface Checkout {
  /** Files of the commit, other than those that are sound. */
  files?: Record<string, string>;
  /** What happens after the commit. */
  after?: (git: (...args: string[]) => string | null, root: string) => void;
  version?: string;
  lastRelease?: {
    commit?: string;
    migration?: string;
    unused?: string[];
    objectTables?: { gate: number; shard: number };
  };
}

/** What the checks say of a checkout whose last release is 1.0.0. */
async function faultsOf({ files = {}, after = () => {}, version = "1.1.0", lastRelease = {} }: Checkout) {
  const root = mkdtempSync(join(tmpdir(), "petrel-release-"));
  homes.push(root);
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@acme.example", "-c", "commit.gpgSign=false"];
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync("git", [...identity, ...args], { cwd: root, encoding: "utf8" });
    return status === 0 ? stdout.trim() : null;
  };
  const commit = (written: Record<string, string>) => {
    for (const [file, text] of Object.entries(written)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    git("add", "--all");
    git("commit", "--message", "A commit");
  };
  git("init", "--initial-branch", "main");
  commit({
    "migrations/0000_tables.sql": sound["migrations/0000_tables.sql"] ?? "",
    "src/platform/gate-tables.ts": `import type { Tables } from "./tables";\nexport const gateMigrations: Tables = [[], []];`,
    "src/engine/workflows/shard/tables.ts": "export const shardMigrations: readonly string[][] = [[]];",
  });
  git("tag", "--annotate", "v1.0.0", "--message", "1.0.0");
  commit({ ...sound, ...files });
  after(git, root);
  const last = {
    commit: "v1.0.0",
    migration: "0000_tables.sql",
    unused: [],
    objectTables: { gate: 2, shard: 1 },
    ...lastRelease,
  };
  const release = { root, version, today: "2026-12-01", git, lastRelease: last };
  const found = [];
  for (const [name, check] of Object.entries(CHECKS)) {
    found.push(...(await check(release)).map((fault) => `${name}: ${fault}`));
  }
  return found;
}

describe("a release", () => {
  it("may be made of a sound checkout", async () => {
    expect(await faultsOf({})).toEqual([]);
  });

  it.each<[what: string, checkout: Checkout, fault: string]>([
    ["of no version", { version: "next" }, "Version: next is no version. Write it as 1.2.3."],
    ["that is there", { after: (git) => git("tag", "v1.1.0", "HEAD~1") }, "Version: The tag v1.1.0 is there already"],
    ["that is older than the last one", { version: "0.9.0" }, "Version: 0.9.0 is not newer than v1.0.0"],
    [
      "of a tree with changes",
      { after: (_, root) => writeFileSync(join(root, "new.ts"), "") },
      "Commit: The working tree has changes",
    ],
    ["of another branch", { after: (git) => git("switch", "--create", "blue") }, "Commit: The branch is blue"],
    [
      "whose client has another version",
      { files: { "clients/node/package.json": json({ version: "1.0.0" }) } },
      "Named versions: clients/node/package.json says 1.0.0. Write 1.1.0 there.",
    ],
    [
      "whose document shows another version",
      { files: { "src/core/product-version.ts": 'export const productVersion = "1.0.0";' } },
      "which the OpenAPI document shows, says 1.0.0",
    ],
    [
      "without its section of the changelog",
      { files: { "CHANGELOG.md": "# Changelog\n" } },
      'CHANGELOG.md: It has no section of this version. Begin one with "## [1.1.0] - 2026-12-01".',
    ],
    [
      "whose section has no date yet",
      { files: { "CHANGELOG.md": section.replace("2026-12-01", "Unreleased") } },
      'CHANGELOG.md: The section begins with "## [1.1.0] - Unreleased"',
    ],
    [
      "with changes that are in no section",
      { files: { "CHANGELOG.md": `## [Unreleased]\n\n- More.\n\n${section}` } },
      "CHANGELOG.md: [Unreleased] still has lines",
    ],
    ["that is not tested beside the last one", { lastRelease: { commit: "HEAD~1" } }, "Last release: scripts/lib"],
    [
      "whose last release ends elsewhere",
      { lastRelease: { migration: "0007_more.sql" } },
      "and v1.0.0 ends with 0000_tables.sql",
    ],
    [
      "whose last release has other tables of objects",
      { lastRelease: { objectTables: { gate: 2, shard: 3 } } },
      "says that a shard has tables of version 3, and in v1.0.0 it is 1.",
    ],
    [
      "that changes a migration that is out",
      { files: { "migrations/0000_tables.sql": "CREATE TABLE mails (id TEXT, status TEXT, colour TEXT);" } },
      "Migrations: 0000_tables.sql is not what it was in v1.0.0",
    ],
    [
      "that drops what the last one reads",
      { files: { "migrations/0002_drop.sql": "ALTER TABLE mails DROP COLUMN status;" } },
      "Migrations: 0002_drop.sql takes away the column mails.status",
    ],
    [
      "with a package that is not pinned",
      { files: { "package.json": json({ ...own, dependencies: { hono: "^4.0.0" } }) } },
      "Packages: hono is asked for as ^4.0.0. Name one version.",
    ],
    [
      "with a package of an unknown licence",
      { files: { "package-lock.json": json({ ...lock, packages: { ...locked, "node_modules/mine": {} } }) } },
      "Packages: node_modules/mine has the licence unknown",
    ],
  ])("%s is refused, with what mends it", async (_, checkout, fault) => {
    expect((await faultsOf(checkout)).join("\n")).toContain(fault);
  });

  it("may drop what the last one no longer names", async () => {
    const files = { "migrations/0002_drop.sql": "ALTER TABLE mails DROP COLUMN status;" };
    expect(await faultsOf({ files, lastRelease: { unused: ["mails.status"] } })).toEqual([]);
  });

  it.each<[what: string, log: string | null, fault: string | null]>([
    ["of this commit", `commit ${"a".repeat(40)}\nok\n1200 passed, 0 failed\n`, null],
    ["with the time before each line", `09:00 commit ${"a".repeat(40)}\n09:20 1200 passed, 0 failed\n`, null],
    ["of another commit", `commit ${"b".repeat(40)}\n1200 passed, 0 failed\n`, "The log is of the commit bbbb"],
    ["of a tree with changes", `commit ${"a".repeat(40)} with changes\n9 passed, 0 failed\n`, "had changes"],
    ["that failed", `commit ${"a".repeat(40)}\n1199 passed, 1 failed\n`, "ends with 1199 passed, 1 failed"],
    ["that broke off", `commit ${"a".repeat(40)}\nok\n`, "is no whole log of CI"],
    ["that is not there", null, "cannot be read"],
  ])("takes a log of CI %s as it is", async (_, log, fault) => {
    const root = mkdtempSync(join(tmpdir(), "petrel-release-"));
    homes.push(root);
    if (log !== null) writeFileSync(join(root, "ci.log"), log);
    const found = await ciLogFaults(join(root, "ci.log"), { git: () => "a".repeat(40) });
    expect(found).toEqual(fault === null ? [] : [expect.stringContaining(fault)]);
  });
});
