const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const pattern = new RegExp(`^(${uuid})[._](${uuid})$`);

/**
 * Returns the tag that every email has at its provider. Reports of the provider contain the tag, which names the
 * project and the email. The separator is an underscore, because tags of SES and Resend may only contain letters,
 * digits, `_` and `-`.
 */
export function writeTag({ projectId, emailId }: { projectId: string; emailId: string }): string {
  return `${projectId}_${emailId}`;
}

/** Reads a tag. Null for a tag that we did not write. */
export function readTag(tag: string): { projectId: string; emailId: string } | null {
  const [, projectId, emailId] = pattern.exec(tag) ?? [];
  return projectId && emailId ? { projectId, emailId } : null;
}
