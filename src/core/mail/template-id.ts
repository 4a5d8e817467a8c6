/** What is wrong with a template that is named otherwise than by its id. */
export const templateId =
  "Must be the id of a template, which is a UUID: GET /templates?search= finds templates by their names";
