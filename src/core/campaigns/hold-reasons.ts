/** The reason for a hold by a person. */
export const byPerson = "paused";

/** The reason for a hold that ends by itself, when the project's marketing email is no longer paused. */
export const byReputation = "reputation";

/** The reason for a hold that ends by itself, when a provider of the installation accepts marketing email. */
export const byCarrier = "marketing provider";

/** The reasons for a hold after a failed canary. */
export const byCanary = ["bounce rate", "complaint rate", "no reports"] as const;

export const byDisabledProject = "Project disabled";

/** The reasons for which a campaign waits although it is due. */
export const beforeItsStart = [byCarrier, "sender domain", "too many campaigns"] as const;
