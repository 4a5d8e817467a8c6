/** The version of the product, of its API and of its clients, equal to that in package.json. */
export const productVersion = "1.0.0";
