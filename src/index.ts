import { answerRequest } from "./app";
import { cronDoor, queueDoor, receivedMailDoor } from "./doors";
import type { Env } from "./platform/env";

export { WorkflowShardObject } from "./engine/workflows/shard/shard-object";
export { PaceObject } from "./platform/mailer/pace-object";
export { ProjectGateObject } from "./platform/project-gate-object";
export { SweepObject } from "./sweep-object";

export default {
  fetch: answerRequest,
  queue: async (...call) => (await queueDoor()).consume(...call),
  scheduled: async (...call) => (await cronDoor()).tick(...call),
  email: async (...call) => (await receivedMailDoor()).receive(...call),
} satisfies ExportedHandler<Env>;
