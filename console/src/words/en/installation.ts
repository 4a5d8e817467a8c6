export const installation = {
  pages: { projects: "Projects", people: "Owners and people", audit: "Audit log" },
  projects: {
    name: "Name of the project",
    testClock: "With a clock that tests move",
    make: "Make a project",
    made: "It is there.",
    none: "There is no project yet",
  },
  people: {
    asOwner: "Owner of the installation",
    ownerLead: "An owner may do everything, in all projects. Others are added to projects one by one.",
    member: "Member",
    noProjects: "Member of no project",
    allProjects: "All of them, as an owner",
    removeAdvice: "They are signed out everywhere, and out of all projects, within 30 seconds.",
  },
  audit: { noneAdvice: "New and deleted projects, owners and keys of the installation appear here." },
};
