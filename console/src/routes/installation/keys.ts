/** The lists of these pages in the cache. */
export const projectsKey = ["installation", "projects"];
export const peopleKey = ["installation", "people"];
