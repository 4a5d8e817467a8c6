import { ConflictError, PetrelError, VersionMismatchError } from "petrel-client";
import colours from "picocolors";
import { type Command, type Given, Refusal, UsageError } from "../command";
import { impactOf } from "../files/impact";
import type { Leaving } from "../files/kind";
import { type Desk, openDesk, type Pair } from "../files/pairs";
import { showDifference } from "../files/show";
import { hashOf } from "../files/state";
import { namesIn } from "../files/workflow-doc";
import { counted, say, warn } from "../screen";
import { openPetrel } from "../settings";

export const push: Command = {
  summary: "Bring the files here to the service",
  usage: "[files or folders] [--dry-run]",
  about:
    "Creates and changes templates, segments, topics and workflows. What is only on the service stays there. When somebody\n" +
    "else has changed it since you pulled, nothing is pushed.",
  options: {
    "dry-run": { type: "boolean", about: "Show what would change, and who would be moved" },
    force: { type: "boolean", about: "Overwrite what others have changed since you pulled" },
    "move-to": { type: "string", value: "step", about: "Where executions go whose step a workflow no longer has" },
    "end-executions": { type: "boolean", about: "End such executions" },
  },
  examples: ["petrel push --dry-run", "petrel push templates", "petrel push workflows/welcome.yaml --move-to help"],
  async run(given) {
    const leaving = leavingOf(given);
    const desk = await openDesk(openPetrel(), given.words);
    insistOnNames(desk);
    const mine = inOrderOfNeed(desk.pairs.filter((pair) => isToPush(pair, given.has("force"))));
    insistOnNoConflict(desk.pairs, given.has("force"));
    tellOthers(desk.pairs);
    for (const pair of desk.pairs) if (pair.standing === "same") adopt(desk, pair);
    if (mine.length === 0) return said(`${colours.green("✓")} Nothing to push: the service has what is here`);
    const stranded = await show(desk, mine, leaving);
    if (given.has("dry-run")) return said(`\nNothing was changed: ${counted(mine.length, "file")} would be pushed`);
    if (stranded > 0) {
      const who = `${counted(stranded, "execution")} ${stranded === 1 ? "is" : "are"} at steps that would go`;
      throw new Refusal(`${who}, so nothing was pushed. Say --move-to <step>, or --end-executions`);
    }
    for (const pair of mine) await pushOne(desk, pair, leaving);
    return said(`${colours.green("✓")} ${counted(mine.length, "file")} pushed`);
  },
};

function said(text: string): number {
  say(text);
  return 0;
}

function leavingOf(given: Given): Leaving {
  const [moveTo, isForced] = [given.text("move-to"), given.has("end-executions")];
  if (moveTo !== undefined && isForced) throw new UsageError("Say either --move-to or --end-executions");
  return { moveTo, isForced };
}

function isToPush({ standing }: Pair, isForced: boolean): boolean {
  if (standing === "changed here" || standing === "new here") return true;
  return isForced && (standing === "changed on both sides" || standing === "deleted there");
}

/** Throws Refusal for a reference to something unknown, before anything is pushed. */
function insistOnNames({ names, pairs }: Desk): void {
  for (const { kind, local, file } of pairs) {
    if (!local) continue;
    if (typeof local.topic === "string") names.insistOn("topic", local.topic, file);
    for (const segment of kind.needs?.(local) ?? []) names.insistOn("segment", segment, file);
    if (kind.noun !== "workflow") continue;
    const needed = namesIn(local);
    for (const name of needed.templates) names.insistOn("template", name, file);
    for (const name of needed.segments) names.insistOn("segment", name, file);
  }
}

function insistOnNoConflict(pairs: Pair[], isForced: boolean): void {
  if (isForced) return;
  const faults = pairs.flatMap(({ file, standing }) => {
    if (standing === "changed on both sides")
      return [`${file}: somebody else changed it on the service since you pulled`];
    return standing === "deleted there" ? [`${file}: somebody else deleted it on the service`] : [];
  });
  if (faults.length === 0) return;
  throw new Refusal(
    `Nothing was pushed:\n\n  ${faults.join("\n  ")}\n\n` +
      "petrel diff shows the difference. Take the service's with petrel pull --force and bring yours in again, or overwrite it with petrel push --force.",
  );
}

function tellOthers(pairs: Pair[]): void {
  const newer = pairs.filter(({ standing }) => standing === "changed there" || standing === "new there");
  if (newer.length > 0) warn(`The service has ${counted(newer.length, "newer one")}: petrel pull brings them here`);
  for (const { file, standing } of pairs)
    if (standing === "deleted here") warn(`${file} is gone here, and stays on the service until you delete it there`);
}

/** Returns pairs in an order in which segments come after the segments that they name. */
function inOrderOfNeed(pairs: Pair[]): Pair[] {
  const sorted: Pair[] = [];
  const add = (pair: Pair, path: Pair[]) => {
    if (sorted.includes(pair)) return;
    if (path.includes(pair)) throw new Refusal(`${path.map(({ file }) => file).join(", ")}: they ask for one another`);
    for (const name of (pair.local && pair.kind.needs?.(pair.local)) ?? []) {
      const needed = pairs.find(({ kind, local }) => kind === pair.kind && local?.name === name);
      if (needed) add(needed, [...path, pair]);
    }
    sorted.push(pair);
  };
  for (const pair of pairs) add(pair, []);
  return sorted;
}

/** Shows every change. Returns how many executions would be left without a step. */
async function show({ petrel, names }: Desk, pairs: Pair[], leaving: Leaving): Promise<number> {
  let stranded = 0;
  for (const pair of pairs) {
    const { kind, file, local, server } = pair;
    say(`${server ? colours.yellow("~ change") : colours.green("+ create")}  ${colours.bold(file)}`);
    if (local && server) showDifference(kind.write(server.doc), kind.write(local));
    const impact = await impactOf(petrel, names, pair, leaving);
    for (const line of impact.lines) say(`  ${colours.cyan("→")} ${line}`);
    stranded += impact.stranded;
  }
  return stranded;
}

/** Records that the file and the service agree. */
function adopt({ state }: Desk, { kind, file, local, server }: Pair): void {
  if (!local || !server || state.get(file)?.id === server.id) return;
  remember(state, file, { local: kind.write(local), server: kind.write(server.doc), id: server.id, keys: server.keys });
}

async function pushOne({ petrel, names, state }: Desk, pair: Pair, leaving: Leaving): Promise<void> {
  const { kind, file, local, server: had } = pair;
  if (!local) return;
  const text = kind.write(local);
  if (had) await insistOnUnchanged({ petrel, names }, pair, had);
  else state.set(file, { file: hashOf(text), server: "" });
  const call = had
    ? kind.update(petrel, names, { had, doc: local, file, leaving })
    : kind.create(petrel, names, local, file);
  const saved = await call.catch((error) => {
    if (isOvertaken(error)) throw overtaken(file);
    if (error instanceof PetrelError) error.message = `${file}: ${error.message}`;
    throw error;
  });
  remember(state, file, { local: text, server: kind.write(saved.doc), id: saved.id, keys: saved.keys });
}

/** Whether somebody has changed the resource during this push. Only a workflow reports that by a conflict. */
function isOvertaken(error: unknown): boolean {
  return error instanceof VersionMismatchError || (error instanceof ConflictError && "version" in error.details);
}

function overtaken(file: string): Refusal {
  return new Refusal(`${file}: somebody else has changed it on the service just now. Run petrel push again`);
}

/** Reads a resource without versions again before it is changed, because the change cannot name a version. */
async function insistOnUnchanged(
  { petrel, names }: Pick<Desk, "petrel" | "names">,
  { kind, file }: Pair,
  had: NonNullable<Pair["server"]>,
): Promise<void> {
  if (had.version !== undefined) return;
  const now = await kind.read(petrel, names, had);
  if (kind.write(now.doc) !== kind.write(had.doc)) throw overtaken(file);
}

function remember(
  state: Desk["state"],
  file: string,
  {
    local,
    server,
    id,
    keys = {},
  }: { local: string; server: string; id: string; keys?: Record<string, string> | undefined },
): void {
  const entry = { id, file: hashOf(local), server: hashOf(server) };
  state.set(file, Object.keys(keys).length > 0 ? { ...entry, keys } : entry);
}
