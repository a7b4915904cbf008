import { describe, expect, it, vi } from 'vitest'
import { createInMemoryStore } from '../in-memory/create-in-memory-store.ts'
import type { NewJournalEvent } from '../ports/journal.ts'
import type { NewRun } from '../ports/run-store.ts'
import { createJournaledStore } from './create-journaled-store.ts'
import { withoutKeys } from './key-shapes.ts'
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
  id: 'r',
  agentId: 'a',
  conversationId: 'c',
  task: 't',
  limits: {},
  store: true,
  model: 'test/echo',
  createdAt: '2026-01-01T00:00:00.000Z',
}

function open() {
  const error = vi.fn()
  const bus = createEventBus({ warn() {}, error })
  const store = createJournaledStore({
    store: createInMemoryStore(),
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
    await store.insertRun(run, secret)
    const progress = {
      turns: 1,
      toolCalls: 0,
      usage: { input_tokens: 0, output_tokens: 0 },
      activeMs: 1,
      tainted: false,
    }
    const step = { runId: 'r', messages: [], progress, stream: { firstSeq: 1, events: [] }, journal: secret }
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
      callId: 'k',
      tool: 't',
      args: {},
      status: 'pending',
      createdAt: run.createdAt,
    } as const
    await store.saveRunStep({ ...step, waitFor: { approvals: [approval], result } })
    const verdict = {
      runId: 'r',
      approvalId: 'p',
      status: 'approved',
      decidedAt: run.createdAt,
      journal: secret,
    } as const
    await store.decideApproval(verdict)
    await store.finishRun({ ...step, status: 'completed', result, finishedAt: run.createdAt })
    const rows = await store.listEvents({ limit: 10 })
    expect(rows.map(({ data }) => data)).toEqual(Array.from({ length: 5 }, () => ({ text: '[secret]' })))
  })

  it('takes a store whose methods are those of a class', async () => {
    const host = Object.create(createInMemoryStore()) as ReturnType<typeof createInMemoryStore>
    const store = createJournaledStore({ store: host, bus: { emit() {} }, secrets: async () => [] })
    expect(await store.listEvents({ limit: 1 })).toEqual([])
    expect(await store.findAgent('a')).toBeUndefined()
  })

  it('tells nobody of what was not written', async () => {
    const { store, events } = open()
    const told = vi.fn()
    await store.insertRun(run, [])
    events.on('event', told)
    await store.insertRun({ ...run, idempotencyKey: 'k', id: 'r2' }, [event({}, 'agent.started')])
    await store.insertRun({ ...run, idempotencyKey: 'k', id: 'r3' }, [event({}, 'agent.started')])
    expect(told).toHaveBeenCalledOnce()
    const verdict = { runId: 'r', approvalId: 'none', status: 'denied', decidedAt: run.createdAt } as const
    await store.decideApproval({ ...verdict, journal: [event({}, 'approval.resolved')] })
    expect(told).toHaveBeenCalledOnce()
  })

  it('lets a listener that throws stop neither the others nor the write', async () => {
    const { store, events, error } = open()
    const told = vi.fn()
    events.on('tool.called', () => {
      throw new Error('mine')
    })
    events.on('tool.called', told)
    await store.appendEvents([event({})])
    expect(told).toHaveBeenCalledOnce()
    expect(error).toHaveBeenCalledOnce()
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
