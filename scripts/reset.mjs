import { begin } from "./lib/begin.mjs";

begin(() => import("./commands/reset.mjs"));
