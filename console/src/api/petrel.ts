import { Petrel } from "petrel-client";

/**
 * Returns the client of one project, or of the installation. It calls with the cookie of the session in place of a key.
 */
export function petrelOf(projectId: string | null): Petrel {
  return new Petrel({
    key: "session",
    baseUrl: location.origin,
    maxRetries: 1,
    fetch(input, init) {
      const headers = new Headers(init?.headers);
      headers.delete("Authorization");
      if (projectId !== null) headers.set("Petrel-Project", projectId);
      // An upload is given up while its page is left, and the browser must finish that call.
      return fetch(input, { ...init, headers, credentials: "same-origin", keepalive: init?.method === "DELETE" });
    },
  });
}

/** The calls about the installation as a whole. Only owners may make them. */
export const installation = petrelOf(null);
