CREATE TABLE `cron_runs` (
	`cron` text PRIMARY KEY NOT NULL,
	`first_ran_at` integer NOT NULL,
	`ran_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `database_sizes` (
	`shard` text NOT NULL,
	`noted_at` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`shard`, `noted_at`)
);
--> statement-breakpoint
CREATE INDEX `ix_database_sizes_noted` ON `database_sizes` (`noted_at`);--> statement-breakpoint
CREATE TABLE `health_states` (
	`name` text PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`since` integer NOT NULL,
	`told` text DEFAULT 'ok' NOT NULL
);
--> statement-breakpoint
CREATE TABLE `monitor_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_monitor_keys_hash` ON `monitor_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `ix_domains_failing` ON `domains` (`failing_since`) WHERE failing_since IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_emails_failed_at` ON `emails` (coalesce(ended_at, handed_at)) WHERE clock = 0 AND status IN ('FAILED', 'UNKNOWN');