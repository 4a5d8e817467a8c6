import { BadRequest } from "../core/errors";

/** Describes why a body is not JSON. */
export function notJson(text: string, type: string): BadRequest {
  if (text.trim() === "") {
    return new BadRequest("The request body is empty, and this endpoint takes JSON.", {
      suggestion: `Send a JSON object. ${headerNeeded}`,
    });
  }
  if (/^multipart\/form-data\b/i.test(type)) {
    return new BadRequest("The request body is a multipart form, and this endpoint takes JSON.", {
      suggestion: `Send the fields as a JSON object. ${headerNeeded}`,
    });
  }
  if (/^application\/x-www-form-urlencoded\b/i.test(type) && formEncoded.test(text)) {
    return new BadRequest("The request body is form-encoded, and this endpoint takes JSON.", {
      suggestion: `Send { "email": "ada@example.com" } rather than email=ada@example.com. ${headerNeeded}`,
    });
  }
  return new BadRequest("The request body is not valid JSON.", {
    suggestion: "Check the quotes and commas of the body, and whether it was cut off.",
  });
}

const headerNeeded = "Its Content-Type is application/json.";

/**
 * Matches a string that looks like a form. The Content-Type alone shows nothing, because curl sends the Content-Type of
 * a form by default.
 */
const formEncoded = /^[^={}"]{1,200}=/;
