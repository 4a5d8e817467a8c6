import { CursorQuery, IdParam } from "../../http/params";
import { operatorRoutes } from "../../http/routes";
import { listDeadLetters } from "./list";
import { retryDeadLetter, unknownMessage } from "./retry";
import { DeadLetterPage, RetriedDeadLetter } from "./schema";

/** `/admin/dead-letters`: the messages that queues gave up on. */
export const deadLetters = operatorRoutes("Operator");

deadLetters.get(
  "/admin/dead-letters",
  {
    id: "listDeadLetters",
    summary: "List the messages that queues gave up on, newest first",
    description: "A queue gives up after its last try. The sweeps find the rows of most messages by themselves.",
    query: CursorQuery,
    ok: DeadLetterPage,
  },
  (platform, { query }) => listDeadLetters(platform, query),
);

deadLetters.post(
  "/admin/dead-letters/{id}/retry",
  {
    id: "retryDeadLetter",
    summary: "Send a message again that its queue gave up on",
    params: IdParam,
    accepted: RetriedDeadLetter,
    refusals: () => [unknownMessage()],
  },
  (platform, { params }) => retryDeadLetter(platform, params.id),
);
