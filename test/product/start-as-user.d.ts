// The scripts are plain JavaScript; these are the pieces of them that the tests use.

declare module "*/scripts/lib/start-as-user.mjs" {
  export function startPetrel(environment: Record<string, string>): {
    ready: Promise<{ base: string; secretKey: string; curlLine: string }>;
    ended: Promise<number | null>;
    stop(): void;
  };
}

declare module "*/scripts/lib/port.mjs" {
  export function findFreePort(): Promise<number>;
}

declare module "*/scripts/lib/settings.mjs" {
  export const OWN_SECRETS: { name: string; make(): string }[];
}
