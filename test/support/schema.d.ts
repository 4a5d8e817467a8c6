declare module "*/scripts/lib/schema.mjs" {
  export const SCHEMA_QUERIES: { applied: string; rows: string };
  export function requireKnownTables(state: { folder: string; shownAs: string }): Promise<void>;
  export function remoteFault(found: {
    rows: { name: string; sql: string }[];
    applied: string[];
  }): Promise<string | null>;
}

declare module "*/scripts/lib/state.mjs" {
  type State = { folder: string; shownAs: string; lock: string };
  export function locateState(environment: Record<string, string>): State;
  export function claimState(
    state: State,
    port: number,
    options?: { waitMs: number },
  ): Promise<{ release(): void; shareWith(groupId: number): void }>;
}

declare module "*/scripts/lib/additive.mjs" {
  export function breaksOf(
    released: readonly string[],
    later: readonly { name: string; sql: string }[],
    unused?: readonly string[],
  ): string[];
}

declare module "*/scripts/lib/last-release.mjs" {
  export const lastRelease: {
    commit: string;
    migration: string;
    objectTables: Record<"gate" | "shard", number>;
    unused: string[];
  };
}

declare module "*/scripts/lib/release/checks.mjs" {
  interface Release {
    root: string;
    version: string;
    today: string;
    git(...args: string[]): string | null;
    lastRelease: { commit: string; migration: string; unused: string[] };
  }
  export const CHECKS: Record<string, (release: Release) => string[]>;
}

declare module "*/scripts/lib/release/ci-log.mjs" {
  /** Says what is wrong with the log of CI that is to stand for the suite. */
  export function ciLogFaults(where: string, tools: { git(...args: string[]): string }): Promise<string[]>;
}
