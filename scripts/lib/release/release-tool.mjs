import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { lastRelease } from "../last-release.mjs";
import { ROOT } from "../paths.mjs";
import { bold, green, red, wrapped } from "../screen.mjs";
import { showTool } from "../tools.mjs";
import { CHECKS, changelogSection } from "./checks.mjs";
import { ciLogFaults } from "./ci-log.mjs";
import { readNext } from "./next.mjs";

// Runs on the lockfile's Node, which has SQLite: see commands/release.mjs.

const { values, positionals } = parseArgs({
  options: { tag: { type: "boolean", default: false }, ci: { type: "string" } },
  allowPositionals: true,
});
const [version = ""] = positionals;

function git(...args) {
  const { status, stdout } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 });
  return status === 0 ? stdout.trim() : null;
}

/** Prints the result of a check. Returns whether it passed. */
function tell(name, faults) {
  console.log(`${faults.length === 0 ? green("ok    ") : red("failed")}  ${name}`);
  for (const fault of faults) console.log(`        ${wrapped(fault, "        ")}`);
  return faults.length === 0;
}

/** Runs one of our scripts on the terminal. */
async function passes(name, script, args = []) {
  console.log(`\n${bold(name)}`);
  const code = await showTool(`../../${script}`, args);
  return tell(name, code === 0 ? [] : [`node ${script} ended with ${code}.`]);
}

const today = new Date().toISOString().slice(0, 10);
const release = { root: ROOT, version, today, git, lastRelease };
const looked = [];
for (const [name, check] of Object.entries(CHECKS)) looked.push(tell(name, await check(release)));
if (values.ci) looked.push(tell("Log of CI", await ciLogFaults(values.ci, release)));
if (looked.includes(false)) {
  console.log(`\n${wrapped("Nothing was run, and no tag made. Mend this first, and run it again.", "")}`);
  process.exit(1);
}
const ran = [
  await passes("Check", "scripts/check.mjs"),
  await passes("Two versions side by side", "test/upgrades/run.mjs"),
  values.ci ? tell(`Tests: ${values.ci}`, []) : await passes("Tests", "scripts/test.mjs", ["--all"]),
];
if (ran.includes(false)) process.exit(1);

if (!values.tag) {
  console.log(`\nThis commit can be ${version}. With --tag, the tag v${version} is made.`);
  process.exit(0);
}
const message = [
  `Petrel ${version}`,
  changelogSection(ROOT, version).text,
  ...(values.ci ? [`Tests: ${values.ci}`] : []),
].join("\n\n");
// A line of the changelog that begins with # is not a comment.
const made = git("tag", "--annotate", "--cleanup=whitespace", `v${version}`, "--message", message);
if (made === null) {
  console.log(red(`git could not make the tag v${version}.`));
  process.exit(1);
}
console.log(`\nThe tag v${version} is made, and nothing was pushed. To publish it:\n`);
console.log(`  ${bold(`git push origin main v${version}`)}\n`);
console.log("The next commit writes this into scripts/lib/last-release.mjs:\n");
console.log(await readNext(version));
