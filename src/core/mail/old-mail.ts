import type { Id } from "../ids";

/** An email that the sweep over old mail visits, and how far the sweep was with its project. */
export interface OldMail {
  projectId: number;
  id: Id;
  isReady: boolean;
  /** The page began behind this email. */
  after: Id;
  /** Where the next round of the project begins, as far as the pages before this one know. */
  again: Id | null;
}

/** How far the sweep is with a project. */
interface PlaceInProject {
  projectId: number;
  after: Id;
  again: Id | null;
}

/**
 * Where the projects of a page stand after it; `next` is the first email behind the page. A project that the page has
 * come to the end of begins its next round behind the last email before the first that was not ready.
 */
export function afterPage(mails: OldMail[], next: OldMail | undefined): PlaceInProject[] {
  return [...Map.groupBy(mails, ({ projectId }) => projectId)].flatMap(([projectId, visited]) => {
    const [first, last] = [visited[0], visited.at(-1)];
    if (!first || !last) return [];
    const again = first.again ?? beforeUnready(visited);
    if (next?.projectId === projectId) return [{ projectId, after: last.id, again }];
    return [{ projectId, after: again ?? last.id, again: null }];
  });
}

function beforeUnready(visited: OldMail[]): Id | null {
  const place = visited.findIndex(({ isReady }) => !isReady);
  return visited[place - 1]?.id ?? visited[place]?.after ?? null;
}
