import { projectRoutes } from "../../http/routes";
import { meJson } from "./me";
import { Me } from "./schema";

export const me = projectRoutes("Project");

me.get(
  "/me",
  {
    id: "getMe",
    summary: "See which project and key a call belongs to",
    description:
      "Works for a disabled project too. Public keys are refused here, as they are everywhere except on `/v1/track`.",
    ok: Me,
  },
  (ctx, _, c) => meJson(ctx.project, c.var.key ?? null),
);
