/** The version of the product, equal to that in package.json. */
export const productVersion = "1.0.0";
