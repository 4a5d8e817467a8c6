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
      "Lists what keeps mail or events from going out, what failed within seven days, and what is left to " +
      "set up: most urgent first, each with the call that helps. At most 20 items of each kind are listed. " +
      "A solved problem is not in the next answer.",
    ok: Attention,
  },
  async (ctx) => ({ items: await findAttention(ctx) }),
);
