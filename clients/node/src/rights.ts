import { type Operations, operations } from "./generated/operations.gen.js";

/** An operation as the client names it, such as `campaigns.send`. */
export type OperationName = {
  [Group in keyof Operations & string]: `${Group}.${keyof Operations[Group] & string}`;
}[keyof Operations & string];

/** The rights of a person in a project, as `GET /console/me` returns them. */
export interface PersonRights {
  role: "viewer" | "editor" | "admin" | "owner";
  maySend: boolean;
}

const flagsOf = new Map(
  Object.entries(operations).flatMap(([group, paths]) =>
    Object.entries<string>(paths).map(
      ([name, operation]) => [`${group}.${name}`, operation.split(" ")[2] ?? ""] as const,
    ),
  ),
);

/**
 * Whether a person with these rights may make a call, according to the API's document. If that depends on the body of
 * the call, the service may still refuse it.
 */
export function mayCall({ role, maySend }: PersonRights, operation: OperationName): boolean {
  const flags = flagsOf.get(operation) ?? "";
  return flags.includes(role.charAt(0).toUpperCase()) && (maySend || !flags.includes("m"));
}
