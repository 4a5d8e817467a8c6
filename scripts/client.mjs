import { begin } from "./lib/begin.mjs";

begin(() => import("./commands/client.mjs"));
