import { join } from "node:path";
import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { ASSETS, CLIENT } from "../scripts/lib/paths.mjs";
import { compressed } from "./compressed.mjs";
import { firstScreen } from "./first-screen.mjs";
import { sessionByKey } from "./session-by-key.mjs";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/console/",
  resolve: { alias: { "petrel-client": join(CLIENT, "src", "index.ts") } },
  plugins: [tailwind(), firstScreen(), compressed(), sessionByKey(process.env)],
  build: {
    outDir: join(ASSETS, "console"),
    emptyOutDir: true,
    target: "es2023",
    // The pages' policy allows neither inline scripts nor files inside styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
