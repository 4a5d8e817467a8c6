import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type SubmitEvent, useId } from "react";
import { Button } from "../../../parts/button";
import { SelectField, TextField } from "../../../parts/field";
import { useWords } from "../../../words/words";
import type { AuditFilters } from "./filters";

/** A person or a key that changes something. */
export interface Actor {
  id: string;
  name: string;
}

interface FilterBarProps {
  /** The subject of the log: a project, or the installation. */
  of: string;
  filters: AuditFilters;
  /** The actions of the loaded entries, which the field offers. */
  actions: string[];
  readActors(signal: AbortSignal): Promise<Actor[]>;
}

/** Shows the filters of the audit log. Each filter is in the address, so that a link shows others the same list. */
export function FilterBar({ of, filters, actions, readActors }: FilterBarProps) {
  const { words } = useWords();
  const navigate = useNavigate();
  const offered = useId();
  const texts = words.settings.audit;
  const go = (search: AuditFilters) => void navigate({ to: ".", search });
  const set = (change: AuditFilters) => go({ ...filters, ...change });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    set({ action: `${form.get("action") ?? ""}`.trim(), target: `${form.get("target") ?? ""}`.trim() });
  }

  return (
    <search className="grid grid-cols-2 items-end gap-3 border-b border-line p-4 tablet:grid-cols-3 desk:grid-cols-[1fr_2fr_1fr_1fr_auto]">
      <ActorField of={of} readActors={readActors} value={filters.actor ?? ""} choose={(actor) => set({ actor })} />
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

interface ActorFieldProps extends Pick<FilterBarProps, "of" | "readActors"> {
  value: string;
  choose(actor: string): void;
}

/** Offers the current people and keys. A person who has left is found by one of their entries. */
function ActorField({ of, readActors, value, choose }: ActorFieldProps) {
  const { words } = useWords();
  const { data = [] } = useQuery({ queryKey: [of, "actors"], queryFn: ({ signal }) => readActors(signal) });
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
