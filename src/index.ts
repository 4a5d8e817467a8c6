import { app } from "./app";
import { tick } from "./cron";
import type { Env } from "./platform/env";
import { consume } from "./queue";

export { WorkflowShardObject } from "./engine/workflows/shard/shard-object";
export { PaceObject } from "./platform/mailer/pace-object";
export { ProjectGateObject } from "./platform/project-gate-object";
export { SweepObject } from "./sweep-object";

export default {
  fetch: (request, env, execution) => app.fetch(request, env, execution),
  queue: consume,
  scheduled: tick,
} satisfies ExportedHandler<Env>;
