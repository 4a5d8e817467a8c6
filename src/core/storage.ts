import { dayMs, hourMs } from "./time";

/** The kinds of rows and files that a project stores, as the operator sees them. */
export const storageKinds = [
  "contacts",
  "events",
  "emails",
  "templates",
  "campaigns",
  "workflows",
  "executions",
  "segments",
  "webhooks",
  "files",
  "other",
] as const;
export type StorageKind = (typeof storageKinds)[number];

/** The rows and bytes of each kind at the last count. Files count as rows. */
export interface StorageCount {
  rows: Record<StorageKind, number>;
  bytes: Record<StorageKind, number>;
  countedAt: number;
}

export function noRows(): Record<StorageKind, number> {
  return {
    ...{ contacts: 0, events: 0, emails: 0, templates: 0, campaigns: 0, workflows: 0, executions: 0 },
    ...{ segments: 0, webhooks: 0, files: 0, other: 0 },
  };
}

export function totalBytes({ bytes }: Pick<StorageCount, "bytes">): number {
  return storageKinds.reduce((sum, kind) => sum + bytes[kind], 0);
}

/** Returns the setting `maxStorageMb` in bytes; null for no limit. */
export function limitBytes(maxStorageMb: number): number | null {
  return maxStorageMb === 0 ? null : maxStorageMb * 1024 * 1024;
}

/**
 * The fields of a project that tell how close it is to its storage limit. `storage` is null until the first count, when
 * a project stores next to nothing.
 */
export interface Storing {
  maxStorageMb: number;
  storage: StorageCount | null;
}

/**
 * Returns how much of its storage limit a project uses, by its last count: 1 is all of it. The share is 0 when there is
 * no limit or no count.
 */
export function shareOfLimit({ maxStorageMb, storage }: Storing): number {
  const limit = limitBytes(maxStorageMb);
  return limit === null || storage === null ? 0 : totalBytes(storage) / limit;
}

export function isFull(project: Storing): boolean {
  return shareOfLimit(project) >= 1;
}

const largestShown = 3;

/** Returns the kinds that use the most bytes, largest first. */
export function largestKinds(count: StorageCount): { kind: StorageKind; rows: number; bytes: number }[] {
  return storageKinds
    .map((kind) => ({ kind, rows: count.rows[kind], bytes: count.bytes[kind] }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, largestShown);
}

/** How a project can free space, by the kind of data that uses the most space. */
export const howToShrink: Record<StorageKind, string> = {
  contacts: "delete contacts with POST /contacts/bulk-delete, or fields with DELETE /contacts/fields/{field}",
  events: "delete events with DELETE /events/{eventName}, or ask the operator for a shorter EVENT_RETENTION_DAYS",
  emails: "ask the operator for a shorter EMAIL_CONTENT_RETENTION_DAYS",
  templates: "delete templates with DELETE /templates/{id}, and again with DELETE /trash/template/{id}",
  campaigns: "delete campaigns with DELETE /campaigns/{id}, and again with DELETE /trash/campaign/{id}",
  workflows: "delete workflows with DELETE /workflows/{id}, and again with DELETE /trash/workflow/{id}",
  executions: "delete workflows, also from the trash, or ask the operator for a shorter EXECUTION_RETENTION_DAYS",
  segments: "delete segments with DELETE /segments/{id}, and again with DELETE /trash/segment/{id}",
  webhooks: "delete webhooks with DELETE /webhooks/{id}",
  files:
    "delete files with DELETE /files/{id}, uploads of imports with DELETE /contacts/imports/{id}, and templates and campaigns with large bodies; attachments go with the content of their mail",
  other:
    "delete what is in the trash with DELETE /trash/{type}/{id}; ended jobs and idempotency keys are deleted automatically",
};

const smallMs = dayMs;
const usualMs = 6 * hourMs;
const closeMs = hourMs;

/**
 * Returns when a project is counted again. A count reads every row and lists every file, so a project far from its
 * limit is counted rarely.
 */
export function nextCountAt({ maxStorageMb, storage }: { maxStorageMb: number; storage: StorageCount }): number {
  const share = shareOfLimit({ maxStorageMb, storage });
  if (share < 0.01) return storage.countedAt + smallMs;
  return storage.countedAt + (share < 0.5 ? usualMs : closeMs);
}
