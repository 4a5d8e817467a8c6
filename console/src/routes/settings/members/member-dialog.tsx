import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Member } from "petrel-client";
import { type SubmitEvent, useId } from "react";
import { useProject } from "../../../api/project";
import { Button } from "../../../parts/button";
import { Confirm } from "../../../parts/confirm";
import { Dialog } from "../../../parts/dialog";
import { useProof } from "../../../parts/proof";
import { Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";
import { membersOf } from "./page";
import { type Rights, RightsFields, rightsIn } from "./rights";

/** Changes a member's rights, or removes the member from the project. */
export function MemberDialog({ member, onClose }: { member: Member; onClose(): void }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const queries = useQueryClient();
  const withProof = useProof();
  const form = useId();
  const { id, email, name } = member;
  async function onSuccess() {
    await queries.invalidateQueries({ queryKey: membersOf(project) });
    onClose();
  }
  const save = useMutation({
    mutationFn: (rights: Rights) => withProof(() => petrel.admin.updateMember(project, id, rights)),
    onSuccess,
  });
  const remove = useMutation({ mutationFn: () => withProof(() => petrel.admin.removeMember(project, id)), onSuccess });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    save.mutate(rightsIn(new FormData(event.currentTarget)));
  }

  return (
    <Dialog title={name ?? email} onClose={onClose}>
      {name !== null && (
        <p className="text-quiet">
          <bdi>{email}</bdi>
        </p>
      )}
      <form id={form} onSubmit={send} className="mt-4 flex flex-wrap items-end gap-x-3 gap-y-2">
        <RightsFields of={member} />
      </form>
      {(save.error ?? remove.error) && <Refused error={save.error ?? remove.error} />}
      <div className="mt-6 flex flex-wrap items-center gap-2">
        <Confirm
          label={words.remove}
          title={words.settings.members.removeTitle(name ?? email)}
          action={words.remove}
          run={() => remove.mutate()}
          isBusy={remove.isPending}
        >
          {words.settings.members.removeAdvice}
        </Confirm>
        <Button className="ms-auto" onClick={onClose}>
          {words.cancel}
        </Button>
        <Button type="submit" form={form} kind="main" isBusy={save.isPending}>
          {words.save}
        </Button>
      </div>
    </Dialog>
  );
}
