CREATE INDEX `ix_emails_unsent` ON `emails` (`project_id`,`id`) WHERE status IN ('FAILED', 'UNKNOWN');--> statement-breakpoint
CREATE INDEX `ix_jobs_failed` ON `jobs` (`project_id`,`completed_at`) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX `ix_workflows_issues` ON `workflows` (`project_id`,`id`) WHERE enabled AND issues <> '[]';