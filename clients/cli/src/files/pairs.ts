import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import type { Petrel } from "petrel-client";
import { Refusal } from "../command";
import type { Doc } from "./doc";
import type { Kind, ServerItem } from "./kind";
import { Names } from "./names";
import { segments } from "./segments";
import { freeName, slugOf } from "./slug";
import { type Standing, standingOf } from "./standing";
import { State } from "./state";
import { templates } from "./templates";
import { topics } from "./topics";
import { workflows } from "./workflows";

/** All kinds, in an order in which each kind needs only earlier ones. */
const kinds = [topics, segments, templates, workflows];

/** A file and the service's resource, one of which may be missing. */
export interface Pair {
  kind: Kind;
  file: string;
  local?: Doc;
  server?: ServerItem;
  standing: Standing;
}

export interface Desk {
  petrel: Petrel;
  names: Names;
  state: State;
  pairs: Pair[];
}

/** Reads all files and all resources of the service, and pairs them. Throws Refusal. */
export async function openDesk(petrel: Petrel, only: readonly string[]): Promise<Desk> {
  const { project } = await petrel.me.get();
  const [state, names] = [new State(project.id), new Names()];
  const keysById = new Map(state.entries().map(([, { id, keys = {} }]) => [id, keys]));
  const pairs: Pair[] = [];
  for (const kind of kinds) {
    const locals = readFiles(kind);
    const servers = await kind.list(petrel, names, (id) => keysById.get(id) ?? {});
    pairs.push(...pair(kind, locals, servers, state));
    if (kind.noun !== "workflow") for (const { name } of locals.values()) names.expect(kind.noun, name);
  }
  const isAsked = ({ file }: Pair) => only.length === 0 || only.some((path) => isWithin(file, path));
  return { petrel, names, state, pairs: pairs.filter(isAsked) };
}

function isWithin(file: string, path: string): boolean {
  const plain = path.replace(/^\.\//, "").replace(/\/+$/, "");
  return file === plain || file.startsWith(`${plain}/`);
}

function readFiles(kind: Kind): Map<string, Doc> {
  const found = new Map<string, Doc>();
  if (!existsSync(kind.folder)) return found;
  const fileOf = new Map<string, string>();
  for (const name of readdirSync(kind.folder).toSorted()) {
    if (!kind.extensions.includes(extname(name))) continue;
    const file = `${kind.folder}/${name}`;
    const doc = kind.parse(readFileSync(file, "utf8"), file);
    const other = fileOf.get(doc.name);
    if (other) throw new Refusal(`${other} and ${file} are both named ${doc.name}: give one another name`);
    fileOf.set(doc.name, file);
    found.set(file, doc);
  }
  return found;
}

/**
 * Pairs files with resources: by the id that a file was pulled from or pushed to, even when its name has changed, or
 * else by name.
 */
function pair(kind: Kind, locals: Map<string, Doc>, servers: ServerItem[], state: State): Pair[] {
  const open = new Map(servers.map((server) => [server.id, server]));
  const found = new Map<string, { local?: Doc; server?: ServerItem }>();
  const match = (file: string, local: Doc | undefined, server: ServerItem | undefined) => {
    if (server) open.delete(server.id);
    found.set(file, { ...(local && { local }), ...(server && { server }) });
  };
  for (const [file, { id }] of state.entries()) {
    if (!file.startsWith(`${kind.folder}/`) || id === undefined) continue;
    match(file, locals.get(file), open.get(id));
  }
  for (const [file, local] of locals) {
    if (found.has(file)) continue;
    match(
      file,
      local,
      [...open.values()].find(({ doc }) => doc.name === local.name),
    );
  }
  for (const server of open.values()) {
    const base = `${kind.folder}/${slugOf(server.doc.name, kind.noun)}`;
    const free = freeName(base, (name) => kind.extensions.some((extension) => found.has(name + extension)));
    match(free + kind.extensions[0], undefined, server);
  }
  return [...found].flatMap(([file, { local, server }]) => {
    const texts = [local, server?.doc].map((doc) => doc && kind.write(doc));
    const standing = standingOf(texts[0], texts[1], state.get(file));
    if (standing === null) state.set(file, undefined);
    return standing === null ? [] : [{ kind, file, ...(local && { local }), ...(server && { server }), standing }];
  });
}
