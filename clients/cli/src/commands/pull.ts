import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import colours from "picocolors";
import { type Command, Refusal } from "../command";
import type { Doc } from "../files/doc";
import { type Desk, openDesk, type Pair } from "../files/pairs";
import { showDifference } from "../files/show";
import { hashOf } from "../files/state";
import { readFrontMatter, writeFrontMatter } from "../front-matter";
import { htmlOf } from "../markdown";
import { counted, say, warn } from "../screen";
import { openPetrel } from "../settings";

export const pull: Command = {
  summary: "Bring what the service has into files here",
  usage: "[files or folders] [--dry-run]",
  about: "What you have changed here stays as it is. When it was changed on the service as well, nothing is pulled.",
  options: {
    "dry-run": { type: "boolean", about: "Show what would change" },
    force: { type: "boolean", about: "Overwrite what you have changed here" },
  },
  examples: ["petrel pull", "petrel pull templates --dry-run"],
  async run(given) {
    const desk = await openDesk(openPetrel(), given.words);
    const isForced = given.has("force");
    insistOnNoConflict(desk.pairs, isForced);
    const theirs = desk.pairs.filter((pair) => isToPull(pair, isForced));
    for (const pair of desk.pairs) if (pair.standing === "same") remember(desk, pair, pair.file);
    for (const pair of theirs) show(pair);
    for (const { file, standing } of desk.pairs)
      if (standing === "deleted here" && !isForced) warn(`${file} is gone here, and still on the service`);
    if (given.has("dry-run")) say(`\nNothing was changed: ${counted(theirs.length, "file")} would be written`);
    else if (theirs.length === 0) say(`${colours.green("✓")} Nothing to pull: the files have what the service has`);
    else {
      for (const pair of theirs) pullOne(desk, pair);
      say(`${colours.green("✓")} ${counted(theirs.length, "file")} pulled`);
    }
    return 0;
  },
};

function isToPull({ standing }: Pair, isForced: boolean): boolean {
  if (standing === "new there" || standing === "changed there" || standing === "deleted there") return true;
  return isForced && ["changed on both sides", "changed here", "deleted here"].includes(standing);
}

function insistOnNoConflict(pairs: Pair[], isForced: boolean): void {
  const faults = pairs.filter(({ standing }) => standing === "changed on both sides").map(({ file }) => file);
  if (isForced || faults.length === 0) return;
  throw new Refusal(
    `Nothing was pulled. These were changed here and on the service:\n\n  ${faults.join("\n  ")}\n\n` +
      "petrel diff shows the difference. petrel pull --force takes the service's, petrel push --force takes yours.",
  );
}

function show({ kind, file, local, server }: Pair): void {
  if (!server) {
    say(`${colours.red("- delete")}  ${colours.bold(file)}`);
    return;
  }
  say(`${local ? colours.yellow("~ change") : colours.green("+ create")}  ${colours.bold(file)}`);
  if (local) showDifference(kind.write(local), kind.write(server.doc));
}

function pullOne(desk: Desk, pair: Pair): void {
  const { kind, file, server } = pair;
  if (!server) {
    rmSync(file, { force: true });
    desk.state.set(file, undefined);
    return;
  }
  mkdirSync(kind.folder, { recursive: true });
  const kept = file.endsWith(".md") ? asMarkdown(file, server.doc) : kind.write(server.doc);
  if (kept !== null) {
    writeFileSync(file, kept);
    remember(desk, pair, file);
    return;
  }
  const html = file.replace(/\.md$/, ".html");
  writeFileSync(html, kind.write(server.doc));
  rmSync(file);
  desk.state.set(file, undefined);
  warn(`${file} is ${html} now: its HTML was changed on the service, which has no Markdown of it`);
  remember(desk, pair, html);
}

/** Returns the file with the service's fields and its own Markdown; null when the service has another body now. */
function asMarkdown(file: string, { body, ...fields }: Doc): string | null {
  if (!existsSync(file)) return null;
  const own = readFrontMatter(readFileSync(file, "utf8"), file).body;
  return htmlOf(own).trimEnd() === String(body).trimEnd() ? writeFrontMatter({ fields, body: own }) : null;
}

function remember({ state }: Desk, { kind, server }: Pair, file: string): void {
  if (!server) return;
  const [hash, { keys = {} }] = [hashOf(kind.write(server.doc)), server];
  if (state.get(file)?.server === hash && state.get(file)?.id === server.id) return;
  const entry = { id: server.id, file: hash, server: hash };
  state.set(file, Object.keys(keys).length > 0 ? { ...entry, keys } : entry);
}
