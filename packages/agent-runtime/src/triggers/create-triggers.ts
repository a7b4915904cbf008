import { randomBytes } from 'node:crypto'
import type {
  NewTrigger,
  ReportTarget,
  SignalRequest,
  Trigger,
  TriggerUpdate,
} from '@homeward/contract/agent-platform'
import { createWebhookSecret } from '@homeward/kit/webhooks'
import { createSchemaCheck } from '../json-schema/schema-problem.ts'
import type { Tracing } from '../ports/instrumentation.ts'
import type { Logger } from '../ports/logger.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { StoredTask, TaskSubject } from '../store/ports/task-store.ts'
import type { StoredTrigger, TriggerStore } from '../store/ports/trigger-store.ts'
import { createReceiveCall } from './receive-call.ts'
import type { Triggers } from './triggers.ts'
import { toStoredSecret } from './verify-call.ts'

/** What {@link createTriggers} is built from. */
export interface TriggersOptions {
  readonly store: TriggerStore
  readonly settings: RuntimeSettings
  /** The agent or graph, with the chats that get its results; undefined if it does not exist. */
  readonly find: (
    subject: TaskSubject,
  ) => Promise<{ readonly report_to?: readonly ReportTarget[] | undefined } | undefined>
  /** Tells the workers of a task. */
  readonly announce: (task: StoredTask) => Promise<void>
  readonly tracing: Tracing
  /** Delivers a signal that is stored. */
  readonly deliver: (signal: SignalRequest) => Promise<unknown>
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}

const maxTriggers = 1000
const defaultPerMinute = 60
const listedCalls = 100
/** How long an old secret is valid, in milliseconds. */
const oldSecretMs = 24 * 60 * 60 * 1000

/** Builds the triggers of a runtime over a store. */
export function createTriggers(options: TriggersOptions): Triggers {
  const { store, settings, now, createId } = options
  const assertUsable = createCheck(options)

  const show = async (trigger: StoredTrigger): Promise<Trigger> =>
    toTrigger(trigger, (await settings.read()).public_url ?? '')

  async function get(id: string, attempt: string): Promise<StoredTrigger> {
    const trigger = await store.findTrigger(id)
    if (trigger) return trigger
    throw notFound(attempt)
  }

  return {
    async create(given) {
      const attempt = 'Creating a trigger'
      const { name, verify, secret = newSecret(verify), input, filter, conversation } = given
      const target = targetOf(given)!
      assertConversation(attempt, target, conversation)
      await assertUsable(attempt, target, filter)
      const createdAt = new Date(now()).toISOString()
      const trigger: StoredTrigger = {
        id: createId(),
        name,
        target,
        verify,
        secrets: [{ secret: toStoredSecret(verify, secret) }],
        ...(input !== undefined && { input }),
        ...(filter && { filter }),
        ...(conversation !== undefined && { conversation }),
        perMinute: given.per_minute ?? defaultPerMinute,
        enabled: given.enabled ?? true,
        createdAt,
        updatedAt: createdAt,
      }
      if (await store.insertTrigger(trigger, maxTriggers)) return { trigger: await show(trigger), secret }
      throw new RuntimeError(
        'conflict',
        `${attempt} failed: the limit of ${maxTriggers} triggers is reached. Delete a trigger that you no longer need.`,
      )
    },
    list: async () => Promise.all((await store.listTriggers()).map(show)),
    get: async (id) => show(await get(id, 'Getting a trigger')),
    async update(id, changes) {
      const attempt = 'Changing a trigger'
      const before = await get(id, attempt)
      const { verify = before.verify, secret } = changes
      if (verify !== before.verify && secret === undefined)
        throw new RuntimeError(
          'validation_error',
          `${attempt} failed: another "verify" needs another secret. Send "secret" too.`,
        )
      await assertUsable(attempt, targetOf(changes), changes.filter)
      const { conversation = before.conversation } = changes
      assertConversation(attempt, targetOf(changes) ?? before.target, conversation ?? undefined)
      const nowMs = now()
      const changed = await store.changeTrigger(id, (stored) => toChanged(stored, changes, nowMs))
      if (changed) return show(changed)
      throw notFound(attempt)
    },
    async delete(id) {
      if (!(await store.deleteTrigger(id))) throw notFound('Deleting a trigger')
    },
    async deliveries(id) {
      await get(id, 'Listing deliveries')
      const calls = await store.listTriggerCalls(id, listedCalls)
      return calls.map(({ id: callId, at, outcome, taskId, reason }) => ({
        id: callId,
        at,
        outcome,
        ...(taskId !== undefined && { task_id: taskId }),
        ...(reason !== undefined && { reason }),
      }))
    },
    receive: createReceiveCall(options),
  }
}

/** Checks what a trigger starts, and its filter. */
function createCheck({ find }: Pick<TriggersOptions, 'find'>) {
  const schemaProblem = createSchemaCheck()
  return async (
    attempt: string,
    target: StoredTrigger['target'] | undefined,
    filter: Trigger['filter'] | null,
  ): Promise<void> => {
    if (
      target !== undefined &&
      target.kind !== 'event' &&
      !(await find({ kind: target.kind, id: target.id }))
    )
      throw new RuntimeError(
        'not_found',
        `${attempt} failed: no ${target.kind} has this id. List the ${target.kind}s to find it.`,
      )
    const problem = filter ? await schemaProblem(filter) : undefined
    if (problem !== undefined)
      throw new RuntimeError(
        'validation_error',
        `${attempt} failed: "filter" must be a JSON Schema: ${problem}. Correct it.`,
      )
  }
}

/** @throws {RuntimeError} `validation_error` for a conversation of what has none */
function assertConversation(
  attempt: string,
  { kind }: StoredTrigger['target'],
  conversation: string | undefined,
): void {
  if (kind === 'agent' || conversation === undefined) return
  throw new RuntimeError(
    'validation_error',
    `${attempt} failed: "conversation" is for agents only. Leave it out, or send null.`,
  )
}

const notFound = (attempt: string) =>
  new RuntimeError('not_found', `${attempt} failed: no trigger has this id. List the triggers to find it.`)

const newSecret = (verify: Trigger['verify']) =>
  verify === 'standard' ? createWebhookSecret(randomBytes) : randomBytes(32).toString('base64url')

function targetOf({
  agent_id: agent,
  graph_id: graph,
  event,
}: Pick<NewTrigger, 'agent_id' | 'graph_id' | 'event'>): StoredTrigger['target'] | undefined {
  if (agent !== undefined) return { kind: 'agent', id: agent }
  if (graph !== undefined) return { kind: 'graph', id: graph }
  return event === undefined ? undefined : { kind: 'event', id: event }
}

function toChanged(before: StoredTrigger, changes: TriggerUpdate, nowMs: number): StoredTrigger {
  const { name, verify = before.verify, secret, enabled = before.enabled, per_minute: perMinute } = changes
  const { input = before.input, filter = before.filter, conversation = before.conversation } = changes
  const { id, createdAt } = before
  return {
    id,
    createdAt,
    name: name ?? before.name,
    target: targetOf(changes) ?? before.target,
    verify,
    secrets: secret === undefined ? before.secrets : replaceSecret(before, { verify, secret }, nowMs),
    ...(typeof input === 'string' && { input }),
    ...(filter && { filter }),
    ...(typeof conversation === 'string' && { conversation }),
    perMinute: perMinute === undefined ? before.perMinute : (perMinute ?? defaultPerMinute),
    enabled,
    updatedAt: new Date(nowMs).toISOString(),
  }
}

/** The new secret, and those that are still valid. With another kind of verification none is. */
function replaceSecret(
  { verify: verified, secrets }: StoredTrigger,
  { verify, secret }: { readonly verify: Trigger['verify']; readonly secret: string },
  nowMs: number,
): StoredTrigger['secrets'] {
  const present = toStoredSecret(verify, secret)
  if (verify !== verified) return [{ secret: present }]
  const [now, later] = [new Date(nowMs).toISOString(), new Date(nowMs + oldSecretMs).toISOString()]
  const old = secrets
    .map(({ secret: one, until = later }) => ({ secret: one, until }))
    .filter(({ secret: one, until }) => one !== present && until >= now)
  return [{ secret: present }, ...old]
}

/** A trigger as it may be shown. */
function toTrigger({ target, ...trigger }: StoredTrigger, publicUrl: string): Trigger {
  const { id, name, verify, input, filter, conversation, enabled } = trigger
  return {
    id,
    name,
    ...(target.kind === 'event' ? { event: target.id } : { [`${target.kind}_id`]: target.id }),
    verify,
    url: `${publicUrl.replace(/\/+$/, '')}/api/hooks/${id}`,
    ...(input !== undefined && { input }),
    ...(filter && { filter }),
    ...(conversation !== undefined && { conversation }),
    per_minute: trigger.perMinute,
    enabled,
    created_at: trigger.createdAt,
    updated_at: trigger.updatedAt,
  }
}
