import { projectRoutes } from "../../http/routes";
import { findAttention } from "./attention";
import { Attention } from "./schema";

export const attention = projectRoutes("Project");

attention.get(
  "/attention",
  {
    id: "getAttention",
    summary: "List what needs attention now",
    description:
      "What keeps mail or events from going out, what failed within seven days, and what is left to set up: most urgent first, " +
      "each with the call that helps. At most 20 of each kind are listed. A problem that is fixed is gone from the next answer.",
    ok: Attention,
  },
  async (ctx) => ({ items: await findAttention(ctx) }),
);
