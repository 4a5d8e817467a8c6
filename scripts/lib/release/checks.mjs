import { existsSync, readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { breaksOf } from "../additive.mjs";

/** The licences that packages may have to be part of what is deployed. */
const LICENCES = ["MIT", "MIT-0", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "CC0-1.0", "Unlicense"];

/**
 * Checks that run nothing, by name. Each check takes the release, `{ root, version, today, git, lastRelease }`, and
 * returns what is wrong and how to fix it. `git` returns a command's output, or null when the command fails.
 */
export const CHECKS = {
  Version: versionFaults,
  Commit: commitFaults,
  "Named versions": namedVersionFaults,
  "CHANGELOG.md": changelogFaults,
  "Last release": lastReleaseFaults,
  Migrations: migrationFaults,
  Packages: packageFaults,
};

/** Returns the newest release tag before this commit; null before the first one. */
export function lastTag({ git }) {
  return git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*");
}

function versionFaults({ version, git, ...release }) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`${version} is no version. Write it as 1.2.3.`];
  const before = lastTag({ git, ...release });
  const isOlder = before !== null && compare(version, before.slice(1)) <= 0;
  return [
    ...(git("rev-parse", "--verify", "--quiet", `refs/tags/v${version}`) === null
      ? []
      : [`The tag v${version} is there already. Choose the next version.`]),
    ...(isOlder ? [`${version} is not newer than ${before}, the last release.`] : []),
  ];
}

function compare(one, other) {
  return one.localeCompare(other, "en", { numeric: true });
}

function commitFaults({ git }) {
  const branch = git("rev-parse", "--abbrev-ref", "HEAD");
  return [
    ...(git("status", "--porcelain") === "" ? [] : ["The working tree has changes. Commit them, or put them away."]),
    ...(branch === "main" ? [] : [`The branch is ${branch}. Releases are commits of main: git switch main.`]),
    ...(git("rev-parse", "--is-shallow-repository") === "true"
      ? ["The clone is shallow, so the last release cannot be seen. Run git fetch --unshallow --tags."]
      : []),
  ];
}

function namedVersionFaults({ root, version }) {
  const json = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));
  const lock = json("package-lock.json");
  const named = {
    "package.json": json("package.json").version,
    "package-lock.json": lock.version,
    'package-lock.json, packages[""]': lock.packages[""].version,
    "clients/node/package.json": json("clients/node/package.json").version,
    "clients/cli/package.json": json("clients/cli/package.json").version,
    "src/core/product-version.ts, which the OpenAPI document shows,": readFileSync(
      join(root, "src/core/product-version.ts"),
      "utf8",
    ).match(/productVersion = "([^"]*)"/)?.[1],
  };
  return Object.entries(named)
    .filter(([, found]) => found !== version)
    .map(([file, found]) => `${file} says ${found}. Write ${version} there.`);
}

/** Returns the text below the heading of a version; null without one. */
export function changelogSection(root, version) {
  const sections = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## [${version}]`));
  if (section === undefined) return null;
  const [heading, ...lines] = section.split("\n");
  return { heading, text: lines.join("\n").trim() };
}

function changelogFaults({ root, version, today }) {
  const section = changelogSection(root, version);
  const wanted = `## [${version}] - ${today}`;
  if (section === null) return [`It has no section of this version. Begin one with "${wanted}".`];
  const open = changelogSection(root, "Unreleased");
  return [
    ...(section.heading === wanted ? [] : [`The section begins with "${section.heading}". Write "${wanted}".`]),
    ...(section.text === "" ? ["The section is empty. Say what users can see change."] : []),
    ...(open === null || open.text === "" ? [] : [`[Unreleased] still has lines. Move them to [${version}].`]),
  ];
}

async function lastReleaseFaults({ git, lastRelease, ...release }) {
  const tag = lastTag({ git, ...release });
  if (tag !== null && lastRelease.commit !== tag) {
    return [`scripts/lib/last-release.mjs names ${lastRelease.commit}, and the last release is ${tag}. Write that.`];
  }
  const names = migrationsAt(git, lastRelease.commit);
  if (names === null)
    return [`This clone lacks ${lastRelease.commit}, the last release. Run git fetch --unshallow --tags.`];
  const newest = names.at(-1);
  const file = "scripts/lib/last-release.mjs";
  const faults =
    newest === lastRelease.migration
      ? []
      : [`${file} names ${lastRelease.migration}, and ${lastRelease.commit} ends with ${newest}.`];
  for (const [object, { path, name }] of Object.entries(OBJECT_TABLES)) {
    const [named, found] = [lastRelease.objectTables[object], await versionAt(git, lastRelease.commit, path, name)];
    if (named === found) continue;
    faults.push(
      `${file} says that a ${object} has tables of version ${named}, and in ${lastRelease.commit} it is ${found}.`,
    );
  }
  return faults;
}

/** The files with the tables of each kind of object. They only import types. */
const OBJECT_TABLES = {
  gate: { path: "src/platform/gate-tables.ts", name: "gateMigrations" },
  shard: { path: "src/engine/workflows/shard/tables.ts", name: "shardMigrations" },
};

/** Returns the version of an object's tables in a commit: its number of migrations. */
async function versionAt(git, commit, path, name) {
  const text = git("show", `${commit}:${path}`);
  if (text === null) return 0;
  const module = await import(`data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(text))}`);
  return module[name].length;
}

/** Returns the migrations of a commit, in order; null when the clone lacks the commit. */
function migrationsAt(git, commit) {
  const listed = git("ls-tree", "--name-only", commit, "migrations/");
  if (listed === null) return null;
  const names = listed.split("\n").map((path) => path.replace("migrations/", ""));
  return names.filter((name) => name.endsWith(".sql")).toSorted();
}

function migrationFaults({ root, git, lastRelease: { commit, unused } }) {
  const released = migrationsAt(git, commit);
  // The check of the last release reports a commit that is missing.
  if (released === null) return [];
  const folder = join(root, "migrations");
  const text = (name) => readFileSync(join(folder, name), "utf8");
  const isKept = (name) =>
    existsSync(join(folder, name)) && git("show", `${commit}:migrations/${name}`) === text(name).trim();
  const changed = released.filter((name) => !isKept(name));
  if (changed.length > 0) {
    return changed.map((name) => `${name} is not what it was in ${commit}. Databases have had it: put it back.`);
  }
  const later = readdirSync(folder).filter((name) => name.endsWith(".sql") && !released.includes(name));
  return breaksOf(
    released.map(text),
    later.toSorted().map((name) => ({ name, sql: text(name) })),
    unused,
  );
}

function packageFaults({ root }) {
  const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));
  const [own, lock] = [read("package.json"), read("package-lock.json")];
  const kinds = ["dependencies", "devDependencies", "optionalDependencies"];
  const wanted = kinds.flatMap((kind) => Object.entries(own[kind] ?? {}).map((entry) => [kind, ...entry]));
  const unlocked = wanted.filter(([kind, name, version]) => lock.packages[""][kind]?.[name] !== version);
  const loose = wanted.filter(([, , version]) => !/^\d+\.\d+\.\d+/.test(version));
  const deployed = Object.entries(lock.packages).filter(
    ([path, { dev, optional }]) => path !== "" && !dev && !optional,
  );
  const strange = deployed.filter(
    ([, { license = "unknown" }]) => !license.split(" OR ").some((one) => LICENCES.includes(one)),
  );
  return [
    ...unlocked.map(([, name]) => `package-lock.json does not have ${name} as package.json asks. Run npm install.`),
    ...loose.map(([, name, version]) => `${name} is asked for as ${version}. Name one version.`),
    ...strange.map(
      ([path, { license = "unknown" }]) => `${path} has the licence ${license}, which is not known to suit ours.`,
    ),
  ];
}
