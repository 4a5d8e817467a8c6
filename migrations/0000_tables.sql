-- A table whose rows are small lies in the tree of its key, WITHOUT ROWID: see docs/decisions/0003. drizzle-kit does not
-- know that, so a table that is generated anew gets it by hand.
CREATE TABLE `audience_references` (
	`project_id` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`referrer` text NOT NULL,
	`referrer_id` text NOT NULL,
	`referrer_name` text NOT NULL,
	PRIMARY KEY(`project_id`, `kind`, `name`, `referrer`, `referrer_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_audience_references_referrer` ON `audience_references` (`project_id`,`referrer`,`referrer_id`);--> statement-breakpoint
CREATE TABLE `campaign_counts` (
	`project_id` integer NOT NULL,
	`campaign_id` text NOT NULL,
	`content_id` text NOT NULL,
	`variant` text,
	`queued` integer NOT NULL,
	`failed` integer NOT NULL,
	`suppressed` integer NOT NULL,
	`cancelled` integer NOT NULL,
	`unknown` integer NOT NULL,
	`sent` integer NOT NULL,
	`delivered` integer NOT NULL,
	`opened` integer NOT NULL,
	`clicked` integer NOT NULL,
	`bounced` integer NOT NULL,
	`complained` integer NOT NULL,
	`unsubscribed` integer NOT NULL,
	PRIMARY KEY(`project_id`, `campaign_id`, `content_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `campaign_pages` (
	`project_id` integer NOT NULL,
	`campaign_id` text NOT NULL,
	`first_id` text NOT NULL,
	`last_id` text NOT NULL,
	`part` text NOT NULL,
	`released_at` integer,
	`open` integer DEFAULT 0 NOT NULL,
	`recount_at` integer DEFAULT 0,
	`counts` text DEFAULT '{}' NOT NULL,
	`counts_before` text DEFAULT '{}' NOT NULL,
	`count_id` text,
	PRIMARY KEY(`project_id`, `campaign_id`, `first_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_campaign_pages_uncounted` ON `campaign_pages` (`project_id`,`recount_at`) WHERE recount_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `campaign_runs` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`clock` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`step` integer DEFAULT 0 NOT NULL,
	`progress` text DEFAULT '{}' NOT NULL,
	`link_base` text,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_campaign_runs_due` ON `campaign_runs` (`clock`,`due_at`);--> statement-breakpoint
CREATE TABLE `campaigns` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`status` text NOT NULL,
	`held_reason` text,
	`audience_type` text NOT NULL,
	`segment_id` text,
	`template_id` text,
	`topic_id` text,
	`type` text NOT NULL,
	`subject` text NOT NULL,
	`preview_text` text,
	`from_email` text NOT NULL,
	`from_name` text,
	`reply_to` text,
	`canary` text,
	`scheduled_for` integer,
	`search_text` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`sent_at` integer,
	`completed_at` integer,
	`audience_condition` text,
	`frozen` text,
	`variants` text,
	`body` text,
	`body_key` text,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `ix_campaigns_status` ON `campaigns` (`project_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `ix_campaigns_scheduled` ON `campaigns` (`project_id`,`scheduled_for`,`id`) WHERE status = 'SCHEDULED';--> statement-breakpoint
CREATE INDEX `ix_campaigns_topic` ON `campaigns` (`project_id`,`topic_id`,`id`) WHERE topic_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_campaigns_template` ON `campaigns` (`project_id`,`template_id`) WHERE template_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `confirmations` (
	`project_id` integer NOT NULL,
	`contact_id` text NOT NULL,
	`id` text NOT NULL,
	`email` text NOT NULL,
	`page` text,
	`confirmed_at` integer,
	PRIMARY KEY(`project_id`, `contact_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `contact_fields` (
	`project_id` integer NOT NULL,
	`key` text NOT NULL,
	`type` text NOT NULL,
	`is_public` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`contacts` integer,
	`counted_at` integer,
	PRIMARY KEY(`project_id`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `contact_topics` (
	`project_id` integer NOT NULL,
	`contact_id` text NOT NULL,
	`topic_id` text NOT NULL,
	`is_in` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `contact_id`, `topic_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `contacts` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`email` text NOT NULL,
	`subscribed` integer NOT NULL,
	`opted_out_at` integer,
	`opted_out_by` text,
	`confirmed_at` integer,
	`clock` integer DEFAULT 0 NOT NULL,
	`snoozed_until` integer,
	`source` text DEFAULT 'API' NOT NULL,
	`data` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`),
	CONSTRAINT "contacts_data_size" CHECK(octet_length(data) <= 65536)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_contacts_email` ON `contacts` (`project_id`,`email`);--> statement-breakpoint
CREATE INDEX `ix_contacts_list` ON `contacts` (`project_id`,`subscribed`,`id`,`email`);--> statement-breakpoint
CREATE INDEX `ix_contacts_snoozed` ON `contacts` (`clock`,`snoozed_until`) WHERE snoozed_until IS NOT NULL;--> statement-breakpoint
CREATE TABLE `erased_addresses` (
	`project_id` integer NOT NULL,
	`hash` text NOT NULL,
	`opted_out_at` integer,
	`suppressed_reason` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `hash`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `project_counts` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`contacts` integer DEFAULT 0 NOT NULL,
	`subscribed` integer DEFAULT 0 NOT NULL,
	`contacts_version` integer DEFAULT 0 NOT NULL,
	`confirmation_hour` integer DEFAULT 0 NOT NULL,
	`confirmations` integer DEFAULT 0 NOT NULL,
	`called_at` integer DEFAULT 0 NOT NULL,
	`old_mail_after` text DEFAULT '' NOT NULL,
	`old_mail_again` text
);
--> statement-breakpoint
CREATE TABLE `suppressions` (
	`project_id` integer NOT NULL,
	`email` text NOT NULL,
	`reason` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `email`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `topics` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`slug` text NOT NULL,
	`description` text,
	`default_subscribed` integer NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_topics_slug` ON `topics` (`project_id`,`slug`);--> statement-breakpoint
CREATE TABLE `domains` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`domain` text NOT NULL,
	`status` text NOT NULL,
	`created_with` text,
	`records` text NOT NULL,
	`last_checked_at` integer,
	`verified_at` integer,
	`failing_since` integer,
	`next_check_at` integer,
	`version` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_domains_domain` ON `domains` (`project_id`,`domain`);--> statement-breakpoint
CREATE INDEX `ix_domains_name` ON `domains` (`domain`);--> statement-breakpoint
CREATE INDEX `ix_domains_due` ON `domains` (`next_check_at`) WHERE next_check_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `email_contents` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`subject` text NOT NULL,
	`preview_text` text,
	`body` text,
	`body_key` text,
	`from_email` text NOT NULL,
	`from_name` text,
	`reply_to` text,
	`headers` text NOT NULL,
	`attachments` text NOT NULL,
	`size` integer NOT NULL,
	`own_data` text NOT NULL,
	`type` text NOT NULL,
	`topic_id` text,
	`is_tracked` integer DEFAULT true NOT NULL,
	`is_confirmation` integer DEFAULT false NOT NULL,
	`template_id` text,
	`template_version_id` text,
	`campaign_id` text,
	`variant` text,
	`link_base` text,
	`recipients` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `emails` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`content_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`campaign_id` text,
	`effect_id` text,
	`to_email` text NOT NULL,
	`to_written` text,
	`to_name` text,
	`source` text NOT NULL,
	`priority` integer DEFAULT 0 NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`subject` text,
	`own_data` text,
	`contact` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`round` text,
	`handed_at` integer,
	`uncertain_since` integer,
	`clock` integer DEFAULT 0 NOT NULL,
	`scheduled_at` integer,
	`next_attempt_at` integer,
	`due_at` integer,
	`retried_at` integer,
	`abandonments` integer DEFAULT 0 NOT NULL,
	`provider` text,
	`provider_message_id` text,
	`reported` text,
	`opens` integer DEFAULT 0 NOT NULL,
	`clicks` integer DEFAULT 0 NOT NULL,
	`hits` text,
	`causes` text,
	`is_forgotten` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`sent_at` integer,
	`delivered_at` integer,
	`opened_at` integer,
	`clicked_at` integer,
	`bounced_at` integer,
	`complained_at` integer,
	`unsubscribed_at` integer,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_emails_contact` ON `emails` (`project_id`,`contact_id`,`campaign_id`);--> statement-breakpoint
CREATE INDEX `ix_emails_due` ON `emails` (`clock`,`project_id`,`priority`,`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_emails_scheduled` ON `emails` (`project_id`,`scheduled_at`) WHERE status = 'QUEUED' AND scheduled_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_emails_held` ON `emails` (`project_id`) WHERE status = 'QUEUED' AND due_at IS NULL AND campaign_id IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `ux_emails_effect` ON `emails` (`project_id`,`effect_id`) WHERE effect_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `monthly_usage` (
	`project_id` integer NOT NULL,
	`month` text NOT NULL,
	`template_id` text NOT NULL,
	`emails` integer NOT NULL,
	PRIMARY KEY(`project_id`, `month`, `template_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `outbox_messages` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`email_id` text NOT NULL,
	`to_email` text NOT NULL,
	`source` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_outbox_messages_to` ON `outbox_messages` (`to_email`,`id`);--> statement-breakpoint
CREATE INDEX `ix_outbox_messages_id` ON `outbox_messages` (`id`);--> statement-breakpoint
CREATE TABLE `rounds` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`provider` text NOT NULL,
	`emails` text NOT NULL,
	`handed_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_rounds_handed` ON `rounds` (`handed_at`);--> statement-breakpoint
CREATE TABLE `sending_blocks` (
	`project_id` integer NOT NULL,
	`number` integer NOT NULL,
	`first_mail` integer NOT NULL,
	`started_at` integer NOT NULL,
	`bounced` integer DEFAULT 0 NOT NULL,
	`complained` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `number`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `event_days` (
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`day` integer NOT NULL,
	`count` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `name`, `day`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `event_listeners` (
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`listener_id` text NOT NULL,
	PRIMARY KEY(`project_id`, `name`, `listener_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `event_names` (
	`project_id` integer NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	`contacts` integer NOT NULL,
	`last_at` integer NOT NULL,
	`day` integer NOT NULL,
	`day_count` integer NOT NULL,
	`is_public` integer DEFAULT false NOT NULL,
	`mails` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `name`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `events` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`contact_id` text,
	`email_id` text,
	`source` text DEFAULT 'SYSTEM' NOT NULL,
	`data` text NOT NULL,
	`causes` text,
	`starts` text,
	`next_announce_at` integer,
	`announcements` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_events_contact` ON `events` (`project_id`,`contact_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_events_name` ON `events` (`project_id`,`name`,`contact_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_events_waiting` ON `events` (`next_announce_at`) WHERE next_announce_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `idempotency_effects` (
	`project_id` integer NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`request` text NOT NULL,
	`response` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `kind`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_idempotency_effects_expiry` ON `idempotency_effects` (`expires_at`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`progress` integer DEFAULT 0 NOT NULL,
	`generation` integer DEFAULT 1 NOT NULL,
	`input` text DEFAULT '{}' NOT NULL,
	`state` text DEFAULT '{}' NOT NULL,
	`result` text,
	`errors` text NOT NULL,
	`reason` text,
	`failing_since` integer,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	`next_announce_at` integer,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `ix_jobs_erasures` ON `jobs` (`id`) WHERE type = 'project.erase';--> statement-breakpoint
CREATE INDEX `ix_jobs_preflights` ON `jobs` (`project_id`,`id`) WHERE type = 'campaigns.preflight' AND status IN ('queued', 'processing');--> statement-breakpoint
CREATE INDEX `ix_jobs_errors` ON `jobs` (`project_id`,`id`) WHERE errors <> '[]';--> statement-breakpoint
CREATE INDEX `ix_jobs_ended` ON `jobs` (`completed_at`) WHERE completed_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_jobs_open` ON `jobs` (`next_announce_at`) WHERE status IN ('queued', 'processing');--> statement-breakpoint
CREATE TABLE `api_keys` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`queue` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `projects` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`from_name` text,
	`locale` text,
	`disabled` integer DEFAULT false NOT NULL,
	`disabled_reason` text,
	`tracking` text NOT NULL,
	`monthly_send_limit` integer,
	`send_rate_per_second` integer,
	`test_clock` integer DEFAULT false NOT NULL,
	`clock_at` integer,
	`public_key_may_resubscribe` integer DEFAULT false NOT NULL,
	`confirmation_template_id` text,
	`sending_paused_reason` text,
	`sending_paused_at` integer,
	`sending_counted_from` integer,
	`shard` text NOT NULL,
	`address_key` text NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_projects_id` ON `projects` (`id`);--> statement-breakpoint
CREATE TABLE `verified_domains` (
	`domain` text PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`claim` text DEFAULT '' NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_verified_domains_project` ON `verified_domains` (`project_id`);--> statement-breakpoint
CREATE TABLE `segment_members` (
	`project_id` integer NOT NULL,
	`segment_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `segment_id`, `contact_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_segment_members_contact` ON `segment_members` (`project_id`,`contact_id`);--> statement-breakpoint
CREATE TABLE `segments` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`type` text NOT NULL,
	`slug` text NOT NULL,
	`condition` text,
	`track_membership` integer NOT NULL,
	`member_count` integer DEFAULT 0 NOT NULL,
	`counted_at` integer,
	`counted_of` text,
	`clock` integer DEFAULT 0 NOT NULL,
	`next_count_at` integer,
	`computed_at` integer,
	`computed_of` text,
	`next_compute_at` integer,
	`compute_job_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_segments_slug` ON `segments` (`project_id`,`slug`);--> statement-breakpoint
CREATE INDEX `ix_segments_uncounted` ON `segments` (`clock`,`next_count_at`) WHERE next_count_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_segments_uncomputed` ON `segments` (`clock`,`next_compute_at`) WHERE next_compute_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `template_versions` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`template_id` text NOT NULL,
	`number` integer NOT NULL,
	`subject` text NOT NULL,
	`preview_text` text,
	`body` text,
	`body_key` text,
	`from_email` text NOT NULL,
	`from_name` text,
	`reply_to` text,
	`type` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE TABLE `templates` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`version_id` text NOT NULL,
	`topic_id` text,
	`search_text` text NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `ix_templates_updated` ON `templates` (`project_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `ix_templates_search` ON `templates` (`project_id`,`search_text`,`id`);--> statement-breakpoint
CREATE INDEX `ix_templates_topic` ON `templates` (`project_id`,`topic_id`,`id`) WHERE topic_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`project_id` integer NOT NULL,
	`webhook_id` text NOT NULL,
	`event_id` text NOT NULL,
	`type` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`tries_until` integer NOT NULL,
	`last_attempt_at` integer,
	`status_code` integer,
	`error` text,
	`response` text,
	`is_test` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`project_id`, `webhook_id`, `event_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_webhook_deliveries_due` ON `webhook_deliveries` (`project_id`,`webhook_id`,`next_attempt_at`) WHERE next_attempt_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_webhook_deliveries_expiry` ON `webhook_deliveries` (`event_id`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`description` text,
	`secret` text NOT NULL,
	`old_secret` text,
	`old_secret_until` integer,
	`disabled_at` integer,
	`disabled_reason` text,
	`last_success_at` integer,
	`failing_since` integer,
	`timeouts` integer DEFAULT 0 NOT NULL,
	`put_off_until` integer,
	`due_at` integer,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_webhooks_due` ON `webhooks` (`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `workflow_calls` (
	`project_id` integer NOT NULL,
	`contact_id` text NOT NULL,
	`effect_id` text NOT NULL,
	`host` text NOT NULL,
	`request` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`outcome` text,
	`ended_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `contact_id`, `effect_id`)
);
--> statement-breakpoint
CREATE INDEX `ix_workflow_calls_due` ON `workflow_calls` (`project_id`,`host`,`next_attempt_at`) WHERE next_attempt_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_workflow_calls_ended` ON `workflow_calls` (`ended_at`) WHERE ended_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `workflow_effects` (
	`project_id` integer NOT NULL,
	`effect_id` text NOT NULL,
	`token` text NOT NULL,
	`result` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `effect_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_workflow_effects_expiry` ON `workflow_effects` (`created_at`);--> statement-breakpoint
CREATE TABLE `workflow_executions` (
	`project_id` integer NOT NULL,
	`workflow_id` text NOT NULL,
	`id` text NOT NULL,
	`contact_id` text NOT NULL,
	`shard` integer NOT NULL,
	`status` text NOT NULL,
	`current_step_id` text,
	`exit_reason` text,
	`clock` integer DEFAULT 0 NOT NULL,
	`wake_at` integer,
	`started_at` integer NOT NULL,
	`completed_at` integer,
	`updated_at` integer NOT NULL,
	`awaits` text,
	`error` text,
	`version` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `workflow_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_workflow_executions_status` ON `workflow_executions` (`project_id`,`workflow_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `ix_workflow_executions_contact` ON `workflow_executions` (`project_id`,`contact_id`);--> statement-breakpoint
CREATE INDEX `ix_workflow_executions_waiting` ON `workflow_executions` (`project_id`,`wake_at`,`id`) WHERE status = 'WAITING' AND wake_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_workflow_executions_due` ON `workflow_executions` (`clock`,`wake_at`) WHERE wake_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_workflow_executions_awaits` ON `workflow_executions` (`project_id`,`awaits`) WHERE awaits IS NOT NULL;--> statement-breakpoint
CREATE TABLE `workflow_hosts` (
	`project_id` integer NOT NULL,
	`host` text NOT NULL,
	`timeouts` integer DEFAULT 0 NOT NULL,
	`put_off_until` integer,
	`due_at` integer,
	PRIMARY KEY(`project_id`, `host`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_workflow_hosts_due` ON `workflow_hosts` (`project_id`,`due_at`) WHERE due_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `workflow_steps` (
	`project_id` integer NOT NULL,
	`workflow_id` text NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`name` text NOT NULL,
	`x` real NOT NULL,
	`y` real NOT NULL,
	`config` text NOT NULL,
	`template_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `workflow_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_workflow_steps_template` ON `workflow_steps` (`project_id`,`template_id`) WHERE template_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `workflow_ticks` (
	`project_id` integer NOT NULL,
	`workflow_id` text NOT NULL,
	`tick` integer NOT NULL,
	`cursor` text,
	`completed_at` integer,
	PRIMARY KEY(`project_id`, `workflow_id`, `tick`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `workflow_transitions` (
	`project_id` integer NOT NULL,
	`workflow_id` text NOT NULL,
	`id` text NOT NULL,
	`from_step_id` text NOT NULL,
	`to_step_id` text NOT NULL,
	`branch` text,
	`priority` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `workflow_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `workflows` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`enabled` integer NOT NULL,
	`trigger_type` text NOT NULL,
	`trigger_config` text NOT NULL,
	`allow_reentry` integer NOT NULL,
	`clock` integer DEFAULT 0 NOT NULL,
	`next_tick_at` integer,
	`search_text` text NOT NULL,
	`link_base` text,
	`issues` text DEFAULT '[]' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `ix_workflows_tick` ON `workflows` (`clock`,`next_tick_at`) WHERE next_tick_at IS NOT NULL;