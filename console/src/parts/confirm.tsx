import { type ReactNode, useRef } from "react";
import { useWords } from "../words/words";
import { Button } from "./button";

interface ConfirmProps {
  /** The label of the button that opens the question. */
  label: ReactNode;
  title: string;
  /** The consequences. */
  children: ReactNode;
  /** The label of the button that does it. */
  action: string;
  run(): void;
  /** Called when the question opens, to reload the data that it shows. */
  opened?(): void;
  isBusy?: boolean;
}

/** Shows a button that asks for confirmation before an action that cannot be undone. */
export function Confirm({ label, title, children, action, run, opened, isBusy }: ConfirmProps) {
  const { words } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  function open() {
    dialog.current?.showModal();
    opened?.();
  }
  return (
    <>
      <Button kind="alarm" isBusy={isBusy} onClick={open}>
        {label}
      </Button>
      <dialog ref={dialog} aria-label={title} className="sheet w-[min(28rem,calc(100vw-2rem))] p-6">
        <form method="dialog">
          <h2 className="text-large font-semibold">{title}</h2>
          <div className="mt-2 text-quiet">{children}</div>
          <div className="mt-6 flex justify-end gap-2">
            <Button type="submit">{words.cancel}</Button>
            <Button type="submit" kind="alarm" onClick={run}>
              {action}
            </Button>
          </div>
        </form>
      </dialog>
    </>
  );
}
