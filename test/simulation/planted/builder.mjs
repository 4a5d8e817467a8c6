import { readFileSync } from "node:fs";
import { join } from "node:path";
import { context } from "esbuild";
import { ROOT } from "../../../scripts/lib/paths.mjs";
import { readWranglerToml } from "../../../scripts/lib/wrangler-toml.mjs";

/**
 * Builds the Worker with one source changed, again and again: half a second each, because what has not changed is not
 * read again. A deploy's own build takes ten times as long.
 */
export async function openBuilder() {
  const { main, alias } = readWranglerToml();
  let change = null;
  const plugin = {
    name: "planted",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, pluginData, ...rest }) => {
        const other = pluginData === "aliased" ? undefined : alias[path];
        if (other === undefined) return undefined;
        return build.resolve(other, { ...rest, resolveDir: ROOT, pluginData: "aliased" });
      });
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) =>
        path === change?.path ? { contents: change.contents, loader: "ts" } : undefined,
      );
    },
  };
  const builder = await context({
    ...{ entryPoints: [join(ROOT, main)], absWorkingDir: ROOT, plugins: [plugin] },
    ...{ bundle: true, write: false, format: "cjs", platform: "browser", target: "node24", logLevel: "error" },
    ...{ external: ["node:*", "cloudflare:*"], conditions: ["workerd", "worker", "browser"] },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return {
    build: async ({ name, file, find, replace }) => {
      const path = join(ROOT, "src", file);
      const source = readFileSync(path, "utf8");
      if (source.split(find).length !== 2) throw new Error(`"${name}" does not apply: ${file} must have its text once`);
      change = { path, contents: source.replace(find, () => replace) };
      return (await builder.rebuild()).outputFiles[0].text;
    },
    close: () => builder.dispose(),
  };
}
