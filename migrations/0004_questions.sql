-- By hand: WITHOUT ROWID, and the expression of ix_emails_step, which drizzle-kit writes as the names of columns.
CREATE TABLE `campaign_left_out` (
	`project_id` integer NOT NULL,
	`campaign_id` text NOT NULL,
	`suppressed` integer NOT NULL,
	`snoozed` integer NOT NULL,
	`unsubscribed` integer NOT NULL,
	`topic` integer NOT NULL,
	PRIMARY KEY(`project_id`, `campaign_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `campaign_links` (
	`project_id` integer NOT NULL,
	`campaign_id` text NOT NULL,
	`content_id` text NOT NULL,
	`number` integer NOT NULL,
	`url` text NOT NULL,
	`clicks` integer DEFAULT 0 NOT NULL,
	`unique_clicks` integer DEFAULT 0 NOT NULL,
	`automated_clicks` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `campaign_id`, `content_id`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `emails` ADD `clicked_links` text;--> statement-breakpoint
CREATE INDEX `ix_emails_step` ON `emails` (`project_id`,substr(effect_id, 24),`id`) WHERE effect_id IS NOT NULL;