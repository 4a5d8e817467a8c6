import { begin } from "./lib/begin.mjs";

begin(() => import("./commands/simulate.mjs"));
