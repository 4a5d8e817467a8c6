const name = "petrel-project";

/** Returns the project that this browser had open last. Without storage, the first project is opened. */
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
    // A browser may forbid storage: the first project is then opened.
  }
}
