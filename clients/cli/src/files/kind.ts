import type { Petrel } from "petrel-client";
import type { Doc } from "./doc";
import type { Names } from "./names";

export interface ServerItem {
  id: string;
  doc: Doc;
  /** The keys of steps that have an id as their key, by what a file calls them. */
  keys?: Record<string, string>;
  /** Of this reading. A change names it, so that it overwrites no other. Topics have none. */
  version?: number;
}

/** How the service keeps what a file describes. A refusal of it names the file. */
export interface Kind {
  noun: "topic" | "segment" | "template" | "workflow";
  folder: string;
  extensions: string[];
  /** Returns what a file says. Throws Refusal. */
  parse(text: string, file: string): Doc;
  /** Returns the text of a file that says it. */
  write(doc: Doc): string;
  /** The documents that must be there first, of the same kind, by name. */
  needs?(doc: Doc): string[];
  list(petrel: Petrel, names: Names, keysOf: (id: string) => Record<string, string>): Promise<ServerItem[]>;
  read(petrel: Petrel, names: Names, had: ServerItem): Promise<ServerItem>;
  create(petrel: Petrel, names: Names, doc: Doc, file: string): Promise<ServerItem>;
  update(petrel: Petrel, names: Names, change: Change): Promise<ServerItem>;
}

export interface Change {
  had: ServerItem;
  doc: Doc;
  file: string;
  leaving: Leaving;
}

/** Where executions at steps that a file no longer has go. Without either, such a file is refused. */
export interface Leaving {
  moveTo?: string | undefined;
  isForced: boolean;
}

/** Returns the option with which a call changes nothing but what was read. */
export function versionOf({ version }: ServerItem): { ifMatch?: number } {
  return version === undefined ? {} : { ifMatch: version };
}
