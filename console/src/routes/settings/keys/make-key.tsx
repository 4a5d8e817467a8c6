import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CreatedKey, Key } from "petrel-client";
import { type SubmitEvent, useState } from "react";
import { useProject } from "../../../api/project";
import { Button } from "../../../parts/button";
import { Choice } from "../../../parts/choice";
import { TextField } from "../../../parts/field";
import { useProof } from "../../../parts/proof";
import { Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";
import { MadeKey } from "./made-key";
import { keysOf } from "./one-key";

const kinds = ["secret", "read", "public"] as const satisfies Key["kind"][];

/** Creates a key, and shows it while this page is open, until the person confirms having copied it. */
export function MakeKey() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const withProof = useProof();
  const [kind, setKind] = useState<Key["kind"]>("secret");
  const [made, setMade] = useState<CreatedKey | null>(null);
  const texts = words.settings.keys;
  const make = useMutation({
    mutationFn: (name: string) => withProof(() => petrel.admin.addKey(project, { kind, ...(name ? { name } : {}) })),
    onSuccess(key) {
      setMade(key);
      return queries.invalidateQueries({ queryKey: keysOf(project) });
    },
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    make.mutate(`${new FormData(event.currentTarget).get("name") ?? ""}`.trim());
  }

  if (made !== null) return <MadeKey made={made} onDone={() => setMade(null)} />;
  return (
    <form onSubmit={send} className="sheet grid gap-4 p-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Choice<Key["kind"]>
          label={texts.kind}
          value={kind}
          choose={setKind}
          options={kinds.map((one) => [one, texts.kinds[one]] as const)}
        />
        <p className="text-quiet" aria-live="polite">
          {texts.kindLeads[kind]}
        </p>
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 flex-1">
          <TextField label={words.settings.name} name="name" maxLength={100} placeholder={texts.namePlaceholder} />
        </div>
        <Button type="submit" kind="main" isBusy={make.isPending}>
          {words.settings.actions.keys}
        </Button>
      </div>
      {make.error && <Refused error={make.error} />}
    </form>
  );
}
