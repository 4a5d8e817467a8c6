import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type SubmitEvent, useId } from "react";
import { useProject } from "../../../api/project";
import { Button } from "../../../parts/button";
import { SelectField, TextField } from "../../../parts/field";
import { useWords } from "../../../words/words";
import type { AuditFilters } from "./filters";

interface FilterBarProps {
  project: string;
  filters: AuditFilters;
  /** The actions of the entries that are loaded, which the field offers. */
  actions: string[];
}

/** The filters of the audit log. Each of them is in the address, so that a link shows somebody else the same. */
export function FilterBar({ project, filters, actions }: FilterBarProps) {
  const { words } = useWords();
  const navigate = useNavigate();
  const offered = useId();
  const texts = words.settings.audit;
  const go = (search: AuditFilters) => void navigate({ to: "/p/$project/settings/audit", params: { project }, search });
  const set = (change: AuditFilters) => go({ ...filters, ...change });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    set({ action: `${form.get("action") ?? ""}`.trim(), target: `${form.get("target") ?? ""}`.trim() });
  }

  return (
    <search className="grid grid-cols-2 items-end gap-3 border-b border-line p-4 desk:grid-cols-[1fr_2fr_1fr_1fr_auto]">
      <ActorField value={filters.actor ?? ""} choose={(actor) => set({ actor })} />
      <form
        key={`${filters.action} ${filters.target}`}
        onSubmit={send}
        className="col-span-2 row-start-1 grid grid-cols-2 gap-3 desk:col-span-1 desk:row-start-auto"
      >
        <TextField
          label={texts.action}
          name="action"
          type="search"
          list={offered}
          defaultValue={filters.action}
          placeholder={texts.actionPlaceholder}
        />
        <datalist id={offered}>
          {actions.map((action) => (
            <option key={action} value={action} />
          ))}
        </datalist>
        <TextField label={texts.targetId} name="target" type="search" defaultValue={filters.target} />
        <button type="submit" className="sr-only" tabIndex={-1}>
          {words.conditions.apply}
        </button>
      </form>
      <TextField
        label={words.emails.from}
        type="date"
        value={filters.startDate ?? ""}
        onChange={({ target }) => set({ startDate: target.value })}
      />
      <TextField
        label={words.emails.until}
        type="date"
        value={filters.endDate ?? ""}
        onChange={({ target }) => set({ endDate: target.value })}
      />
      {Object.keys(filters).length > 0 && (
        <Button kind="quiet" onClick={() => go({})}>
          {words.emails.clear}
        </Button>
      )}
    </search>
  );
}

/** The people and keys of the project now. Somebody who has left is found by an entry of theirs. */
function ActorField({ value, choose }: { value: string; choose(actor: string): void }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data = [] } = useQuery({
    queryKey: [project, "actors"],
    queryFn: async ({ signal }) => {
      const [members, keys] = await Promise.all([
        petrel.admin.listMembers(project, { limit: 100 }, { signal }),
        petrel.admin.listKeys(project, { signal }),
      ]);
      return [
        ...members.data.map(({ id, name, email }) => ({ id, name: name ?? email })),
        ...keys
          .filter(({ kind }) => kind === "secret")
          .map(({ id, name, prefix }) => ({ id, name: name ?? `${prefix}…` })),
      ];
    },
  });
  const texts = words.settings.audit;
  const isListed = value === "" || value === "operator" || data.some(({ id }) => id === value);
  return (
    <SelectField label={texts.actor} value={value} onChange={({ target }) => choose(target.value)}>
      <option value="">{texts.anybody}</option>
      <option value="operator">{texts.operator}</option>
      {!isListed && <option value={value}>{value}</option>}
      {data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
