import clsx from "clsx";
import { type ReactNode, useEffect } from "react";

interface PageProps {
  title: string;
  /** Shown next to the title, such as a total. */
  aside?: ReactNode;
  actions?: ReactNode;
  /** For a page with one short form, in the middle. */
  isNarrow?: boolean;
  children: ReactNode;
}

/** Shows a page: its title, which the tab also has, and its content. */
export function Page({ title, aside, actions, isNarrow = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Petrel`;
  }, [title]);
  return (
    <main
      id="main"
      tabIndex={-1}
      className={clsx(
        "mx-auto w-full p-4 outline-none tablet:p-6",
        isNarrow ? "max-w-md pt-12 tablet:pt-[15vh]" : "max-w-6xl",
      )}
    >
      <header className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-title font-semibold tracking-tight">
          <bdi>{title}</bdi>
        </h1>
        <div className="text-quiet">{aside}</div>
        <div className="ms-auto flex flex-wrap gap-2">{actions}</div>
      </header>
      {children}
    </main>
  );
}

interface SectionProps {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, actions, children }: SectionProps) {
  return (
    <section aria-label={title} className="sheet min-w-0">
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3">
        <h2 className="text-base font-semibold">{title}</h2>
        <div className="ms-auto flex gap-2">{actions}</div>
      </header>
      {children}
    </section>
  );
}
