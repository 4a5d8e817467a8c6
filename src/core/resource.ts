/** The kinds of resources that a "not found" answer can name. */
export type Resource =
  | "contact"
  | "field"
  | "template"
  | "campaign"
  | "segment"
  | "workflow"
  | "step"
  | "transition"
  | "execution"
  | "domain"
  | "email"
  | "event"
  | "project"
  | "key"
  | "job"
  | "suppression"
  | "message"
  | "webhook"
  | "delivery"
  | "topic"
  | "file"
  | "upload"
  | "session"
  | "person"
  | "passkey"
  | "dead letter"
  | "backup"
  | "backup file"
  | "trash entry"
  | "route";

/** Resources that are identified by a name. All others are identified by our ids. */
const named = [
  "field",
  "event",
  "project",
  "suppression",
  "person",
  "backup file",
  "route",
] as const satisfies Resource[];
export type Named = (typeof named)[number];
/** Resources that belong to the installation and not to a project. */
export const ofInstallation: readonly Resource[] = [
  "project",
  "person",
  "passkey",
  "key",
  "dead letter",
  "backup",
  "backup file",
];

/** A resource that has an id. */
export type Identified = Exclude<Resource, Named>;

export function isNamed(resource: Resource): resource is Named {
  return named.some((one) => one === resource);
}
