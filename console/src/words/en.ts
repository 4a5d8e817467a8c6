import { home } from "./en/home";

/**
 * The texts of the first screen, and those that every page has. Numbers are passed as they are written in the reader's
 * language.
 */
export const en = {
  copy: (what: string) => `Copy ${what}`,
  copied: "Copied",
  cancel: "Cancel",
  save: "Save",
  remove: "Remove",
  since: "since",
  states: {
    loading: "Loading",
    offline: "The service did not answer. Look at your connection, and try again.",
    onlyReading: "You can read this page. To change something here, ask an admin.",
    fault: "This page has a fault of its own. Load it again, or report it.",
    request: "Request",
    again: "Try again",
    byApi: "By the API",
    end: "That is all.",
  },
  shell: {
    skip: "To the page",
    pages: "Pages",
    project: "Project",
    search: "Search",
    home: "Home",
    emails: "Mail",
    people: "People",
    campaigns: "Campaigns",
    domains: "Domains",
    settings: "Settings",
    installation: "Installation",
    account: "Your sign-ins",
    signOut: "Sign out",
    testClock: "test clock",
    disabled: "disabled",
    noProject: "You are a member of no project",
    noProjectAdvice: "Somebody who is an admin of a project, or an owner, can add you to it.",
    nowhere: "There is no such page",
    toStart: "To the start",
  },
  home,
};
