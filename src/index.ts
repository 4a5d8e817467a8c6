import { answerRequest } from "./app";
import type { Env } from "./platform/env";

export { WorkflowShardObject } from "./engine/workflows/shard/shard-object";
export { PaceObject } from "./platform/mailer/pace-object";
export { ProjectGateObject } from "./platform/project-gate-object";
export { SweepObject } from "./sweep-object";

/** The doors. Each loads its code with the first call, so that no start pays for code that it does not need. */
export default {
  fetch: answerRequest,
  queue: async (...call) => (await import("./queue")).consume(...call),
  scheduled: async (...call) => (await import("./cron")).tick(...call),
} satisfies ExportedHandler<Env>;
