import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../parts/button";
import { SelectField, TextField } from "../../parts/field";
import { useWords } from "../../words/words";
import type { EmailFilters } from "./filters";
import { Narrowed } from "./narrowed";

interface FilterBarProps {
  project: string;
  filters: EmailFilters;
}

/** Shows the filters of the mail log. Each filter is in the address, so that a link shows others the same list. */
export function FilterBar({ project, filters }: FilterBarProps) {
  const { words } = useWords();
  const navigate = useNavigate();
  const set = (change: Record<string, string>) =>
    void navigate({ to: "/p/$project/emails", params: { project }, search: { ...filters, ...change } as EmailFilters });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <search className="grid grid-cols-2 items-end gap-3 border-b border-line p-4 desk:grid-cols-[2fr_1fr_1fr_1fr_1fr_auto]">
      <form
        className="col-span-2 desk:col-span-1"
        onSubmit={(event) => {
          event.preventDefault();
          set({ to: `${new FormData(event.currentTarget).get("to") ?? ""}`.trim() });
        }}
      >
        <TextField
          key={filters.to}
          label={words.emails.to}
          name="to"
          type="search"
          defaultValue={filters.to}
          placeholder={words.emails.toPlaceholder}
        />
      </form>
      <SelectField
        label={words.emails.status}
        value={filters.status ?? ""}
        onChange={({ target }) => set({ status: target.value })}
      >
        <option value="">{words.emails.anyStatus}</option>
        {Object.entries(words.status).map(([status, word]) => (
          <option key={status} value={status}>
            {word}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={words.emails.source}
        value={filters.source ?? ""}
        onChange={({ target }) => set({ source: target.value })}
      >
        <option value="">{words.emails.anySource}</option>
        {Object.entries(words.source).map(([source, word]) => (
          <option key={source} value={source}>
            {word}
          </option>
        ))}
      </SelectField>
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
      {isFiltered && (
        <Button
          kind="quiet"
          onClick={() => void navigate({ to: "/p/$project/emails", params: { project }, search: {} })}
        >
          {words.emails.clear}
        </Button>
      )}
      <Narrowed filters={filters} set={set} />
    </search>
  );
}
