import { type ReactNode, useLayoutEffect, useRef } from "react";

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
}

/** Shows a dialog over the page while it is rendered. Afterwards, the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      className="sheet max-h-[calc(100dvh-2rem)] w-[min(34rem,calc(100vw-2rem))] overflow-y-auto p-6"
      // The event may also arrive late, after the dialog was opened again.
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
    >
      <h2 className="text-large font-semibold">
        <bdi>{title}</bdi>
      </h2>
      {children}
    </dialog>
  );
}
