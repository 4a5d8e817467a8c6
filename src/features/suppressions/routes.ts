import { z } from "zod";
import { foreignNamesOfAddress } from "../../core/mail/foreign-address";
import { CursorQuery } from "../../http/params";
import { projectRoutes } from "../../http/routes";
import { addSuppression } from "./add";
import { addSuppressions } from "./add-many";
import { foreignNamesOfSuppressions } from "./foreign-names";
import { listSuppressions } from "./list";
import { removeSuppression } from "./remove";
import { AddedSuppressions, AddSuppression, AddSuppressions, Suppression, SuppressionPage } from "./schema";
import { suppressionJson } from "./suppression";

export const suppressions = projectRoutes("Suppressions");

suppressions.get(
  "/suppressions",
  { id: "listSuppressions", summary: "List the suppressed addresses", query: CursorQuery, ok: SuppressionPage },
  (ctx, { query }) => listSuppressions(ctx, query),
);

suppressions.post(
  "/suppressions",
  {
    id: "addSuppression",
    grows: false,
    summary: "Suppress an address, so that it gets no mail of any type",
    body: AddSuppression,
    created: Suppression,
    foreignNames: foreignNamesOfAddress,
  },
  async (ctx, { body }) => suppressionJson(await addSuppression(ctx, body)),
);

suppressions.post(
  "/suppressions/bulk",
  {
    id: "addManySuppressions",
    grows: false,
    summary: "Import the suppression list of another service",
    description:
      "The call takes effect completely or not at all. An address that is already listed keeps its reason and time.",
    body: AddSuppressions,
    ok: AddedSuppressions,
    foreignNames: foreignNamesOfSuppressions,
  },
  (ctx, { body }) => addSuppressions(ctx, body),
);

const EmailParam = z.object({
  email: z.string().meta({ param: { name: "email", in: "path" }, example: "gone@example.com" }),
});

suppressions.delete(
  "/suppressions/{email}",
  { id: "removeSuppression", summary: "Remove an address from the suppression list", params: EmailParam },
  (ctx, { params }) => removeSuppression(ctx, params.email),
);
