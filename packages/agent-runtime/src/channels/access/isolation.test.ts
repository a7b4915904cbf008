import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { createScriptedModel, type ScriptedStep } from '../../testing/scripted-model.ts'
import { createTestChannel, toRequest } from '../testing/test-channel.ts'

/** A private chat of a person, a group with the person who speaks, or a chat of which a bridge does not say that it is one. */
interface Place {
  readonly sender: string
  readonly group?: string
  readonly chat?: string
}

type Step =
  | { readonly kind: 'write'; readonly place: Place; readonly verb: 'tell' | 'remember' | 'recall' | '/new' }
  | { readonly kind: 'restart' }

const people = ['ann', 'bob', 'cleo']
const places: Place[] = [
  ...people.map((sender) => ({ sender })),
  ...['bob', 'cleo'].map((sender) => ({ sender, chat: 'shared' })),
  ...['g1', 'g2'].flatMap((group) => people.map((sender) => ({ sender, group }))),
]
const contextOf = ({ sender, group }: Place) => group ?? sender

const steps = fc.array(
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({
        kind: fc.constant('write' as const),
        place: fc.constantFrom(...places),
        verb: fc.constantFrom('tell' as const, 'remember' as const, 'recall' as const, '/new' as const),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  ),
  { minLength: 8, maxLength: 25 },
)

const markersIn = (text: string) => new Set(text.match(/secret-of-\w+/g))

/** Repeats what it reads, writes it into the memory, or looks for what others may have written there. */
function createCuriousModel(requests: string[]) {
  return createScriptedModel(
    Array.from({ length: 2000 }, () => ({ prompt }: { readonly prompt: readonly object[] }): ScriptedStep => {
      const all = JSON.stringify(prompt)
      requests.push(all)
      const last = JSON.stringify(prompt.at(-1))
      const known = [...markersIn(all)].join(' ')
      if (last.includes('"role":"user"') && last.includes('remember')) {
        return {
          toolCalls: [{ name: 'memory_write', args: { text: `secret ${known} ${'word '.repeat(20)}` } }],
        }
      }
      if (last.includes('"role":"user"') && last.includes('recall')) {
        return { toolCalls: [{ name: 'memory_search', args: { query: 'secret word' } }] }
      }
      return { text: `I know ${known} ${'and more '.repeat(20)}` }
    }),
  )
}

async function play(all: readonly Step[]): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'homeward-isolation-'))
  const requests: string[] = []
  const open = async () => {
    const channel = createTestChannel({ agentId: 'curious', access: 'open', groupAccess: 'open' })
    const runtime = createRuntime({
      environment: {},
      home,
      channels: [channel],
      models: { mine: () => createCuriousModel(requests) },
      historyTokens: 400,
    })
    await runtime.agents.create({ id: 'curious', model: 'mine/x' }).catch(() => {}) // there after a restart
    await runtime.start()
    return runtime
  }
  let runtime = await open()
  try {
    for (const [index, step] of all.entries()) {
      if (step.kind === 'restart') {
        await runtime.close()
        runtime = await open()
        continue
      }
      const { place, verb } = step
      const context = contextOf(place)
      const text =
        verb === '/new' ? verb : `${verb} secret-of-${context} number ${index} ${'filler '.repeat(10)}`
      await runtime.channels.receive('test', toRequest({ chat: context, ...place, key: `${index}`, text }))
    }
    const isDone = async () => {
      const { waiting } = (await runtime.channels.status('test')).messages
      expect(waiting).toBe(0)
    }
    await vi.waitFor(isDone, { timeout: 60_000, interval: 10 })
  } finally {
    await runtime.close()
    rmSync(home, { recursive: true, force: true })
  }
  return requests
}

it('A12: no request to a model holds what was said in another chat', { timeout: 300_000 }, async () => {
  let summaries = 0
  let recalled = 0
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const requests = await play(all)
      for (const request of requests) expect(markersIn(request).size, request).toBeLessThanOrEqual(1)
      summaries += requests.filter((request) => /summar/i.test(request)).length
      recalled += requests.filter(
        (request) => request.includes('tool-result') && request.includes('score'),
      ).length
    }),
    { numRuns: Number(process.env['FAST_CHECK_RUNS'] ?? 12) },
  )
  // otherwise nothing was tried
  expect(summaries).toBeGreaterThan(0)
  expect(recalled).toBeGreaterThan(0)
})
