declare module "*/test/slow-files.mjs" {
  export const slowFiles: string[];
}

declare module "*/scripts/commands/test.mjs" {
  export function choose(args: string[], turn: number): { options: string[]; env: Record<string, string> };
}
