import { join } from "node:path";
import { build } from "vite";
import { generate } from "../client/generate.mjs";
import { CONSOLE } from "../paths.mjs";

// Builds the console into the Worker's assets. The generator of its client and Vite need the lockfile's Node.

// React and Vite build for the environment in this variable, and the tests set it to "test".
process.env.NODE_ENV = "production";
await generate();
await build({ configFile: join(CONSOLE, "vite.config.mjs"), logLevel: "error" });
