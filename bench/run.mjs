import { cpus } from "node:os";
import { dim } from "../scripts/lib/screen.mjs";
import { benchContacts } from "./contacts.mjs";
import { benchMemory } from "./memory.mjs";
import { benchProfile } from "./profile.mjs";
import { benchRoutes } from "./routes.mjs";
import { benchRows } from "./rows.mjs";
import { benchSegments } from "./segments.mjs";

const benches = {
  routes: benchRoutes,
  memory: benchMemory,
  contacts: benchContacts,
  segments: benchSegments,
  rows: benchRows,
};
/** Tells where time goes, and judges nothing: only when asked for. */
const askedOnly = { profile: benchProfile };

const { model } = cpus()[0];
console.log(dim(`${cpus().length} × ${model}, Node ${process.version}, local workerd`));
const asked = process.argv.slice(2);
for (const [name, bench] of Object.entries({ ...benches, ...askedOnly })) {
  if (asked.includes(name) || (asked.length === 0 && name in benches)) await bench();
}
