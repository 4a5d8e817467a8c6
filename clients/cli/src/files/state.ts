import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../command";

/** What a file and the service said when they last said the same. The service may write some of it in another way. */
export interface Entry {
  /** Absent while the service is being asked to create it. */
  id?: string;
  /** Hashes. */
  file: string;
  server: string;
  /** The ids that steps have as keys, by what the file calls them. */
  keys?: Record<string, string>;
}

const stateFile = join(".petrel", "state.json");

/** Remembers what each file was pulled from or pushed to, by project. It belongs into git with the files. */
export class State {
  readonly #all: Record<string, Record<string, Entry>>;
  readonly #entries: Record<string, Entry>;

  constructor(projectId: string) {
    this.#all = readAll();
    this.#entries = this.#all[projectId] ?? {};
    this.#all[projectId] = this.#entries;
  }

  get(file: string): Entry | undefined {
    return this.#entries[file];
  }

  entries(): [file: string, entry: Entry][] {
    return Object.entries(this.#entries);
  }

  /** Written at once, so that a command that dies is continued by the next. Undefined forgets the file. */
  set(file: string, entry: Entry | undefined): void {
    if (JSON.stringify(this.#entries[file]) === JSON.stringify(entry)) return;
    if (entry) this.#entries[file] = entry;
    else delete this.#entries[file];
    mkdirSync(dirname(stateFile), { recursive: true });
    writeFileSync(`${stateFile}.new`, `${JSON.stringify(this.#all, sorted, 2)}\n`);
    renameSync(`${stateFile}.new`, stateFile);
  }
}

function readAll(): Record<string, Record<string, Entry>> {
  if (!existsSync(stateFile)) return {};
  try {
    return JSON.parse(readFileSync(stateFile, "utf8"));
  } catch {
    throw new Refusal(`${stateFile} cannot be read: take it from git again, or delete it and run petrel pull`);
  }
}

/** Keeps the order of keys the same, so that git merges what two people have pushed. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}
