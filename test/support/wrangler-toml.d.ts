declare module "*/wrangler-toml.mjs" {
  export function readWranglerToml(): { vars: Record<string, string> };
}
