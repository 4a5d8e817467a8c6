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
CREATE INDEX `ix_audit_entries_expiry` ON `audit_entries` (`id`);--> statement-breakpoint
CREATE TABLE `backups` (
	`id` text PRIMARY KEY NOT NULL,
	`project` text NOT NULL,
	`rows` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`completed_at` integer
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_backups_project` ON `backups` (`project`,`created_at`);--> statement-breakpoint
CREATE INDEX `ix_backups_expiry` ON `backups` (`created_at`);--> statement-breakpoint
CREATE TABLE `captured_rows` (
	`project_id` integer NOT NULL,
	`table_name` text NOT NULL,
	`k1` blob NOT NULL,
	`k2` blob NOT NULL,
	`k3` blob NOT NULL,
	`k4` blob NOT NULL,
	`image` text,
	PRIMARY KEY(`project_id`, `table_name`, `k1`, `k2`, `k3`, `k4`)
);
--> statement-breakpoint
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
	`hours` text DEFAULT '{}' NOT NULL,
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
	`files` text,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `ix_campaigns_files` ON `campaigns` (`project_id`,`status`,`files`) WHERE files IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_campaigns_status` ON `campaigns` (`project_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `ix_campaigns_search` ON `campaigns` (`project_id`,`search_text`,`id`);--> statement-breakpoint
CREATE INDEX `ix_campaigns_scheduled` ON `campaigns` (`project_id`,`scheduled_for`,`id`) WHERE status = 'SCHEDULED';--> statement-breakpoint
CREATE INDEX `ix_campaigns_topic` ON `campaigns` (`project_id`,`topic_id`,`id`) WHERE topic_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_campaigns_template` ON `campaigns` (`project_id`,`template_id`) WHERE template_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_campaigns_body` ON `campaigns` (`project_id`,`body_key`) WHERE body_key IS NOT NULL;--> statement-breakpoint
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
	`public_mail_hour` integer DEFAULT 0 NOT NULL,
	`public_mails` integer DEFAULT 0 NOT NULL,
	`suppressions` integer DEFAULT 0 NOT NULL,
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
CREATE INDEX `ix_domains_failing` ON `domains` (`failing_since`) WHERE failing_since IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_domains_due` ON `domains` (`next_check_at`) WHERE next_check_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `email_contents` (
	`project_id` integer NOT NULL,
	`id` text NOT NULL,
	`subject` text NOT NULL,
	`preview_text` text,
	`from_email` text NOT NULL,
	`from_name` text,
	`reply_to` text,
	`body` text,
	`body_key` text,
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
CREATE INDEX `ix_email_contents_version` ON `email_contents` (`project_id`,`template_version_id`) WHERE template_version_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_email_contents_body` ON `email_contents` (`project_id`,`body_key`) WHERE body_key IS NOT NULL;--> statement-breakpoint
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
	`look_up_at` integer,
	`look_ups` integer DEFAULT 0 NOT NULL,
	`settled_by` text,
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
	`clicked_links` text,
	`causes` text,
	`is_public` integer DEFAULT false NOT NULL,
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
CREATE INDEX `ix_emails_unsent` ON `emails` (`project_id`,`id`) WHERE status IN ('FAILED', 'UNKNOWN');--> statement-breakpoint
CREATE INDEX `ix_emails_scheduled` ON `emails` (`project_id`,`scheduled_at`) WHERE status = 'QUEUED' AND scheduled_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_emails_held` ON `emails` (`project_id`) WHERE status = 'QUEUED' AND due_at IS NULL AND campaign_id IS NULL;--> statement-breakpoint
CREATE INDEX `ix_emails_look_up` ON `emails` (`provider`,`look_up_at`) WHERE status = 'UNKNOWN' AND look_up_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_emails_failed_at` ON `emails` (coalesce(ended_at, handed_at)) WHERE clock = 0 AND status IN ('FAILED', 'UNKNOWN');--> statement-breakpoint
CREATE UNIQUE INDEX `ux_emails_effect` ON `emails` (`project_id`,`effect_id`) WHERE effect_id IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_emails_step` ON `emails` (`project_id`,substr(effect_id, 24),`id`) WHERE effect_id IS NOT NULL;--> statement-breakpoint
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
	`is_public` integer DEFAULT false NOT NULL,
	`data` text NOT NULL,
	`causes` text,
	`starts` text,
	`next_announce_at` integer,
	`announcements` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_events_person` ON `events` (`project_id`,`contact_id`,`id`) WHERE name NOT IN ('email.sent', 'email.delivered');--> statement-breakpoint
CREATE INDEX `ix_events_name` ON `events` (`project_id`,`name`,`contact_id`,`id`);--> statement-breakpoint
CREATE INDEX `ix_events_waiting` ON `events` (`next_announce_at`) WHERE next_announce_at IS NOT NULL;--> statement-breakpoint
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
CREATE TABLE `idempotency_effects` (
	`project_id` integer NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`request` text NOT NULL,
	`hash` text NOT NULL,
	`response` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `kind`, `key`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ix_idempotency_effects_expiry` ON `idempotency_effects` (`expires_at`);--> statement-breakpoint
CREATE TABLE `import_changes` (
	`project_id` integer NOT NULL,
	`job_id` text NOT NULL,
	`contact_id` text NOT NULL,
	`version` integer NOT NULL,
	`is_new` integer NOT NULL,
	`data` text,
	`subscribed` integer NOT NULL,
	`opted_out_at` integer,
	`opted_out_by` text,
	`snoozed_until` integer,
	`confirmed_at` integer,
	`source` text NOT NULL,
	PRIMARY KEY(`project_id`, `job_id`, `contact_id`)
);
--> statement-breakpoint
CREATE INDEX `ix_import_changes_contact` ON `import_changes` (`project_id`,`contact_id`);--> statement-breakpoint
CREATE INDEX `ix_import_changes_expiry` ON `import_changes` (`job_id`);--> statement-breakpoint
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
CREATE INDEX `ix_jobs_list` ON `jobs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `ix_jobs_failed` ON `jobs` (`project_id`,`completed_at`) WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX `ix_jobs_erasures` ON `jobs` (`id`) WHERE type = 'project.erase';--> statement-breakpoint
CREATE INDEX `ix_jobs_operator` ON `jobs` (`id`) WHERE type IN ('project.backup', 'project.restore', 'project.move');--> statement-breakpoint
CREATE INDEX `ix_jobs_copies` ON `jobs` (`project_id`,`id`) WHERE type IN ('project.backup', 'project.restore', 'project.move');--> statement-breakpoint
CREATE INDEX `ix_jobs_preflights` ON `jobs` (`project_id`,`id`) WHERE type = 'campaigns.preflight' AND status IN ('queued', 'processing');--> statement-breakpoint
CREATE INDEX `ix_jobs_errors` ON `jobs` (`project_id`,`id`) WHERE errors <> '[]';--> statement-breakpoint
CREATE INDEX `ix_jobs_ended` ON `jobs` (`completed_at`) WHERE completed_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_jobs_open` ON `jobs` (`next_announce_at`) WHERE status IN ('queued', 'processing');--> statement-breakpoint
CREATE TABLE `moved_keys` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` integer NOT NULL,
	`table_name` text NOT NULL,
	`k1` blob NOT NULL,
	`k2` blob NOT NULL,
	`k3` blob NOT NULL,
	`k4` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_moved_keys` ON `moved_keys` (`project_id`,`table_name`,`k1`,`k2`,`k3`,`k4`);--> statement-breakpoint
CREATE INDEX `ix_moved_keys_order` ON `moved_keys` (`project_id`,`number`);--> statement-breakpoint
CREATE TABLE `moves` (
	`project_id` integer PRIMARY KEY NOT NULL,
	`job_id` text NOT NULL,
	`stage` text NOT NULL
);
--> statement-breakpoint
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
	`alerted` text DEFAULT 'ok' NOT NULL
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
	`last_used_at` integer,
	`is_backup_eligible` integer DEFAULT false NOT NULL,
	`is_backed_up` integer DEFAULT false NOT NULL
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
	`invited_to` integer,
	`invited_by` text,
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
CREATE INDEX `ix_sign_in_links_expiry` ON `sign_in_links` (`expires_at`);--> statement-breakpoint
CREATE INDEX `ix_sign_in_links_invitations` ON `sign_in_links` (`invited_to`,`created_at`) WHERE kind = 'invitation';--> statement-breakpoint
CREATE TABLE `used_challenges` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `ix_used_challenges_expiry` ON `used_challenges` (`expires_at`);--> statement-breakpoint
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
	`public_answers` text DEFAULT 'IDS' NOT NULL,
	`company` text,
	`postal_address` text,
	`public_track_subscribes` integer DEFAULT true NOT NULL,
	`confirmation_template_id` text,
	`sending_paused_reason` text,
	`sending_paused_at` integer,
	`sending_counted_from` integer,
	`max_storage_mb` integer DEFAULT 2048 NOT NULL,
	`storage` text,
	`storage_due_at` integer DEFAULT 0 NOT NULL,
	`storage_progress` text,
	`restoring` integer DEFAULT false NOT NULL,
	`shard` text NOT NULL,
	`move` text,
	`address_key` text NOT NULL,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ux_projects_id` ON `projects` (`id`);--> statement-breakpoint
CREATE INDEX `ix_projects_storage` ON `projects` (`storage_due_at`);--> statement-breakpoint
CREATE INDEX `ix_projects_move` ON `projects` (`number`) WHERE move IS NOT NULL;--> statement-breakpoint
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
	`moves_with_time` integer DEFAULT false NOT NULL,
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
	`from_email` text NOT NULL,
	`from_name` text,
	`reply_to` text,
	`body` text,
	`body_key` text,
	`type` text NOT NULL,
	`created_at` integer NOT NULL,
	`check_at` integer,
	`files` text,
	PRIMARY KEY(`project_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `ix_template_versions_files` ON `template_versions` (`project_id`,`id`,`files`) WHERE files IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_template_versions_check` ON `template_versions` (`check_at`) WHERE check_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `ix_template_versions_body` ON `template_versions` (`project_id`,`body_key`) WHERE body_key IS NOT NULL;--> statement-breakpoint
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
CREATE TABLE `monthly_usage` (
	`project_id` integer NOT NULL,
	`month` text NOT NULL,
	`template_id` text NOT NULL,
	`emails` integer NOT NULL,
	PRIMARY KEY(`project_id`, `month`, `template_id`)
) WITHOUT ROWID;
--> statement-breakpoint
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
CREATE TABLE `execution_counts` (
	`project_id` integer NOT NULL,
	`workflow_id` text NOT NULL,
	`running` integer DEFAULT 0 NOT NULL,
	`waiting` integer DEFAULT 0 NOT NULL,
	`completed` integer DEFAULT 0 NOT NULL,
	`exited` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`cancelled` integer DEFAULT 0 NOT NULL,
	`counted_to` text DEFAULT '' NOT NULL,
	`due_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `workflow_id`)
);
--> statement-breakpoint
CREATE INDEX `ix_execution_counts_due` ON `execution_counts` (`due_at`);--> statement-breakpoint
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
CREATE INDEX `ix_workflow_executions_wake` ON `workflow_executions` (`clock`,`project_id`,`wake_at`,`id`) WHERE wake_at IS NOT NULL;--> statement-breakpoint
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
	`key` text,
	`ordinal` integer,
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
	`ordinal` integer,
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
CREATE INDEX `ix_workflows_search` ON `workflows` (`project_id`,`search_text`,`id`);--> statement-breakpoint
CREATE INDEX `ix_workflows_issues` ON `workflows` (`project_id`,`id`) WHERE enabled AND issues <> '[]';--> statement-breakpoint
CREATE INDEX `ix_workflows_tick` ON `workflows` (`clock`,`next_tick_at`) WHERE next_tick_at IS NOT NULL;