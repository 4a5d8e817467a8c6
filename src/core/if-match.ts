import { Invalid } from "./errors";

/** A row that carries its version. */
export interface Versioned {
  version: number;
  updatedAt: number;
}

/**
 * Reads the header `If-Match`: a version, with or without quotes. Null when any version is accepted. Throws Invalid.
 */
export function readIfMatch(header: string | undefined): number | null {
  if (header === undefined || header.trim() === "*") return null;
  const [, version] = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/.exec(header) ?? [];
  if (version !== undefined) return Number(version);
  const message = 'Must be the version of the resource in quotes, such as "7"';
  throw new Invalid([{ field: "If-Match", code: "invalid_string", message, received: header }]);
}
