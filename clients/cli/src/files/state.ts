import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../command";

/**
 * The contents of a file and of the service when they last agreed. The two texts can differ, because the service may
 * write some values in another way.
 */
export interface Entry {
  /** The id of the resource; absent while the service is asked to create the resource. */
  id?: string;
  /** Hashes of the two texts. */
  file: string;
  server: string;
  /** The keys of steps whose key is an id, by their names in the file. */
  keys?: Record<string, string>;
}

const stateFile = join(".petrel", "state.json");

/** Records, by project, what each file was pulled from or pushed to. It should be committed to git with the files. */
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

  /**
   * Sets the entry of a file; undefined removes the entry. Writes the state at once, so that the next command can
   * continue after one that has died.
   */
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

/** Sorts keys, so that git can merge what two people have pushed. */
function sorted(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}
