declare module "*/wrangler-toml.mjs" {
  interface Named {
    name?: string;
    binding?: string;
  }
  export function readWranglerToml(): {
    vars: Record<string, string>;
    alias: Record<string, string>;
    d1_databases: { binding: string }[];
    r2_buckets: Named[];
    ratelimits: Named[];
    durable_objects: { bindings: Named[] };
    queues: { producers: Named[] };
    assets: Named;
  };
  export function databaseBindings(config: { d1_databases: { binding: string }[] }): string[];
}
