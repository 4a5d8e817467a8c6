import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Person } from "petrel-client";
import { type SubmitEvent, useId } from "react";
import { installation } from "../../api/petrel";
import { sessionKey } from "../../api/queries";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/confirm";
import { Dialog } from "../../parts/dialog";
import { CheckField } from "../../parts/field";
import { useProof } from "../../parts/proof";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { peopleKey } from "./keys";

/** Shows a person with the person's projects. Grants or removes ownership, and deletes the person. */
export function PersonDialog({ person, onClose }: { person: Person; onClose(): void }) {
  const { words } = useWords();
  const queries = useQueryClient();
  const withProof = useProof();
  const form = useId();
  const { id, email, name, role } = person;
  const texts = words.installation.people;
  const whole = useQuery({
    queryKey: [...peopleKey, id],
    queryFn: ({ signal }) => installation.admin.getPerson(id, { signal }),
  });
  async function onSuccess() {
    await Promise.all([
      queries.invalidateQueries({ queryKey: peopleKey }),
      // A person may have changed their own rights.
      queries.invalidateQueries({ queryKey: sessionKey }),
    ]);
    onClose();
  }
  const save = useMutation({
    mutationFn: (isOwner: boolean) =>
      withProof(() => installation.admin.updatePerson(id, { role: isOwner ? "owner" : null })),
    onSuccess,
  });
  const remove = useMutation({ mutationFn: () => withProof(() => installation.admin.deletePerson(id)), onSuccess });
  const error = save.error ?? remove.error ?? whole.error;

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const isOwner = new FormData(event.currentTarget).has("owner");
    // A role that was not changed here may have been changed by another person meanwhile.
    if (isOwner === (role === "owner")) onClose();
    else save.mutate(isOwner);
  }

  return (
    <Dialog title={name ?? email} onClose={onClose}>
      {name !== null && (
        <p className="text-quiet">
          <bdi>{email}</bdi>
        </p>
      )}
      <form id={form} onSubmit={send} className="mt-4">
        <CheckField label={texts.asOwner} name="owner" defaultChecked={role === "owner"} />
        <p className="text-small text-quiet">{texts.ownerLead}</p>
      </form>
      <h3 className="mt-4 text-small text-quiet">{words.installation.pages.projects}</h3>
      {whole.data === undefined && whole.error === null && <Loading rows={2} />}
      {whole.data?.projects.length === 0 && <p>{role === "owner" ? texts.allProjects : texts.noProjects}</p>}
      <ul>
        {whole.data?.projects.map((project) => (
          <li key={project.id} className="flex justify-between gap-4 py-1">
            <Link to="/p/$project/settings/members" params={{ project: project.id }} className="link min-w-0 truncate">
              <bdi>{project.name}</bdi>
            </Link>
            <span className="text-quiet">{words.settings.members.roles[project.role]}</span>
          </li>
        ))}
      </ul>
      {error && <Refused error={error} />}
      <div className="mt-6 flex flex-wrap items-center gap-2">
        <Confirm
          label={words.remove}
          title={words.settings.members.removeTitle(name ?? email)}
          action={words.remove}
          run={() => remove.mutate()}
          isBusy={remove.isPending}
        >
          {texts.removeAdvice}
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
