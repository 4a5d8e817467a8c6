declare module "*/wrangler-toml.mjs" {
  export function readWranglerToml(): { vars: Record<string, string>; d1_databases: { binding: string }[] };
  export function databaseBindings(config: { d1_databases: { binding: string }[] }): string[];
}
