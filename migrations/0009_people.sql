CREATE TABLE `memberships` (
	`person_id` text NOT NULL,
	`project_id` integer NOT NULL,
	`role` text NOT NULL,
	`may_send` integer DEFAULT true NOT NULL,
	`sees_personal_data` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`person_id`, `project_id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_memberships_project` ON `memberships` (`project_id`,`person_id`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`credential_id` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`person_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE INDEX `ix_passkeys_person` ON `passkeys` (`person_id`);--> statement-breakpoint
CREATE TABLE `people` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`name` text,
	`locale` text,
	`is_owner` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_people_email` ON `people` (`email`);--> statement-breakpoint
CREATE INDEX `ix_people_owners` ON `people` (`id`) WHERE is_owner;--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`person_id` text NOT NULL,
	`method` text NOT NULL,
	`opened_by` text NOT NULL,
	`user_agent` text,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_sessions_hash` ON `sessions` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `ux_sessions_opened_by` ON `sessions` (`opened_by`);--> statement-breakpoint
CREATE INDEX `ix_sessions_person` ON `sessions` (`person_id`);--> statement-breakpoint
CREATE INDEX `ix_sessions_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sign_in_links` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`email` text,
	`hash` text,
	`code_hash` text,
	`origin` text,
	`browser_hash` text,
	`network` text,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`used_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_sign_in_links_hash` ON `sign_in_links` (`hash`);--> statement-breakpoint
CREATE INDEX `ix_sign_in_links_email` ON `sign_in_links` (`email`,`created_at`);--> statement-breakpoint
CREATE INDEX `ix_sign_in_links_network` ON `sign_in_links` (`network`,`created_at`);--> statement-breakpoint
CREATE INDEX `ix_sign_in_links_browser` ON `sign_in_links` (`browser_hash`);--> statement-breakpoint
CREATE INDEX `ix_sign_in_links_due` ON `sign_in_links` (`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_sign_in_links_expiry` ON `sign_in_links` (`expires_at`);