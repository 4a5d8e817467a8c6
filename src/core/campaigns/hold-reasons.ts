/** Why a campaign is held: a person paused it. */
export const byPerson = "paused";

/** Why a campaign is held: the project's marketing email is paused. The hold ends by itself when the pause ends. */
export const byReputation = "reputation";

/** Why a campaign is held: no provider accepts marketing email. The hold ends by itself when a provider does. */
export const byCarrier = "marketing provider";

/** Why a campaign is held after its canary failed. */
export const byCanary = ["bounce rate", "complaint rate", "no reports"] as const;

export const byDisabledProject = "Project disabled";

/** Why a campaign that is due has not started. */
export const beforeItsStart = [byCarrier, "sender domain", "too many campaigns"] as const;
