import { cpus } from "node:os";
import { dim } from "../scripts/lib/screen.mjs";
import { benchActivity } from "./activity.mjs";
import { benchCampaigns } from "./campaigns.mjs";
import { benchClient } from "./client.mjs";
import { benchConsole } from "./console.mjs";
import { benchContacts } from "./contacts.mjs";
import { benchCost } from "./cost.mjs";
import { benchDelivery } from "./delivery.mjs";
import { benchFar } from "./far.mjs";
import { benchLanes } from "./lanes.mjs";
import { benchLargeImport } from "./large-import.mjs";
import { benchLists } from "./lists.mjs";
import { benchMemory } from "./memory.mjs";
import { benchMove } from "./move.mjs";
import { benchMoving } from "./moving.mjs";
import { benchPages } from "./pages.mjs";
import { benchPreflight } from "./preflight.mjs";
import { benchProfile } from "./profile.mjs";
import { benchReports } from "./reports.mjs";
import { benchRoutes } from "./routes.mjs";
import { benchRows } from "./rows.mjs";
import { benchSegments } from "./segments.mjs";
import { benchSoak } from "./soak.mjs";
import { benchStartup } from "./startup.mjs";
import { benchSweeps } from "./sweeps.mjs";
import { benchTracking } from "./tracking.mjs";
import { benchWebhooks } from "./webhooks.mjs";
import { benchWorkflows } from "./workflows.mjs";

const benches = {
  routes: benchRoutes,
  memory: benchMemory,
  startup: benchStartup,
  contacts: benchContacts,
  lists: benchLists,
  segments: benchSegments,
  activity: benchActivity,
  sweeps: benchSweeps,
  rows: benchRows,
  cost: benchCost,
  delivery: benchDelivery,
  preflight: benchPreflight,
  reports: benchReports,
  campaigns: benchCampaigns,
  lanes: benchLanes,
  far: benchFar,
  tracking: benchTracking,
  client: benchClient,
  pages: benchPages,
  console: benchConsole,
  move: benchMove,
  moving: benchMoving,
  webhooks: benchWebhooks,
  workflows: benchWorkflows,
};
/** Benches that show where time and memory go, without an aim. They only run on request. */
const askedOnly = { profile: benchProfile, soak: benchSoak, "large-import": benchLargeImport };

const asked = process.argv.slice(2);
const names = Object.keys({ ...benches, ...askedOnly });
const unknown = asked.find((name) => !names.includes(name));
if (unknown !== undefined) {
  const isHelp = ["-h", "--help"].includes(unknown);
  if (!isHelp) console.error(`There is no bench ${unknown}.`);
  console.error(`
  npm run bench              runs each bench that has an aim
  npm run bench -- <name> …  runs these, out of:

    ${names.join(" ")}
`);
  process.exit(isHelp ? 0 : 1);
}
const { model } = cpus()[0];
console.log(dim(`${cpus().length} × ${model}, Node ${process.version}, local workerd, which has one thread`));
for (const [name, bench] of Object.entries({ ...benches, ...askedOnly })) {
  if (asked.includes(name) || (asked.length === 0 && name in benches)) await bench();
}
