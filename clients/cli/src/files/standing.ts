import { type Entry, hashOf } from "./state";

/** How a file compares with the service. */
export type Standing =
  | "same"
  | "new here"
  | "new there"
  | "changed here"
  | "changed there"
  | "changed on both sides"
  | "deleted here"
  | "deleted there";

/** Compares the texts of the file and of the service with the texts from when they last agreed. */
export function standingOf(
  local: string | undefined,
  server: string | undefined,
  kept: Entry | undefined,
): Standing | null {
  if (local === undefined && server === undefined) return null;
  if (local === undefined) return kept?.id === undefined ? "new there" : "deleted here";
  if (server === undefined) return kept?.id === undefined ? "new here" : "deleted there";
  if (local === server) return "same";
  if (kept === undefined) return "changed on both sides";
  // A push died before it knew the id. The resource in the service is the one that it created.
  if (kept.id === undefined) return "changed here";
  const isChangedHere = hashOf(local) !== kept.file;
  const isChangedThere = hashOf(server) !== kept.server;
  if (isChangedHere && isChangedThere) return "changed on both sides";
  if (isChangedHere) return "changed here";
  return isChangedThere ? "changed there" : "same";
}
