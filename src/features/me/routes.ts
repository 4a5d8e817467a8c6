import { createRoute, errors, ok } from "../../http/define";
import { createRouter } from "../../http/router";
import { meJson } from "./me";
import { Me } from "./schema";

export const me = createRouter();

const get = createRoute({
  method: "get",
  path: "/me",
  operationId: "getMe",
  tags: ["Project"],
  summary: "See which project and key a call is of",
  description: "Works for a disabled project too. Public keys are refused here, as everywhere but on `/v1/track`.",
  responses: { ...ok(Me), ...errors() },
});

me.openapi(get, (c) => c.json(meJson(c.var.ctx.project, c.var.key), 200));
