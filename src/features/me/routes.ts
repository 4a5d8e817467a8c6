import { projectRoutes } from "../../http/routes";
import { meJson } from "./me";
import { Me } from "./schema";

export const me = projectRoutes("Project");

me.get(
  "/me",
  {
    id: "getMe",
    summary: "See which project and key a call is of",
    description: "Works for a disabled project too. Public keys are refused here, as everywhere but on `/v1/track`.",
    ok: Me,
  },
  (ctx, _, c) => meJson(ctx.project, c.var.key ?? null),
);
