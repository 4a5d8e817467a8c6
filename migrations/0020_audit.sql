-- By hand: WITHOUT ROWID.
CREATE TABLE `audit_entries` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text,
	`action` text NOT NULL,
	`target_type` text NOT NULL,
	`target_id` text,
	`target_name` text,
	`ip` text,
	`request_id` text NOT NULL,
	`changes` text NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_audit_entries_target` ON `audit_entries` (`project_id`,`target_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_audit_entries_actor` ON `audit_entries` (`project_id`,`actor_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_audit_entries_expiry` ON `audit_entries` (`id`);