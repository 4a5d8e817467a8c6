import { join } from "node:path";
import { build } from "vite";
import { generate } from "../client/generate.mjs";
import { CONSOLE } from "../paths.mjs";

// Builds the console into the Worker's assets. The generator of its client and Vite need the Node of the lockfile.

// React and Vite build for whatever this says, and the tests say "test".
process.env.NODE_ENV = "production";
await generate();
await build({ configFile: join(CONSOLE, "vite.config.mjs"), logLevel: "error" });
