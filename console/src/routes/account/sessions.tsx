import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { endOtherSessions, endSession, listSessions, type Session } from "../../api/session";
import { Badge } from "../../parts/badge";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/confirm";
import { Section } from "../../parts/page";
import { Loading, Refused } from "../../parts/states";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { browserName } from "./browser-name";

const sessionsKey = ["sessions"];

export function Sessions() {
  const { words } = useWords();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: sessionsKey, queryFn: listSessions });
  const endOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
  return (
    <Section
      title={words.signIns.sessions}
      actions={
        data &&
        data.length > 1 && (
          <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {words.signIns.endOthers}
          </Button>
        )
      }
    >
      {error !== null && <Refused error={error} retry={() => void refetch()} />}
      {endOthers.error && <Refused error={endOthers.error} />}
      {error === null && data === undefined && <Loading rows={3} />}
      <ul>
        {data?.map((session) => (
          <OneSession key={session.id} session={session} />
        ))}
      </ul>
    </Section>
  );
}

function OneSession({ session: { id, isCurrent, method, userAgent, createdAt, lastSeenAt } }: { session: Session }) {
  const { words } = useWords();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => endSession(id),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  });
  const name = browserName(userAgent) ?? words.signIns.otherBrowser;
  return (
    <li className="flex flex-wrap items-center gap-2 border-t border-line p-4 first:border-t-0">
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium" title={userAgent ?? undefined}>
          {name}
          {isCurrent && <Badge tone="good">{words.signIns.current}</Badge>}
        </p>
        <p className="text-small text-quiet">
          {words.signIns.methods[method]}, <Time at={createdAt} isShort /> · {words.signIns.seen}{" "}
          <Time at={lastSeenAt} isShort />
        </p>
      </div>
      {!isCurrent && (
        <Confirm
          label={words.signIns.end}
          title={words.signIns.endTitle(name)}
          action={words.signIns.end}
          run={() => end.mutate()}
          isBusy={end.isPending}
        >
          {words.signIns.endAdvice}
        </Confirm>
      )}
      {end.error && <Refused error={end.error} />}
    </li>
  );
}
