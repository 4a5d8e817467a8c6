import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import KeyRound from "lucide-react/icons/key-round";
import { type SubmitEvent, useRef } from "react";
import { addPasskey, hasPasskeys, listPasskeys, passkeysKey } from "../../api/passkeys";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { Section } from "../../parts/page";
import { PasskeyFault } from "../../parts/passkey-fault";
import { useProof } from "../../parts/proof";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { browserName } from "./browser-name";
import { OwnPasskey } from "./own-passkey";

export function Passkeys() {
  const { words } = useWords();
  const { data, error, refetch } = useQuery({ queryKey: passkeysKey, queryFn: listPasskeys });
  return (
    <Section title={words.signIns.passkeys}>
      <p className="px-4 pt-4 text-quiet">{words.signIns.lead}</p>
      {error !== null && <Refused error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Loading rows={3} />}
      {data?.length === 0 && (
        <p className="flex items-center gap-3 px-4 pt-4 font-medium">
          <KeyRound size={20} aria-hidden className="text-quiet" />
          {words.signIns.none}
        </p>
      )}
      {data && data.length > 0 && (
        <ul className="mt-2">
          {data.map((passkey) => (
            <OwnPasskey key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {hasPasskeys ? <AddPasskey /> : <p className="p-4 text-quiet">{words.signIns.unsupported}</p>}
    </Section>
  );
}

function AddPasskey() {
  const { words } = useWords();
  const queries = useQueryClient();
  const withProof = useProof();
  const form = useRef<HTMLFormElement>(null);
  const add = useMutation({
    mutationFn: (name: string) => withProof(() => addPasskey(name)),
    onSuccess() {
      form.current?.reset();
      return queries.invalidateQueries({ queryKey: passkeysKey });
    },
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    add.mutate(`${new FormData(event.currentTarget).get("name") ?? ""}`);
  }

  return (
    <form ref={form} onSubmit={send} className="flex flex-wrap items-end gap-3 p-4">
      <div className="min-w-48 flex-1">
        <TextField
          label={words.signIns.name}
          name="name"
          required
          maxLength={100}
          defaultValue={browserName(navigator.userAgent) ?? ""}
        />
      </div>
      <Button type="submit" kind="main" isBusy={add.isPending}>
        {words.signIns.add}
      </Button>
      {add.error && (
        <div className="basis-full">
          <PasskeyFault error={add.error} />
        </div>
      )}
    </form>
  );
}
