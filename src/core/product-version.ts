/** The version of the product, of its API and of its clients. It is the same as in package.json. */
export const productVersion = "1.0.0";
