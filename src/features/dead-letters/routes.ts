import { CursorQuery, IdParam } from "../../http/params";
import { operatorRoutes } from "../../http/routes";
import { listDeadLetters } from "./list";
import { retryDeadLetter, unknownMessage } from "./retry";
import { DeadLetterPage, RetriedDeadLetter } from "./schema";

/** `/admin/dead-letters`: the messages on which queues gave up. */
export const deadLetters = operatorRoutes("Operator");

deadLetters.get(
  "/admin/dead-letters",
  {
    id: "listDeadLetters",
    summary: "List the messages on which queues gave up, newest first",
    description: "A queue gives up after its last try. Most rows are found again by the sweeps without the message.",
    query: CursorQuery,
    ok: DeadLetterPage,
  },
  (platform, { query }) => listDeadLetters(platform, query),
);

deadLetters.post(
  "/admin/dead-letters/{id}/retry",
  {
    id: "retryDeadLetter",
    isAudited: true,
    summary: "Send again a message on which its queue gave up",
    params: IdParam,
    accepted: RetriedDeadLetter,
    refusals: () => [unknownMessage()],
  },
  (platform, { params }) => retryDeadLetter(platform, params.id),
);
