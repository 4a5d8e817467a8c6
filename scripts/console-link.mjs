import { begin } from "./lib/begin.mjs";

begin(() => import("./commands/console-link.mjs"));
