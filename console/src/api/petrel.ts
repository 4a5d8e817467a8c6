import { Petrel } from "petrel-client";

/** The client of one project, which calls with the cookie of the session in place of a key. */
export function petrelOf(projectId: string): Petrel {
  return new Petrel({
    key: "session",
    baseUrl: location.origin,
    maxRetries: 1,
    fetch(input, init) {
      const headers = new Headers(init?.headers);
      headers.delete("Authorization");
      headers.set("Petrel-Project", projectId);
      return fetch(input, { ...init, headers, credentials: "same-origin" });
    },
  });
}
