DROP INDEX `ix_events_contact`;--> statement-breakpoint
CREATE INDEX `ix_events_person` ON `events` (`project_id`,`contact_id`,`id`) WHERE name NOT IN ('email.sent', 'email.delivered');--> statement-breakpoint
DROP INDEX `ix_workflow_effects_expiry`;--> statement-breakpoint
DROP INDEX `ix_workflow_executions_waiting`;--> statement-breakpoint
DROP INDEX `ix_workflow_executions_due`;--> statement-breakpoint
CREATE INDEX `ix_workflow_executions_wake` ON `workflow_executions` (`clock`,`project_id`,`wake_at`,`id`) WHERE wake_at IS NOT NULL;