import { foreign } from "../../foreign-names";
import type { StepDefinition } from "./definition";
import { WebhookConfig } from "./webhook-config";

export const webhook = {
  does: "calls a URL; later steps read the answer as `steps.<name of the step>`",
  shape: ["[[", "]]"],
  config: WebhookConfig,
  foreignNames: [
    ...foreign(["endpoint", "uri"], { standsFor: "url", advice: "Use url" }),
    ...foreign(["payload", "json"], { standsFor: "body", advice: "Use body, any JSON" }),
  ],
  // The query is left out, because it may contain a secret.
  text: ({ method, url }) => `${method} ${url.split("?")[0]}`,
} as const satisfies StepDefinition<WebhookConfig>;
