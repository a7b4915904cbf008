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
