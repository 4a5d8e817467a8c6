import { begin } from "./lib/begin.mjs";

begin(() => import("./commands/check.mjs"));
