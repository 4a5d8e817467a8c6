import type { Contact } from "petrel-client";
import { useState } from "react";

/** The people of a bulk operation: some by their ids, or everybody that the list finds, loaded or not. */
export type Selected = { ids: ReadonlySet<string> } | "all";

export interface Selection {
  selected: Selected;
  isEmpty: boolean;
  has(contact: Contact): boolean;
  toggle(contact: Contact): void;
  toggleAll(): void;
  clear(): void;
}

const nobody: Selected = { ids: new Set() };

/** Manages the selected people of a list. `list` identifies the list: another list begins without a selection. */
export function useSelection(list: string): Selection {
  const [{ of, selected }, set] = useState({ of: list, selected: nobody });
  const now = of === list ? selected : nobody;
  const select = (next: Selected) => set({ of: list, selected: next });
  return {
    selected: now,
    isEmpty: now !== "all" && now.ids.size === 0,
    has: ({ id }) => now === "all" || now.ids.has(id),
    toggle({ id }) {
      // The service cannot be told "all except this one".
      if (now === "all") return select(nobody);
      const ids = new Set(now.ids);
      if (!ids.delete(id)) ids.add(id);
      select({ ids });
    },
    toggleAll: () => select(now === "all" ? nobody : "all"),
    clear: () => select(nobody),
  };
}
