import { begin } from "./lib/begin.mjs";

begin(() => import("./commands/deploy.mjs"));
