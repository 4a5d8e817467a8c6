import type { Id } from "../ids";

/** An email that the sweep over old mail visits, with the position of the sweep in the email's project. */
export interface OldMail {
  projectId: number;
  id: Id;
  isReady: boolean;
  /** The email after which the current page began. */
  after: Id;
  /**
   * The email after which the sweep restarts once it has reached the end of the project, because the next email was not
   * ready. Null while all emails have been ready.
   */
  again: Id | null;
}

/** The position of the sweep in a project. */
interface PlaceInProject {
  projectId: number;
  after: Id;
  again: Id | null;
}

/**
 * Returns where the sweep continues in each project of a page. `next` is the first email after the page. When the page
 * reaches the end of a project, the sweep restarts in that project just before the first email that was not ready.
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
  const index = visited.findIndex(({ isReady }) => !isReady);
  return visited[index - 1]?.id ?? visited[index]?.after ?? null;
}
