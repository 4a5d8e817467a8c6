import { Plus, X } from "lucide-react";
import type { Filter } from "petrel-client";
import { useState } from "react";
import { useWords } from "../../words/words";
import { Button } from "../button";
import { FilterForm } from "./filter-form";
import { useSentence } from "./use-sentence";

interface FiltersProps {
  filters: Filter[];
  change(filters: Filter[]): void;
  /** False where a filter has to stay: it can be changed then, and not removed. */
  isRemovable?: boolean;
}

/** Filters that all hold: each is a sentence that opens its form, with a button that takes it away. */
export function Filters({ filters, change, isRemovable = true }: FiltersProps) {
  const { words } = useWords();
  const own = words.conditions;
  const { ofFilter } = useSentence();
  const [edited, edit] = useState<number | null>(null);
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
                  onClick={() => edit(at)}
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
      <AddFilter label={own.addFilter} isQuiet={filters.length > 0} add={(filter) => change([...filters, filter])} />
      {edited !== null && (
        <FilterForm
          title={own.edit}
          given={filters[edited]}
          done={(filter) => {
            edit(null);
            if (filter) change(filters.map((one, place) => (place === edited ? filter : one)));
          }}
        />
      )}
    </>
  );
}

interface AddFilterProps {
  label: string;
  /** It is one of several, beside what they have added. */
  isQuiet?: boolean;
  add(filter: Filter): void;
}

/** A button that asks for a filter. */
export function AddFilter({ label, isQuiet = false, add }: AddFilterProps) {
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
          done={(filter) => {
            open(false);
            if (filter) add(filter);
          }}
        />
      )}
    </>
  );
}
