/** The version of the product, as package.json says it. */
export const productVersion = "1.0.0";
