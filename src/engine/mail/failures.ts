/** The error texts of emails that failed or are on hold, where the cause has nothing to do with the recipient. */
export const failures = {
  projectDisabled: "The project is disabled",
  domainGone: "The sender domain is no longer a verified domain of this project",
  noLinks:
    "Marketing and confirmation email needs links, but this installation cannot sign them: its operator must set LINK_SECRETS",
  sendingPaused: "Waits, because the marketing email of this project is paused",
} as const;
