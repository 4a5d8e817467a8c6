import { X } from "lucide-react";
import type { Filter } from "petrel-client";
import { useWords } from "../../words/words";

interface ChipsProps {
  where: Filter[];
  remove(filter: Filter): void;
}

/** Each condition as a sentence, with a button that takes it away. */
export function Chips({ where, remove }: ChipsProps) {
  const { words } = useWords();
  const sentenceOf = useSentence();
  return (
    <ul className="contents">
      {where.map((filter) => {
        const sentence = sentenceOf(filter);
        return (
          <li
            key={JSON.stringify(filter)}
            className="inline-flex min-h-9 max-w-full items-center gap-1 rounded-full bg-quiet-tint ps-3 text-small"
          >
            <bdi className="truncate">{sentence}</bdi>
            <button
              type="button"
              aria-label={words.people.removeFilter(sentence)}
              className="grid size-8 place-items-center rounded-full text-quiet hover:bg-hover hover:text-ink"
              onClick={() => remove(filter)}
            >
              <X size={14} aria-hidden />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function useSentence() {
  const { words } = useWords();
  return ({ field, operator, value }: Filter): string => {
    const names: Record<string, string> = words.people.operators;
    const shown = typeof value === "boolean" ? (value ? words.people.yes : words.people.no) : (value ?? "");
    return `${field.replace(/^data\./, "")} ${names[operator] ?? operator} ${shown}`.trim();
  };
}
