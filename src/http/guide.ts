/** The introduction of the document, in Markdown. */
export const guide = `One API for transactional email, contacts and their events.`;
