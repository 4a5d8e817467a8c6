import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useWords } from "../words/words";
import { type Option, useFound } from "./find";
import { pageActions } from "./page-actions";

/**
 * Finds every page, person, campaign, mail and action by a few letters, an address or an id. It is open while it is
 * rendered.
 */
export function Palette({ onClose }: { onClose(): void }) {
  const { words } = useWords();
  const list = useId();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const [ofPage] = useState<Option[]>(pageActions);
  const found = useFound(text, ofPage);
  const options = found.flatMap(({ options }) => options);

  useLayoutEffect(() => dialog.current?.showModal(), []);

  // Keys can move the selection out of the visible part of a long list.
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: "nearest" });
  }, [list, at]);

  function take(option: Option | undefined) {
    if (option === undefined) return;
    dialog.current?.close();
    if (option.go) void navigate(option.go);
    else option.press();
  }

  function move(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      setAt((at + step + options.length) % options.length);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      take(options[at]);
    }
  }

  return (
    <dialog
      ref={dialog}
      aria-label={words.palette.label}
      className="sheet mt-[10vh] w-[min(36rem,calc(100vw-2rem))] overflow-hidden"
      onClose={onClose}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={options[at] ? `${list}-${at}` : undefined}
        aria-label={words.palette.label}
        placeholder={words.palette.placeholder}
        className="w-full border-b border-line bg-sheet px-4 py-3 text-large outline-none"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={move}
      />
      <div id={list} role="listbox" aria-label={words.palette.label} className="max-h-[60vh] overflow-y-auto p-2">
        {found.map(({ title, options: group }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
          <div key={title} role="group" aria-label={title}>
            <p aria-hidden className="px-2 pt-2 text-small text-quiet">
              {title}
            </p>
            {group.map((option) => {
              const place = options.indexOf(option);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
                <div
                  key={option.id}
                  id={`${list}-${place}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={place === at}
                  className="cursor-pointer rounded-part px-2 py-2 aria-selected:bg-hover"
                  onClick={() => take(option)}
                  onMouseMove={() => setAt(place)}
                >
                  <bdi>{option.name}</bdi>
                  {option.hint && <span className="ms-2 text-small text-quiet">{option.hint}</span>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {options.length === 0 && <p className="px-4 pb-4 text-quiet">{words.palette.nothing}</p>}
    </dialog>
  );
}
