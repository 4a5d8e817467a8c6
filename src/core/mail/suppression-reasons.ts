/**
 * Why an address is on the suppression list. The reason is only for information: any of them stops mail of every type.
 */
export const suppressionReasons = ["bounce", "complaint", "unsubscribe", "manual"] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];
