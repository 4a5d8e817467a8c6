declare module "*/scripts/lib/paths.mjs" {
  export const ROOT: string;
  export const BIN: string;
  export const CLI: string;
  export const CLIENT: string;
  export const machinePath: string;
}

declare module "*/scripts/lib/client/pack.mjs" {
  export function buildClient(): Promise<void>;
  export function packClient(folder?: string): Promise<string>;
  export function packCli(folder?: string): Promise<string>;
}

declare module "*/scripts/lib/client/snippet.mjs" {
  export const SNIPPET_FILE: string;
  export function snippetFile(): Promise<string>;
}
