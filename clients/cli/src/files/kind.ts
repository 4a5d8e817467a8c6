import type { Petrel } from "petrel-client";
import type { Doc } from "./doc";
import type { Names } from "./names";

export interface ServerItem {
  id: string;
  doc: Doc;
  /** The keys of steps whose key is an id, by their names in the file. */
  keys?: Record<string, string>;
  /** The version that was read. A change names it, so that it overwrites no other change. Topics have none. */
  version?: number;
}

/** A kind of resource that a file describes. Every Refusal that it throws names the file. */
export interface Kind {
  noun: "topic" | "segment" | "template" | "workflow";
  folder: string;
  extensions: string[];
  /** Returns the content of a file. Throws Refusal. */
  parse(text: string, file: string): Doc;
  /** Returns the text of a file with this content. */
  write(doc: Doc): string;
  /** The names of documents of the same kind that must exist first. */
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

/** Where executions at removed steps continue. Without either field, a file that removes such steps is refused. */
export interface Leaving {
  moveTo?: string | undefined;
  isForced: boolean;
}

/** Returns the option that makes a call fail unless the version is the one that was read. */
export function versionOf({ version }: ServerItem): { ifMatch?: number } {
  return version === undefined ? {} : { ifMatch: version };
}
