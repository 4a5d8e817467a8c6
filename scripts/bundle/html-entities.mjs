/**
 * Replaces postal-mime's table of two thousand entities. It is only read for an email without plain text, and all mail
 * that we parse (our own, in the outbox) has plain text.
 */
export const htmlEntities = { "&amp;": "&", "&apos;": "'", "&gt;": ">", "&lt;": "<", "&nbsp;": " ", "&quot;": '"' };
