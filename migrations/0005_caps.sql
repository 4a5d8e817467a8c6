ALTER TABLE `project_counts` ADD `public_mail_hour` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `project_counts` ADD `public_mails` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `project_counts` ADD `suppressions` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `emails` ADD `is_public` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `public_answers` text DEFAULT 'IDS' NOT NULL;--> statement-breakpoint
ALTER TABLE `template_versions` ADD `check_at` integer;--> statement-breakpoint
CREATE INDEX `ix_template_versions_check` ON `template_versions` (`check_at`) WHERE check_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_template_versions_body` ON `template_versions` (`project_id`,`body_key`) WHERE body_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_campaigns_body` ON `campaigns` (`project_id`,`body_key`) WHERE body_key IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_email_contents_version` ON `email_contents` (`project_id`,`template_version_id`) WHERE template_version_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_email_contents_body` ON `email_contents` (`project_id`,`body_key`) WHERE body_key IS NOT NULL;--> statement-breakpoint
-- The versions that templates had before.
UPDATE `template_versions` SET `check_at` = 0 WHERE NOT EXISTS (SELECT 1 FROM `templates` `t` WHERE `t`.`project_id` = `template_versions`.`project_id` AND `t`.`id` = `template_versions`.`template_id` AND `t`.`version_id` = `template_versions`.`id`);--> statement-breakpoint
INSERT INTO `project_counts` (`project_id`, `suppressions`) SELECT `project_id`, count(*) FROM `suppressions` WHERE true GROUP BY `project_id` ON CONFLICT DO UPDATE SET `suppressions` = excluded.`suppressions`;
