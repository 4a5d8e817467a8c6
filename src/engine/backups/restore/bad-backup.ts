/** A file of a backup is missing or cannot be read. The message is a sentence for the operator. */
export class BadBackup extends Error {
  override readonly name = "BadBackup";
}
