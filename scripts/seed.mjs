import { begin } from "./lib/begin.mjs";

begin(() => import("./commands/seed.mjs"));
