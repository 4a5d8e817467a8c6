/** The cache keys of these pages' lists. */
export const projectsKey = ["installation", "projects"];
export const peopleKey = ["installation", "people"];
