/** The limits on bounces and complaints, in percent; 0 turns a limit off. */
export interface ReputationLimits {
  bouncePercent: number;
  complaintPercent: number;
}

/** Consecutive emails of a project, in the order in which they were accepted. */
export interface SendingBlock {
  /** The number of emails accepted before this block. */
  firstMail: number;
  startedAt: number;
  bounced: number;
  complained: number;
}

/** The number of a project's last emails, and how many of these bounced or drew complaints. */
export interface Standing {
  mails: number;
  bounced: number;
  complained: number;
}

/** The fewest emails on which a project is judged. */
const leastMails = 1_000;

/**
 * Returns the standing over the project's last blocks, going back until they have at least 1,000 emails; null while
 * there are fewer. `blocks` are sorted from the newest, and `mails` is the number of all emails. Blocks that began
 * before `countedFrom` do not count.
 */
export function standingOf(blocks: SendingBlock[], mails: number, countedFrom: number): Standing | null {
  const sum: Standing = { mails: 0, bounced: 0, complained: 0 };
  let end = mails;
  for (const { firstMail, startedAt, bounced, complained } of blocks) {
    // If `firstMail` is above `end`, the count has started again: the project sent nothing for the whole retention of
    // its events, so they were deleted.
    if (startedAt < countedFrom || firstMail > end) return null;
    end = firstMail;
    sum.mails = mails - firstMail;
    sum.bounced += bounced;
    sum.complained += complained;
    if (sum.mails >= leastMails) return sum;
  }
  return null;
}

/** Returns why marketing email must stop, in a sentence; null when it may continue. */
export function whyPaused({ mails, bounced, complained }: Standing, limits: ReputationLimits): string | null {
  const isOver = (count: number, percent: number) => percent > 0 && count * 100 > percent * mails;
  const { bouncePercent, complaintPercent } = limits;
  if (isOver(bounced, bouncePercent))
    return `${bounced} of the last ${mails} emails bounced, more than ${bouncePercent} %.`;
  if (isOver(complained, complaintPercent))
    return `${complained} of the last ${mails} emails drew complaints, more than ${complaintPercent} %.`;
  return null;
}
