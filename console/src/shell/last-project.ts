const name = "petrel-project";

/** The project that this browser had open last. Without a place to keep it, the first one is opened. */
export function lastProject(): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepProject(id: string): void {
  try {
    localStorage.setItem(name, id);
  } catch {
    // A browser may forbid it: the first project is opened then.
  }
}
