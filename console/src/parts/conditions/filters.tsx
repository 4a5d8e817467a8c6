import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import type { Filter } from "petrel-client";
import { useState } from "react";
import { useWords } from "../../words/words";
import { Button } from "../button";
import { FilterForm } from "./filter-form";
import { useSentence } from "./use-sentence";

interface FiltersProps {
  filters: Filter[];
  change(filters: Filter[]): void;
  /** False where a filter is required: it can then be changed, but not removed. */
  isRemovable?: boolean;
  /** The larger condition that the filters belong to, if there is one. */
  basis?: unknown;
}

/** Shows filters that must all hold. Each is a sentence that opens its form, with a button that removes it. */
export function Filters({ filters, change, isRemovable = true, basis = filters }: FiltersProps) {
  const { words } = useWords();
  const own = words.conditions;
  const { ofFilter } = useSentence();
  const [edited, edit] = useState<{ at: number; filter: Filter } | null>(null);
  return (
    <>
      {filters.length > 0 && (
        <ul className="contents">
          {filters.map((filter, at) => {
            const sentence = ofFilter(filter);
            return (
              <li
                key={JSON.stringify(filter)}
                className="inline-flex min-h-9 max-w-full items-center gap-1 rounded-full bg-quiet-tint text-small"
              >
                <button
                  type="button"
                  title={own.edit}
                  className="min-h-9 min-w-0 rounded-full ps-3 pe-3 text-start not-last:pe-1 enabled:hover:underline"
                  onClick={() => edit({ at, filter })}
                >
                  <bdi>{sentence}</bdi>
                </button>
                {isRemovable && (
                  <button
                    type="button"
                    aria-label={own.removeFilter(sentence)}
                    className="grid size-8 shrink-0 place-items-center rounded-full text-quiet enabled:hover:bg-hover enabled:hover:text-ink"
                    onClick={() => change(filters.filter((_, place) => place !== at))}
                  >
                    <X size={14} aria-hidden />
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      )}
      <AddFilter
        label={own.addFilter}
        isQuiet={filters.length > 0}
        basis={basis}
        add={(filter) => change([...filters, filter])}
      />
      {edited !== null && (
        <FilterForm
          title={own.edit}
          given={edited.filter}
          basis={basis}
          done={(filter) => {
            edit(null);
            if (filter) change(filters.map((one, place) => (place === edited.at ? filter : one)));
          }}
        />
      )}
    </>
  );
}

interface AddFilterProps {
  label: string;
  /** Whether the button is one of several, next to the filters that they added. */
  isQuiet?: boolean;
  /** The conditions that the filter is added to. */
  basis: unknown;
  add(filter: Filter): void;
  /** Called when the form was closed without a filter. */
  leave?(): void;
}

/** Shows a button that asks for a filter. */
export function AddFilter({ label, isQuiet = false, basis, add, leave }: AddFilterProps) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <Button kind={isQuiet ? "quiet" : "plain"} onClick={() => open(true)}>
        <Plus size={16} aria-hidden />
        {label}
      </Button>
      {isOpen && (
        <FilterForm
          title={label}
          basis={basis}
          done={(filter) => {
            open(false);
            if (filter) add(filter);
            else leave?.();
          }}
        />
      )}
    </>
  );
}
