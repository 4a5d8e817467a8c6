ALTER TABLE `campaign_pages` ADD `hours` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_campaigns_search` ON `campaigns` (`project_id`,`search_text`,`id`);--> statement-breakpoint
CREATE INDEX `ix_jobs_list` ON `jobs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `ix_workflows_search` ON `workflows` (`project_id`,`search_text`,`id`);--> statement-breakpoint
UPDATE `campaign_pages` SET `recount_at` = 0 WHERE `recount_at` IS NULL;
