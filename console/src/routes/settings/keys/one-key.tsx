import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Key } from "petrel-client";
import { useProject } from "../../../api/project";
import { Badge, type Tone } from "../../../parts/badge";
import { Confirm } from "../../../parts/confirm";
import { useProof } from "../../../parts/proof";
import { Refused } from "../../../parts/states";
import { Time } from "../../../parts/time";
import { useWords } from "../../../words/words";

export const keysOf = (project: string) => [project, "keys"];

const tones: Record<Key["kind"], Tone> = { secret: "warn", read: "quiet", public: "good" };

export function OneKey({ entry: { id, kind, name, prefix, lastUsedAt, createdAt } }: { entry: Key }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const withProof = useProof();
  const texts = words.settings.keys;
  const revoke = useMutation({
    mutationFn: () => withProof(() => petrel.admin.revokeKey(project, id)),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysOf(project) }),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line p-4 first:border-t-0">
      <div className="min-w-48 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <bdi>{name ?? `${prefix}…`}</bdi>
          <Badge tone={tones[kind]}>{texts.kinds[kind]}</Badge>
        </p>
        <p className="text-small text-quiet">
          <code className="font-mono">{prefix}…</code> · {texts.made} <Time at={createdAt} isShort /> · {texts.used}:{" "}
          {lastUsedAt === null ? texts.neverUsed : <Time at={lastUsedAt} isShort />}
        </p>
      </div>
      <Confirm
        label={texts.revoke}
        title={texts.revokeTitle(name ?? `${prefix}…`)}
        action={texts.revoke}
        run={() => revoke.mutate()}
        isBusy={revoke.isPending}
      >
        {texts.revokeAdvice}
      </Confirm>
      {revoke.error && (
        <div className="basis-full">
          <Refused error={revoke.error} />
        </div>
      )}
    </li>
  );
}
