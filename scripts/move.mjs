import { begin } from "./lib/begin.mjs";

begin(() => import("./commands/move.mjs"));
