import { useMutation, useQueryClient } from "@tanstack/react-query";
import Pencil from "lucide-react/icons/pencil";
import { type SubmitEvent, useState } from "react";
import { type Passkey, passkeysKey, removePasskey, renamePasskey } from "../../api/passkeys";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/confirm";
import { TextField } from "../../parts/field";
import { useProof } from "../../parts/proof";
import { Refused } from "../../parts/states";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";

export function OwnPasskey({ passkey }: { passkey: Passkey }) {
  const { id, name, isSynced, createdAt, lastUsedAt } = passkey;
  const { words } = useWords();
  const queries = useQueryClient();
  const withProof = useProof();
  const [isNamed, setNamed] = useState(false);
  const onSuccess = () => queries.invalidateQueries({ queryKey: passkeysKey });
  const remove = useMutation({ mutationFn: () => withProof(() => removePasskey(id)), onSuccess });
  const rename = useMutation({
    mutationFn: (newName: string) => renamePasskey(id, newName),
    onSuccess() {
      setNamed(false);
      return onSuccess();
    },
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    rename.mutate(`${new FormData(event.currentTarget).get("name") ?? ""}`);
  }

  return (
    <li className="border-t border-line p-4 first:border-t-0">
      {isNamed ? (
        <form onSubmit={send} className="flex flex-wrap items-end gap-2">
          <div className="min-w-40 flex-1">
            <TextField label={words.signIns.name} name="name" required maxLength={100} defaultValue={name} autoFocus />
          </div>
          <Button type="submit" kind="main" isBusy={rename.isPending}>
            {words.save}
          </Button>
          <Button kind="quiet" onClick={() => setNamed(false)}>
            {words.cancel}
          </Button>
        </form>
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <div className="min-w-40 flex-1">
            <p className="font-medium">
              <bdi>{name}</bdi>
            </p>
            <p className="text-small text-quiet">
              {isSynced ? words.signIns.synced : words.signIns.single} · {words.signIns.added}{" "}
              <Time at={createdAt} isShort /> ·{" "}
              {lastUsedAt === null ? (
                words.signIns.neverUsed
              ) : (
                <>
                  {words.signIns.used} <Time at={lastUsedAt} isShort />
                </>
              )}
            </p>
          </div>
          <Button
            kind="quiet"
            aria-label={`${words.signIns.rename}: ${name}`}
            title={words.signIns.rename}
            onClick={() => setNamed(true)}
          >
            <Pencil size={16} aria-hidden />
          </Button>
          <Confirm
            label={words.remove}
            title={words.signIns.removeTitle(name)}
            action={words.remove}
            run={() => remove.mutate()}
            isBusy={remove.isPending}
          >
            {words.signIns.removeAdvice}
          </Confirm>
        </div>
      )}
      {(rename.error ?? remove.error) && <Refused error={rename.error ?? remove.error} />}
    </li>
  );
}
