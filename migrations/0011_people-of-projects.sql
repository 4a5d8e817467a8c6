CREATE TABLE `used_challenges` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `ix_used_challenges_expiry` ON `used_challenges` (`expires_at`);--> statement-breakpoint
ALTER TABLE `sign_in_links` ADD `invited_to` integer;--> statement-breakpoint
ALTER TABLE `sign_in_links` ADD `invited_by` text;--> statement-breakpoint
CREATE INDEX `ix_sign_in_links_invitations` ON `sign_in_links` (`invited_to`,`created_at`) WHERE kind = 'invitation';