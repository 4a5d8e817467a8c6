/** The maximum number of topics that a project has at once. */
export const maxTopics = 50;

/** Returns the message for a topic that the project does not have. */
export function unknownTopic(slug: string): string {
  return `No topic ${slug} in this project: GET /topics lists them, each with its slug`;
}
