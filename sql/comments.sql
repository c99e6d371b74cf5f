-- What the Go types say that sqlc makes of rows and that the stores hand on as they
-- are. It is read by sqlc alone (see sqlc.yaml), and no migration: a database does not have it.

comment on table pauses is 'Pause is a time in which a person is not phoned: a holiday, a stay in hospital.';
comment on column pauses.ends_at is 'nil: until it is lifted';

comment on table contacts is 'Contact is somebody who cares for a person, or must be told.';
comment on column contacts.phone is 'E.164, or empty';
comment on column contacts.priority is '1 is asked first';
comment on column contacts.webhook is 'URL, or empty';
comment on column contacts.channels is 'of alerts; empty: all that is known of them';
comment on column contacts.hours_from is 'local clock time of the person; nil: at any time';
comment on column contacts.language is 'empty: the person''s';
comment on column contacts.must_not_be_told is 'kinds of alerts; nil: nobody has decided';

comment on table alert_events is 'AlertEvent is something that happened to an alert.';

comment on table chat_projects is 'ChatProject is a circle of sessions that share a memory: a family, a ward.';
comment on column chat_projects.system_prompt is 'nil where that of the settings holds';

comment on view chat_talk is 'ChatTalk is one message of a written conversation with its reply. What is the session''s is not written with it.';
comment on column chat_talk.id is 'orders the episodes of a session';
comment on column chat_talk.finish is 'how the reply ended: stop, length, broken, or interrupted';
comment on column chat_talk.tokens is 'an estimate for message and reply together';
comment on column chat_talk.external_id is 'the session''s, like what follows';
comment on column chat_talk.may_keep is 'whether it may be remembered and recalled now';

comment on table memory_promises is 'MemoryPromise is something that nAIber comes back to: once, or again and again.';
comment on column memory_promises.kind is '"follow_up", "birthday", "anniversary", "appointment", "other"';
comment on column memory_promises.due_on is 'a day, as midnight UTC; where the person lives';
comment on column memory_promises.due_at is 'a moment; neither: the next call';
comment on column memory_promises.recurrence is 'RFC 5545 RRULE; empty: once';
comment on column memory_promises.status is '"open", "used", "kept", "dropped"';
comment on column memory_promises.call_id is 'in which it was made';
comment on column memory_promises.used_call is 'whose opening it was last given to';

comment on table memory_limits is 'MemoryLimit is what is not to be kept of a person, or not to be brought up.';
comment on column memory_limits.until is 'nil: for good';
comment on column memory_limits.created_at is 'since when it holds';

comment on table memory_summaries is 'MemorySummary is what a person''s calls came to, over several of them.';
comment on column memory_summaries.session_id is 'owns it where no person does, as the project does';

comment on table summaries is 'Summary is what a call was about, in a few sentences.';

comment on table topics is 'Topic is something a person talks about.';
comment on column topics.key is 'the label in lower case, with single spaces';

comment on table memory_relations is 'MemoryRelation leads from one entity to another; it may have ended.';
comment on column memory_relations.fact_id is 'what it stands on; zero: nothing';
