import { useQuery } from "@tanstack/react-query";
import Check from "lucide-react/icons/check";
import { type CreatedKey, Petrel } from "petrel-client";
import { Button } from "../../../parts/button";
import { CopyButton } from "../../../parts/copy";
import { ApiCall, Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";

/** Shows a new key, with a first call. A key that can read is tried, so that no wrong key is copied. */
export function MadeKey({ made: { kind, name, key }, onDone }: { made: CreatedKey; onDone(): void }) {
  const { words } = useWords();
  const texts = words.settings.keys;
  const { data, error } = useQuery({
    queryKey: ["new key", key],
    enabled: kind !== "public",
    gcTime: 0,
    // Calls with the key and without the session, because a call with both is refused.
    queryFn: ({ signal }) =>
      new Petrel({
        key,
        baseUrl: location.origin,
        fetch: (input, init) => fetch(input, { ...init, credentials: "omit" }),
      }).me.get({ signal }),
  });
  const call = firstCall(kind, key);
  return (
    <section aria-label={texts.key} className="sheet grid grid-cols-[minmax(0,1fr)] gap-3 border-good p-4">
      <p className="font-medium">
        {name !== null && (
          <>
            <bdi>{name}</bdi>:{" "}
          </>
        )}
        {texts.shownOnce}
      </p>
      <div className="flex items-center gap-1 rounded-part bg-quiet-tint ps-3">
        <code className="min-w-0 flex-1 py-2 font-mono text-small break-all">{key}</code>
        <CopyButton text={key} of={texts.key} />
      </div>
      <div className="flex items-center gap-1">
        <p className="text-small text-quiet">{texts.call}</p>
        <CopyButton text={call} of={texts.call} />
      </div>
      <div className="-mt-4">
        <ApiCall call={call} />
      </div>
      {data && (
        <p role="status" className="flex items-center gap-2 text-good">
          <Check size={16} aria-hidden />
          <bdi>{texts.tried(data.project.name)}</bdi>
        </p>
      )}
      {error && <Refused error={error} />}
      <div>
        <Button kind="main" onClick={onDone}>
          {texts.done}
        </Button>
      </div>
    </section>
  );
}

function firstCall(kind: CreatedKey["kind"], key: string): string {
  const { origin } = location;
  if (kind !== "public") return `curl ${origin}/me -H "Authorization: Bearer ${key}"`;
  return `curl ${origin}/v1/track -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" -d '{ "email": "ada@example.com", "event": "signed_up" }'`;
}
