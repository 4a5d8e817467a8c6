/** In percent; 0 switches a limit off. */
export interface ReputationLimits {
  bouncePercent: number;
  complaintPercent: number;
}

/** A run of a project's mails, in the order in which they were accepted. */
export interface SendingBlock {
  /** How many mails were accepted before it. */
  firstMail: number;
  startedAt: number;
  bounced: number;
  complained: number;
}

/** Reports about a project's last mails. */
export interface Standing {
  mails: number;
  bounced: number;
  complained: number;
}

/** A project is never judged by fewer mails. */
const leastMails = 1_000;

/**
 * The project's last blocks that together have at least 1,000 mails; null while there are fewer. `blocks` are in order,
 * the newest first, and `mails` is the number of all mails. Blocks that began before `countedFrom` do not count.
 */
export function standingOf(blocks: SendingBlock[], mails: number, countedFrom: number): Standing | null {
  const sum: Standing = { mails: 0, bounced: 0, complained: 0 };
  let end = mails;
  for (const { firstMail, startedAt, bounced, complained } of blocks) {
    // The count started again, because the project's events were forgotten: it had no mail for too long.
    if (startedAt < countedFrom || firstMail > end) return null;
    end = firstMail;
    sum.mails = mails - firstMail;
    sum.bounced += bounced;
    sum.complained += complained;
    if (sum.mails >= leastMails) return sum;
  }
  return null;
}

/** Why marketing email must stop, in a sentence; null when it may go on. */
export function whyPaused({ mails, bounced, complained }: Standing, limits: ReputationLimits): string | null {
  const isOver = (count: number, percent: number) => percent > 0 && count * 100 > percent * mails;
  const { bouncePercent, complaintPercent } = limits;
  if (isOver(bounced, bouncePercent))
    return `Of the last ${mails} emails, ${bounced} bounced, over ${bouncePercent} %.`;
  if (isOver(complained, complaintPercent))
    return `Of the last ${mails} emails, ${complained} drew complaints, over ${complaintPercent} %.`;
  return null;
}
