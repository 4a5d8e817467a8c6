CREATE TABLE `files` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`secret` text NOT NULL,
	`name` text,
	`content_type` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
ALTER TABLE `campaigns` ADD `files` text;--> statement-breakpoint
CREATE INDEX `ix_campaigns_files` ON `campaigns` (`project_id`,`status`,`files`) WHERE files IS NOT NULL;--> statement-breakpoint
ALTER TABLE `template_versions` ADD `files` text;--> statement-breakpoint
CREATE INDEX `ix_template_versions_files` ON `template_versions` (`project_id`,`id`,`files`) WHERE files IS NOT NULL;