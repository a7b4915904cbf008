import { describe, expect, it, vi } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { NewRun } from '../store/ports/run-store.ts'
import type { NewTask } from '../store/ports/task-store.ts'
import { createJournaledStore } from './create-journaled-store.ts'
import { withoutKeys } from '../secrets/redact.ts'
import { createEventBus } from './runtime-events.ts'

const event = (
  data: NewJournalEvent['data'],
  type: NewJournalEvent['type'] = 'tool.called',
): NewJournalEvent => ({
  type,
  timestamp: '2026-01-01T00:00:00.000Z',
  runId: 'r',
  data,
})
const run: NewRun = {
  kind: 'agent',
  id: 'r',
  depth: 0,
  tainted: false,
  accounts: [],
  agentId: 'a',
  conversationId: 'c',
  task: 't',
  source: 'api',
  limits: {},
  store: true,
  model: 'test/echo',
  createdAt: '2026-01-01T00:00:00.000Z',
}

const lease = { owner: 'o', until: '2026-01-01T00:01:00.000Z' }
const task: NewTask = {
  id: 't1',
  subject: { kind: 'agent', id: 'a' },
  input: 'x',
  priority: 0,
  maxAttempts: 3,
  createdAt: run.createdAt,
  runAt: run.createdAt,
}

function open() {
  const error = vi.fn()
  const bus = createEventBus({ warn() {}, error })
  const store = createJournaledStore({
    store: createTestStore(),
    bus,
    secrets: async () => ['hunter2-hunter2'],
  })
  return { store, events: bus.emitter, error }
}

describe('createJournaledStore', () => {
  it('A14: takes known secrets and what looks like a key out, before a row is written or a listener is told', async () => {
    const { store, events } = open()
    const told = vi.fn()
    events.on('event', told)
    await store.appendEvents([
      event({
        args: { header: 'Bearer abcdefghijklmnopqrstuvwxyz', list: ['x hunter2-hunter2 y'] },
        'hunter2-hunter2': 1,
        n: 7,
        none: null,
      }),
    ])
    const clean = {
      args: { header: 'Bearer [secret]', list: ['x [secret] y'] },
      '[secret]': 1,
      n: 7,
      none: null,
    }
    expect(await store.listEvents({ limit: 10 })).toMatchObject([{ seq: 1, data: clean }])
    expect(told).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ type: 'tool.called', data: clean }),
    )
  })

  it('A14: covers what comes with a run, its steps, its end and its approvals', async () => {
    const { store } = open()
    const secret = [event({ text: 'hunter2-hunter2' })]
    await store.insertRun(run, lease, secret)
    const progress = {
      turns: 1,
      toolCalls: 0,
      usage: { input_tokens: 0, output_tokens: 0 },
      activeMs: 1,
      tainted: false,
    }
    const step = {
      runId: 'r',
      owner: 'o',
      messages: [],
      progress,
      stream: { firstSeq: 1, events: [] },
      journal: secret,
    }
    await store.saveRunStep(step)
    const result = {
      success: true,
      output: '',
      turns: 1,
      tool_calls: 0,
      steps: [],
      usage: progress.usage,
      model: 'm',
      run_id: 'r',
      conversation_id: 'c',
      stop_reason: 'approval' as const,
    }
    const approval = {
      id: 'p',
      runId: 'r',
      kind: 'approval',
      callId: 'k',
      tool: 't',
      args: {},
      status: 'open',
      createdAt: run.createdAt,
    } as const
    await store.saveRunStep({ ...step, opens: [approval], waitFor: { result } })
    const verdict = {
      runId: 'r',
      waitId: 'p',
      status: 'answered',
      data: { decision: 'approve' },
      settledAt: run.createdAt,
      journal: secret,
    } as const
    await store.settleWait(verdict)
    await store.finishRun({
      ...step,
      owner: undefined,
      status: 'completed',
      result,
      finishedAt: run.createdAt,
      durationMs: 0,
      searched: [],
    })
    const rows = await store.listEvents({ limit: 10 })
    expect(rows.map(({ data }) => data)).toEqual(Array.from({ length: 5 }, () => ({ text: '[secret]' })))
  })

  it('A14: covers what the store writes about tasks and schedules, and tells of it once', async () => {
    const { store, events } = open()
    const told: string[] = []
    events.on('event', ({ type, data }) => told.push(`${type} ${JSON.stringify(data)}`))
    const toEvent = ({ id, status }: { id: string; status: string }) =>
      event({ id, status, text: 'hunter2-hunter2' }, 'task.started')
    const now = run.createdAt
    await store.insertTask(task, [event({ text: 'hunter2-hunter2' }, 'task.created')])
    await store.insertTask({ ...task, id: 't2' }, [])
    const claim = { lease, now, limit: 1, perSubject: 1, toEvent }
    const [claimed] = await store.claimTasks(claim)
    await store.claimTasks(claim) // there is no other one for the subject
    await store.settleTask({
      id: claimed?.id ?? '',
      owner: 'o',
      outcome: { kind: 'retry', runAt: now },
      now,
      toEvent,
    })
    await store.cancelTask('t1', now, toEvent)
    await store.cancelTask('t1', now, toEvent)
    await store.retryTask('t1', now, toEvent)
    await store.reclaimTasks({ now, limit: 9, toEvent })
    const rows = await store.listEvents({ limit: 99 })
    expect(rows.map(({ type, data }) => `${type} ${JSON.stringify(data)}`)).toEqual(told)
    expect(told.length).toBeGreaterThanOrEqual(5)
    for (const each of told) expect(each).toContain('"text":"[secret]"')
  })

  it('A14: covers the fires of a schedule, and tells only of what was written', async () => {
    const { store, events } = open()
    const told = vi.fn()
    events.on('event', told)
    const { subject } = task
    const fireAt = (scheduledFor: string) => ({
      subject,
      schedule: '* * * * *',
      scheduledFor,
      task: { ...task, id: scheduledFor },
      journal: [event({ text: 'hunter2-hunter2' }, 'schedule.fired')],
      onSkip: [],
    })
    await store.startSchedule({ subject, schedule: '* * * * *', through: run.createdAt })
    const fire = fireAt('2026-01-01T00:01:00.000Z')
    expect(await store.recordOccurrences([fire, fire])).toEqual(['fired', 'done'])
    expect(told).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ data: { text: '[secret]' } }))
    expect(await store.listEvents({ limit: 9 })).toMatchObject([{ data: { text: '[secret]' } }])
  })

  it('takes a store whose methods are those of a class', async () => {
    const host = Object.create(createTestStore()) as ReturnType<typeof createTestStore>
    const store = createJournaledStore({ store: host, bus: { emit() {} }, secrets: async () => [] })
    expect(await store.listEvents({ limit: 1 })).toEqual([])
    expect(await store.findAgent('a')).toBeUndefined()
  })

  it('tells nobody of what was not written', async () => {
    const { store, events } = open()
    const told = vi.fn()
    await store.insertRun(run, lease, [])
    events.on('event', told)
    await store.insertRun({ ...run, idempotencyKey: 'k', id: 'r2' }, lease, [event({}, 'agent.started')])
    await store.insertRun({ ...run, idempotencyKey: 'k', id: 'r3' }, lease, [event({}, 'agent.started')])
    expect(told).toHaveBeenCalledOnce()
    const verdict = { runId: 'r', waitId: 'none', status: 'declined', settledAt: run.createdAt } as const
    await store.settleWait({ ...verdict, journal: [event({}, 'approval.resolved')] })
    expect(told).toHaveBeenCalledOnce()
  })

  it('lets a listener that throws stop neither the others nor the write', async () => {
    const { store, events, error } = open()
    const told = vi.fn()
    events.on('tool.called', () => {
      throw new Error('mine')
    })
    // oxlint-disable-next-line typescript/no-misused-promises -- what hosts do all the same
    events.on('tool.called', () => Promise.reject(new Error('mine, later')))
    events.on('tool.called', told)
    await store.appendEvents([event({})])
    expect(told).toHaveBeenCalledOnce()
    await vi.waitFor(() => expect(error).toHaveBeenCalledTimes(2))
  })

  it('A14: keeps what was written, whatever a listener does to what it is told', async () => {
    const { store, events } = open()
    events.on('tool.called', ({ data }) => {
      data['args'] = 'mine'
    })
    const args = { key: 'theirs' }
    const given = event({ args })
    await store.appendEvents([given])
    expect(given.data).toEqual({ args })
    expect(await store.listEvents({ limit: 1 })).toMatchObject([{ data: { args } }])
  })

  it('tells a listener of `once` once', async () => {
    const { store, events } = open()
    const told = vi.fn()
    events.once('tool.called', told)
    await store.appendEvents([event({})])
    await store.appendEvents([event({})])
    expect(told).toHaveBeenCalledOnce()
  })
})

describe('withoutKeys', () => {
  it.each([
    'sk-proj-abcdefghijklmnopqrst',
    'sk-ant-api03-abcdefghijklmnop',
    'AIzaSyA1234567890abcdefghijklmnopqrstuv',
    'xoxb-1234567890-abcdef',
    'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
    '123456789:AAabcdefghijklmnopqrstuvwxyz0123456',
    'AKIAIOSFODNN7EXAMPLE',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXNpZw',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  ])('takes %j out of a text', (key) => {
    expect(withoutKeys(`before ${key} after`)).toBe('before [secret] after')
  })

  it('leaves ordinary text alone', () => {
    const text =
      'Ask-me-anything-about-the-task-list at 12:30, see https://example.com/a-b_c?d=e and 1234567890:x'
    expect(withoutKeys(text)).toBe(text)
  })
})
