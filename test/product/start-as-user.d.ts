// The scripts are plain JavaScript; these are the pieces of them that the tests use.

declare module "*/scripts/lib/start-as-user.mjs" {
  export function startPetrel(environment: Record<string, string>): {
    ready: Promise<{ base: string; secretKey: string; curlLine: string }>;
    pid: number | undefined;
    ended: Promise<number | null>;
    stop(): void;
    kill(): void;
  };
}

declare module "*/scripts/lib/lock.mjs" {
  type Note = Record<string, unknown>;
  export function takeLock(
    folder: string,
    about: Note,
  ): Promise<
    | { release(): void; shareWith(groupId: number): void; holder?: undefined }
    | { release?: undefined; holder: Note | null; group?: number }
  >;
  export function readHolder(folder: string): Note | null;
}

declare module "*/scripts/lib/port.mjs" {
  export function findFreePort(): Promise<number>;
}

declare module "*/scripts/lib/doctor/health.mjs" {
  export function readHealth(operator: { base: string; adminToken: string }): Promise<unknown>;
}

declare module "*/scripts/lib/doctor/mail-report.mjs" {
  export function mailEnd(
    base: string,
    mail: { status: string | null; provider: string | null; error: string | null; sent: boolean },
  ): string;
}

declare module "*/scripts/lib/settings.mjs" {
  export const OWN_SECRETS: { name: string; make(): string }[];
  export function isSetting(name: string, known: object): boolean;
}

declare module "*/scripts/lib/worker-log.mjs" {
  export function watchLog(
    child: { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
    options: { verbose: boolean; print(line: string): void },
  ): { sawError(): boolean };
  export function withoutTokens(line: string): string;
}

declare module "*/scripts/lib/mail-log.mjs" {
  export function mailLine(mail: { to: string; subject: string; createdAt: string }): string;
}

declare module "*/scripts/lib/welcome.mjs" {
  export function welcome(shown: Record<string, unknown>): string;
}

declare module "*/scripts/lib/data-location.mjs" {
  export const AREA_NAMES: string[];
  export const JURISDICTION_NAMES: string[];
  export function askLocation(terminal: {
    input: NodeJS.ReadableStream;
    output: NodeJS.WritableStream;
  }): Promise<string | undefined>;
}

declare module "*/scripts/lib/provider.mjs" {
  export const PROVIDERS: Record<string, { needs: string[]; takes: string[] }>;
  interface Config {
    name: string;
    vars: Record<string, string>;
    send_email?: { name: string }[];
    queues: { consumers: { queue: string }[] };
  }
  export function withProviderBindings(config: Config): Config;
  export function credentialObstacles(installation: { config: Config }, secrets: string[]): string[];
}

declare module "*/scripts/lib/reasons.mjs" {
  export function reasonFor(kind: string, output: string): string | undefined;
}

declare module "*/scripts/lib/toml.mjs" {
  export function parseToml(text: string, file: string): Record<string, unknown> & { vars?: Record<string, string> };
}

declare module "*/scripts/lib/site/outline.mjs" {
  export interface Page {
    name: string;
    file: string;
    source: string;
    title: string;
  }
  export function readPages(): Page[];
  export function sectionsOf(
    pages: Page[],
  ): { title: string; entries: { page: Page; title: string; summary: string }[] }[];
}

declare module "*/scripts/lib/tools.mjs" {
  export function captureTool(name: string, args: string[]): Promise<{ code: number; stdout: string; output: string }>;
}
