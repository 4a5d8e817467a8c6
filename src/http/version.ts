/** The version of the API, not of the code. */
export const apiVersion = "1.0.0";
