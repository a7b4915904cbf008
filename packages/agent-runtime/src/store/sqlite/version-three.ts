/** A turn's messages in one row: each row of its own cost an entry in two indexes too. Those that are there stay as they are. */
export const versionThree: readonly string[] = [
  `create table turn_messages (
    seq integer primary key,
    conversation_id text not null references conversations (id) on delete cascade,
    run_id text not null,
    first_seq integer not null,
    count integer not null,
    created_at text not null,
    messages text not null
  )`,
  'create unique index turn_messages_place on turn_messages (conversation_id, first_seq)',
  'create unique index turn_messages_run on turn_messages (conversation_id, run_id)',
]
