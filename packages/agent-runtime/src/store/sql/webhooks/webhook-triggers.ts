import { buildEventTriggers, type EventTrigger, type TriggerLanguage } from '@homeward/kit/sql'

const owner = `''`

const runEnds = (status: 'completed' | 'failed'): EventTrigger => ({
  name: `webhook_run_${status}`,
  table: 'runs',
  on: 'update',
  column: 'status',
  when: `new.status = '${status}' and old.status <> '${status}'`,
  type: `run.${status}`,
  owner,
  key: 'new.id',
  subject: 'new.id',
  at: 'coalesce(new.finished_at, new.created_at)',
  data: {
    run_id: 'new.id',
    agent_id: 'new.agent_id',
    graph_id: 'new.graph_id',
    conversation_id: 'new.conversation_id',
    parent_run_id: 'new.parent_run_id',
    status: 'new.status',
  },
})

const taskEnds = (status: 'completed' | 'failed'): EventTrigger => ({
  name: `webhook_task_${status}`,
  table: 'tasks',
  on: 'update',
  column: 'status',
  when: `new.status = '${status}' and old.status <> '${status}'`,
  type: `task.${status}`,
  owner,
  // a task that failed can be run again
  key: `new.id || '_' || new.run_count`,
  subject: 'new.id',
  at: 'new.updated_at',
  data: { task_id: 'new.id', run_id: 'new.run_id', status: 'new.status' },
})

/** Changes that webhooks are notified of. */
const triggers: readonly EventTrigger[] = [
  runEnds('completed'),
  runEnds('failed'),
  taskEnds('completed'),
  taskEnds('failed'),
  {
    name: 'webhook_approval_requested',
    table: 'approvals',
    on: 'insert',
    when: `new.status = 'pending'`,
    type: 'approval.requested',
    owner,
    key: `new.run_id || '_' || new.id`,
    subject: 'new.run_id',
    at: 'new.created_at',
    data: { run_id: 'new.run_id', approval_id: 'new.id', tool: 'new.tool' },
  },
  {
    name: 'webhook_message_failed',
    table: 'channel_messages',
    on: 'update',
    column: 'status',
    when: `new.status = 'failed' and old.status <> 'failed'`,
    type: 'channel.message_failed',
    owner,
    key: `new.id || '_' || new.tries`,
    subject: 'new.conversation_id',
    at: 'new.updated_at',
    data: {
      channel: 'new.channel',
      message_id: 'new.id',
      conversation_id: 'new.conversation_id',
      task_id: 'new.task_id',
    },
  },
]

const opened: EventTrigger = {
  name: 'webhook_wait_opened',
  table: 'waits',
  on: 'insert',
  when: `new.status = 'open'`,
  type: 'wait.opened',
  owner,
  key: `new.run_id || '_' || new.id`,
  subject: 'new.run_id',
  at: 'new.created_at',
  data: { run_id: 'new.run_id', wait_id: 'new.id', kind: 'new.kind', tool: 'new.tool', event: 'new.event' },
}

/** Changes of waits that webhooks are notified of. */
const waitTriggers: readonly EventTrigger[] = [
  {
    ...opened,
    name: 'webhook_wait_approval',
    when: `new.status = 'open' and new.kind = 'approval'`,
    type: 'approval.requested',
    data: { run_id: 'new.run_id', approval_id: 'new.id', tool: 'new.tool' },
  },
  opened,
  {
    ...opened,
    name: 'webhook_wait_settled',
    on: 'update',
    column: 'status',
    when: `new.status <> 'open' and old.status = 'open'`,
    type: 'wait.settled',
    at: 'coalesce(new.settled_at, new.created_at)',
    data: { ...opened.data, status: 'new.status' },
  },
]

/** The same for waits, in which approvals of the first release have become one kind. */
export const buildWaitTriggers = (language: TriggerLanguage): readonly string[] =>
  buildEventTriggers(waitTriggers, language)

/** Writes the triggers that store what webhooks are notified of (A30). */
export const buildWebhookTriggers = (language: TriggerLanguage): readonly string[] =>
  buildEventTriggers(triggers, language)
