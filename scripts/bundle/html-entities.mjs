/**
 * Stands in for postal-mime's table of two thousand entities. It reads them where a mail has no plain text, and all mail
 * that we parse, which is our own in the outbox, has one.
 */
export const htmlEntities = { "&amp;": "&", "&apos;": "'", "&gt;": ">", "&lt;": "<", "&nbsp;": " ", "&quot;": '"' };
