import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Domain } from "petrel-client";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Badge, type Tone } from "../../parts/badge";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/confirm";
import { Refused } from "../../parts/states";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { DnsRecord } from "./dns-record";

const tones: Record<Domain["status"], Tone> = { PENDING: "warn", VERIFIED: "good", FAILED: "alarm" };

export function DomainCard({ domain: { id, domain, status, records, lastCheckedAt } }: { domain: Domain }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: [project, "domains"] });
  const check = useMutation({ mutationFn: () => petrel.domains.verify(id), onSuccess });
  const remove = useMutation({ mutationFn: () => petrel.domains.remove(id), onSuccess });
  const error = check.error ?? remove.error;
  return (
    <section className="sheet min-w-0" aria-label={domain}>
      <header className="flex flex-wrap items-center gap-3 border-b border-line p-4">
        <h2 className="text-large font-semibold">
          <bdi>{domain}</bdi>
        </h2>
        <Badge tone={tones[status]}>{words.domains.status[status]}</Badge>
        <p className="text-small text-quiet">
          {lastCheckedAt === null ? (
            words.domains.never
          ) : (
            <>
              {words.domains.checked} <Time at={lastCheckedAt} />
            </>
          )}
        </p>
        <div className="ms-auto flex gap-2">
          {may("domains.verify") && (
            <Button isBusy={check.isPending} onClick={() => check.mutate()}>
              {words.domains.check}
            </Button>
          )}
          {may("domains.remove") && (
            <Confirm
              label={words.remove}
              title={words.domains.removeTitle(domain)}
              action={words.remove}
              run={() => remove.mutate()}
              isBusy={remove.isPending}
            >
              {words.domains.removeAdvice}
            </Confirm>
          )}
        </div>
      </header>
      {error && <Refused error={error} />}
      <ul>
        {records.map((record) => (
          <DnsRecord key={`${record.type} ${record.name} ${record.value}`} record={record} />
        ))}
      </ul>
    </section>
  );
}
