import { begin } from "./lib/begin.mjs";

begin(() => import("./commands/doctor.mjs"));
