const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const pattern = new RegExp(`^(${uuid})[._](${uuid})$`);

/**
 * The tag of every mail at its provider, which leads its reports to the project and the email. The separator is an
 * underscore, because tags of SES and Resend allow letters, digits, `_` and `-` only.
 */
export function writeTag({ projectId, emailId }: { projectId: string; emailId: string }): string {
  return `${projectId}_${emailId}`;
}

/** Null for a tag that we did not write. */
export function readTag(tag: string): { projectId: string; emailId: string } | null {
  const [, projectId, emailId] = pattern.exec(tag) ?? [];
  return projectId && emailId ? { projectId, emailId } : null;
}
