import { canceledSearchError } from '../searches/expiry.ts'
import { buildEventTriggers, type EventTrigger, type TriggerLanguage } from '@homeward/kit/sql'

/** A search is settled by a report or by its user; that one has expired is written down at some later time. */
const searchSettled = `old.status = 'pending' and new.status <> 'pending' and new.completed_at <> new.expires_at`
const uploadSettled = `old.status = 'pending' and new.status <> 'pending' and new.completed_at <> new.expires_at`

const deviceGone = {
  table: 'devices',
  type: 'device.deleted',
  owner: 'old.owner',
  key: 'old.id',
  subject: 'old.id',
  data: { deviceId: 'old.id' },
} as const

/** Changes that webhooks are notified of; see `DeviceCloudEventMap` for the rest. */
const triggers: readonly EventTrigger[] = [
  {
    name: 'webhook_device_registered',
    table: 'devices',
    on: 'insert',
    when: `new.owner <> ''`,
    type: 'device.registered',
    owner: 'new.owner',
    key: 'new.id',
    subject: 'new.id',
    at: 'new.created_at',
    data: { deviceId: 'new.id' },
  },
  // Of a device with much work the rows go later: it loses its owner first.
  { ...deviceGone, name: 'webhook_device_deleted', on: 'delete', when: `old.owner <> ''` },
  {
    ...deviceGone,
    name: 'webhook_device_disowned',
    on: 'update',
    column: 'owner',
    when: `old.owner <> '' and new.owner = ''`,
  },
  {
    name: 'webhook_search_settled',
    table: 'searches',
    on: 'update',
    column: 'status',
    when: searchSettled,
    type: 'search.settled',
    owner: 'new.owner',
    key: 'new.id',
    subject: 'new.device_id',
    at: 'new.completed_at',
    data: {
      searchId: 'new.id',
      deviceId: 'new.device_id',
      groupId: 'new.group_id',
      status: 'new.status',
    },
  },
  {
    name: 'webhook_upload_settled',
    table: 'uploads',
    on: 'update',
    column: 'status',
    when: uploadSettled,
    type: 'upload.settled',
    owner: 'new.owner',
    key: 'new.id',
    subject: 'new.device_id',
    at: 'new.completed_at',
    data: { requestId: 'new.id', deviceId: 'new.device_id', status: 'new.status' },
  },
  {
    name: 'webhook_group_settled',
    table: 'work_groups',
    on: 'update',
    column: 'settled_at',
    when: `old.settled_at is null and new.settled_at is not null and new.owner <> ''`,
    type: 'group.settled',
    owner: 'new.owner',
    key: 'new.id',
    subject: 'new.id',
    at: 'new.settled_at',
    data: { groupId: 'new.id' },
  },
]

/** Writes the triggers that store what webhooks are notified of (C33). */
export const buildWebhookTriggers = (language: TriggerLanguage): readonly string[] =>
  buildEventTriggers(triggers, language)

const ended = `old.status = 'pending' and new.status <> 'pending'`
// Only what has expired has been over exactly then.
const outcomes: Readonly<Record<string, string>> = {
  webhook_search_settled: `case when new.completed_at = new.expires_at then 'expired'
    when new.status = 'failed' and new.error = '${canceledSearchError}' then 'canceled' else new.status end`,
  webhook_upload_settled: `case when new.completed_at = new.expires_at then 'expired' else new.status end`,
  webhook_group_settled: `case when new.settled_at < new.expires_at then 'completed' else 'expired' end`,
}

const gone = {
  on: 'delete',
  when: `old.status = 'pending' and old.owner <> ''`,
  subject: 'old.device_id',
} as const
const removed = { status: `'failed'`, outcome: `'removed'` }

/** Work that was deleted before it ended, with its device, and groups that were removed. */
const unfinished: readonly EventTrigger[] = [
  {
    ...gone,
    name: 'webhook_search_removed',
    table: 'searches',
    type: 'search.settled',
    owner: 'old.owner',
    key: 'old.id',
    data: { searchId: 'old.id', deviceId: 'old.device_id', groupId: 'old.group_id', ...removed },
  },
  {
    ...gone,
    name: 'webhook_upload_removed',
    table: 'uploads',
    type: 'upload.settled',
    owner: 'old.owner',
    key: 'old.id',
    data: { requestId: 'old.id', deviceId: 'old.device_id', ...removed },
  },
  {
    name: 'webhook_group_removed',
    table: 'work_groups',
    on: 'update',
    column: 'task',
    when: `coalesce(old.task, '') <> 'remove' and new.task = 'remove' and old.settled_at is null
      and old.kind = 'search'`,
    type: 'group.settled',
    owner: 'new.owner',
    key: 'new.id',
    subject: 'new.id',
    data: { groupId: 'new.id', outcome: `'canceled'` },
  },
]

/** Rewrites those of work that ended: they say how, and also store what has expired or was removed. */
export function rebuildSettledTriggers(language: TriggerLanguage): readonly string[] {
  const rebuilt = triggers.flatMap((trigger) => {
    const outcome = outcomes[trigger.name]
    if (outcome === undefined) return []
    const when = trigger.column === 'status' ? ended : trigger.when
    return [{ ...trigger, when, data: { ...trigger.data, outcome } }]
  })
  const drops = rebuilt.flatMap(({ name, table }) =>
    language === 'sqlite'
      ? [`drop trigger ${name}`]
      : [`drop trigger ${name} on ${table}`, `drop function ${name}()`],
  )
  return [...drops, ...buildEventTriggers([...rebuilt, ...unfinished], language)]
}
